import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import * as client from '@billhook/client'
import { publint } from 'publint'
import { projectRoot } from '../support/project-root.js'
import { examples, withoutImports } from './doc-examples.js'
import { Packed, run } from './packed.js'

/** Verifies a webhook, derives an identity and signs, then says what it imported. */
const USE = `
  const secret = '0'.repeat(64)
  try { verifyWebhook('{}', {}, secret) } catch (error) { if (error.code !== 'webhook_rejected') throw error }
  identityFromPhrase(newPhrase()).then(async (identity) => {
    const signature = await identity.sign(new Uint8Array(32))
    new Billhook({ url: 'https://pay.example', signer: identity })
    console.log(signature.length, identityId(identity.publicKey, 'name').length)
  })`
const NAMES = '{ Billhook, identityFromPhrase, identityId, newPhrase, verifyWebhook }'
const ESM = `import ${NAMES} from '@billhook/client'${USE}`
const COMMON_JS = `const ${NAMES} = require('@billhook/client')${USE}`
const PRINTED = '64 64\n'

const TYPED = `
import {
  Billhook, type BillhookEvent, BillhookError, type CreateInvoiceOptions, type EventOptions, identityFromPhrase,
  type DepositPayload, type InvoiceWithPayment, type NetworkId, type Signer, type VerifiedWebhook, verifyWebhook, type WebhookPayload,
} from '@billhook/client'
export async function paid(signer: Signer): Promise<InvoiceWithPayment> {
  const billhook = new Billhook({ url: 'https://pay.example', signer, owner: 'o' })
  const { id, pageUrl } = await billhook.createInvoice({ walletIds: ['w'], name: 'Tea', amount: '1', currency: 'USDT' })
  for await (const { payment } of billhook.listInvoices()) pageUrl.concat(payment.received)
  return await billhook.waitForPayment(id, { timeoutMs: 1 })
}
export function isBusy(error: unknown): boolean {
  return error instanceof BillhookError && error.code === 'overloaded'
}
export function told(event: BillhookEvent, payload: WebhookPayload): string {
  if (event.type === 'deposit.confirmed') return event.deposit.amount + payload.network
  if (event.type === 'delivery.failed') return event.delivery.id
  if (event.type === 'invoice.paid') return event.invoiceId
  if (payload.test === true) return 'a test'
  if (payload.type === undefined) return payload.reference + payload.network + (payload.invoice?.metadata?.['cart'] ?? '')
  if (payload.type === 'deposit.confirmed') return payload.data.deposit.amount + String(payload.data.late === true)
  if (payload.type === 'delivery.failed') return payload.data.delivery.id
  return payload.data.invoiceId ?? ''
}
export function isShipped({ payload }: VerifiedWebhook): boolean {
  return payload.status === 'confirmed' || payload.type === 'invoice.paid'
}
export const isNetwork = (payload: DepositPayload): NetworkId => payload.network
export async function secretOf(billhook: Billhook): Promise<string> {
  const { secret } = await billhook.setWebhook({ callbackUrl: 'https://shop.example/', payload: 'events' })
  return verifyWebhook('', {}, [secret, (await billhook.rotateWebhookSecret()).secret]).id ?? ''
}
export async function onMainNetworks(billhook: Billhook, maybe: string | undefined): Promise<boolean> {
  const wallet = await billhook.claimWallet('ETH', { signal: undefined })
  const options: CreateInvoiceOptions = { idempotencyKey: maybe, signal: undefined }
  const invoice = await billhook.createInvoice({ walletIds: [wallet.id], name: 'Tea', amount: '1', reference: maybe }, options)
  const events: EventOptions = { after: maybe, pageSize: undefined, signal: undefined }
  for await (const event of billhook.listEvents(events)) if (event.deposit?.network === 'BASE') return true
  billhook.listInvoices({ reference: maybe, orderNumber: maybe, status: undefined, createdAfter: undefined, signal: undefined })
  await identityFromPhrase('', { path: maybe })
  await billhook.request({ tag: 'GET /api/info', params: undefined, query: { a: maybe }, hasEffect: undefined })
  return invoice.isReplay && invoice.expiresAt === null
}
// @ts-expect-error: an amount is a string
new Billhook({ url: '' }).createInvoice({ walletIds: [], name: '', amount: 1 })
// @ts-expect-error: metadata are strings
new Billhook({ url: '' }).createInvoice({ walletIds: [], name: '', amount: '1', metadata: { cart: 1 } })
`

const STRICTEST = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  noEmit: true,
}

/** What the examples find there (`examples.test.ts`). */
const SURROUNDINGS = `
import * as client from '@billhook/client'
const { ${Object.keys(client).join(', ')} } = client
declare const billhook: client.Billhook, identity: client.Signer, ledger: client.LedgerSettings, invoice: client.NewInvoice
declare const url: string, owner: string, walletId: string, secret: string, privateKey: Uint8Array
declare const rawBody: Uint8Array, headers: Record<string, string>
`

/** Without its dependencies. */
const INSTALLED_BYTES_MAX = 1_000_000
const DEPENDENCIES_MAX = 5

describe('the packed library', () => {
  let packed: Packed
  before(() => {
    packed = new Packed()
  })
  after(() => packed.remove())

  test('has no fault that publint finds', async () => {
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(readFileSync(packed.tarball)).buffer },
      strict: true,
    })
    assert.deepEqual(messages, [])
  })

  test('has the right types for every way of importing it', async () => {
    const result = await checkPackage(createPackageFromTarballData(readFileSync(packed.tarball)))
    assert.ok(result.types !== false)
    const { resolutions } = result.entrypoints['.'] ?? assert.fail('it has no entry')
    assert.deepEqual(Object.keys(resolutions), ['node10', 'node16-cjs', 'node16-esm', 'bundler'])
    assert.deepEqual(result.problems, [])
  })

  test('is small, has few dependencies, and runs nothing when it is installed', () => {
    const sizes = readdirSync(packed.installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(bytes > 0 && bytes <= INSTALLED_BYTES_MAX, `${bytes} bytes`)
    const manifest = JSON.parse(readFileSync(join(packed.installed, 'package.json'), 'utf8'))
    assert.ok(Object.keys(manifest.dependencies).length <= DEPENDENCIES_MAX)
    assert.equal(manifest.scripts, undefined)
    for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE']) statSync(join(packed.installed, name))
  })

  test('works from ES modules and from CommonJS, without a warning', () => {
    for (const [name, program] of [
      ['use.mjs', ESM],
      ['use.cjs', COMMON_JS],
    ] as const) {
      const { status, stdout, stderr } = run(process.execPath, [packed.write(name, program)], packed.project)
      assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: PRINTED, stderr: '' })
    }
  })

  test('keeps the rest of the package to itself', () => {
    const program = "import('@billhook/client/dist/transport.js').catch(({ code }) => console.log(code))"
    const { stdout } = run(process.execPath, ['--eval', program], packed.project)
    assert.equal(stdout, 'ERR_PACKAGE_PATH_NOT_EXPORTED\n')
  })

  test('is typed in both, with the strictest options and without the types of Node', () => {
    packed.write('typed.mts', TYPED)
    packed.write('typed.cts', TYPED)
    const files = ['typed.mts', 'typed.cts']
    const config = packed.write('tsconfig.json', JSON.stringify({ compilerOptions: STRICTEST, files }))
    const { status, stdout } = run(join(projectRoot, 'node_modules/.bin/tsc'), ['-p', config], packed.project)
    assert.equal(status, 0, stdout)
  })

  test('has examples that compile with the strictest options', () => {
    const functions = examples.map(
      ({ program }, at) => `export async function example${at}() {{\n${withoutImports(program)}}}`,
    )
    packed.write('examples.mts', `${SURROUNDINGS}\n${functions.join('\n')}\n`)
    const config = packed.write(
      'examples.json',
      JSON.stringify({ compilerOptions: STRICTEST, files: ['examples.mts'] }),
    )
    const { status, stdout } = run(join(projectRoot, 'node_modules/.bin/tsc'), ['-p', config], packed.project)
    assert.equal(status, 0, stdout)
  })

  test('gives no name of the DOM another meaning', () => {
    // The compiler has its libraries in the package of its platform.
    const compilers = join(projectRoot, 'node_modules/@typescript')
    const [compiler = assert.fail('no compiler')] = readdirSync(compilers)
    const dom = readFileSync(join(compilers, compiler, 'lib/lib.dom.d.ts'), 'utf8')
    const ofDom = new Set(
      [...dom.matchAll(/^(?:declare )?(?:interface|type|var|function) (\w+)/gm)].map(([, name]) => name),
    )
    assert.ok(ofDom.has('Event') && ofDom.has('Notification'))
    const declarations = join(packed.installed, 'dist')
    const names = readdirSync(declarations)
      .filter((file) => file.endsWith('.d.ts'))
      .flatMap((file) => [
        ...readFileSync(join(declarations, file), 'utf8').matchAll(
          /^export (?:declare )?(?:interface|type|class|function|const) (\w+)/gm,
        ),
      ])
      .map(([, name]) => name)
    assert.ok(names.includes('BillhookEvent') && names.includes('WebhookPayload'))
    assert.deepEqual(
      names.filter((name) => ofDom.has(name)),
      [],
    )
  })

  test('is all that an empty project has to install', (t) => {
    const project = packed.emptyProject('installed')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional', '--fetch-retries=0', '--silent']
    const { status, stderr } = run('npm', ['install', ...flags, packed.tarball], project)
    if (status !== 0) return t.skip(`no registry can be reached: ${stderr.slice(0, 300)}`)
    writeFileSync(join(project, 'use.mjs'), ESM)
    writeFileSync(join(project, 'use.cjs'), COMMON_JS)
    for (const name of ['use.mjs', 'use.cjs']) {
      const used = run(process.execPath, [name], project)
      assert.deepEqual([used.stdout, used.stderr], [PRINTED, ''])
    }
  })
})
