import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { publicKeyHex, signedHeaders } from '../../examples/snippets/typescript/signed-headers.js'
import { isGenuine } from '../../examples/snippets/typescript/verify-webhook.js'
import { readSignature } from '../../src/crypto/secp256k1.js'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import { Shop } from '../cli/shop.js'
import { launchBrowser } from '../support/browser.js'
import { noBrowser } from '../support/chromium.js'
import { privateKeyPem } from '../support/pem.js'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { LANGUAGES, type Language, run, SNIPPETS } from './languages.js'

const vectors = JSON.parse(readFileSync(join(SNIPPETS, 'vectors.json'), 'utf8'))
const OLD_MS = 400_000

interface Webhook {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** A verification of one language, given a webhook. */
type Verification = (webhook: Webhook, secret: string) => Promise<boolean>

/** Each program creates an invoice at a service, and judges a webhook that this service has sent. */
describe('examples/snippets', () => {
  let shop: Shop
  let receiver: Receiver
  let secret: string
  let keyFile: string
  let genuine: Webhook
  let amount = 2500

  before(async () => {
    shop = await Shop.open('sandbox', { BILLHOOK_CORS_ORIGINS: '*' })
    receiver = await openReceiver()
    keyFile = join(shop.files, 'api-key.pem')
    writeFileSync(keyFile, vectors.key.pem, { mode: 0o600 })
    const { publicKey } = vectors.key
    const registration = { owner: shop.owner, label: 'snippets', publicKey, permissions: ['invoices:create'] }
    assert.equal((await shop.service.post('/api/api-keys', registration)).status, 201)
    const callbackUrl = `${receiver.url}/billhook`
    const set = await shop.service.call('PUT', `/api/users/${shop.owner}/webhook`, { body: { callbackUrl } })
    secret = set.json.secret
    const { json } = await shop.service.post('/api/invoices', {
      ...{
        owner: shop.owner,
        walletIds: [Shop.wallets.TRX],
        name: 'Tea',
        reference: 'ä-1',
        currency: 'USDT',
        amount: '1',
      },
    })
    await shop.service.post('/sandbox/deposits', { invoiceId: json.id, kind: 'pending' })
    await receiver.received(1)
    const [{ body, headers } = assert.fail('no webhook')] = receiver.requests
    genuine = { body, headers: headers as Record<string, string> }
  })

  after(async () => {
    await receiver.close()
    await shop.close()
  })

  const nextAmount = () => {
    amount += 1
    return (amount / 100).toFixed(2)
  }

  const created = async (answer: string, wanted: string) => {
    const { id } = JSON.parse(answer)
    const { json } = await shop.service.get(`/api/invoices/${id}`)
    assert.deepEqual([json.amount, json.currency, json.owner], [wanted, 'USDT', shop.owner])
    assert.match(json.reference, /^order-1001-[0-9a-f]+$/)
  }

  const signed = async (headersOf: (body: string) => Promise<Record<string, string>>) => {
    const wanted = nextAmount()
    const reference = `order-1001-${amount}`
    const invoice = { walletIds: [Shop.wallets.TRX], name: 'Tee für zwei', amount: wanted, currency: 'USDT', reference }
    const body = JSON.stringify(invoice)
    const { status, text } = await shop.service.call('POST', '/api/invoices', { body, headers: await headersOf(body) })
    assert.equal(status, 201, text)
    await created(text, wanted)
  }

  const judges = async (verify: Verification) => {
    const { body, headers } = genuine
    assert.equal(await verify(genuine, secret), true, 'genuine')
    const tampered = Buffer.from(body.toString('utf8').replace('"1000000"', '"9000000"'))
    assert.notDeepEqual(tampered, body)
    assert.equal(await verify({ headers, body: tampered }, secret), false, 'tampered')
    const resigned = (atMs: number) => {
      const of = { id: String(headers['webhook-id']), body }
      return { body, headers: lowerCase(deliveryHeaders(of, { current: secret, previous: null }, atMs)) }
    }
    assert.equal(await verify(resigned(Date.now()), secret), true, 'signed now')
    assert.equal(await verify(resigned(Date.now() - OLD_MS), secret), false, 'old')
    assert.equal(await verify({ body, headers: {} }, secret), false, 'unsigned')
    const rotated = deliveryHeaders({ id: 'a', body }, { current: secret, previous: '0'.repeat(64) }, Date.now())
    assert.equal(await verify({ body, headers: lowerCase(rotated) }, '0'.repeat(64)), true, 'rotated')
  }

  for (const language of LANGUAGES) {
    test(language.name, { skip: language.missing }, async (t) => {
      const output = temporaryDirectory()
      t.after(output.remove)
      const { environment = {} } = language
      for (const step of language.compile?.(output.path) ?? []) {
        const { code, stderr } = await run(step, { environment })
        assert.equal(code, 0, stderr)
      }
      const wanted = nextAmount()
      const [program, ...args] = language.create(output.path)
      const creation = await run([program, ...args, Shop.wallets.TRX, wanted], {
        environment: { ...environment, BASE_URL: shop.service.url, API_KEY_FILE: keyFile },
      })
      assert.deepEqual([creation.code, creation.stderr], [0, ''])
      await created(creation.stdout, wanted)
      await judges(verification(language, output.path))
    })
  }

  test('TypeScript', async () => {
    const key = createPrivateKey(vectors.key.pem)
    // Several keys, so that both parities of y occur.
    for (let round = 0; round < 8; round += 1) {
      const one = testKey(`snippet ${round}`)
      assert.equal(publicKeyHex(createPrivateKey(privateKeyPem(one))), one.publicKeyHex)
    }
    await signed(async (body) => signedHeaders(key, body))
    await judges(async ({ body, headers }, secretHex) => isGenuine(body, headers, secretHex))
  })

  test('browser, and servers with WebCrypto', async () => {
    const load = (name: string) => import(pathToFileURL(join(SNIPPETS, 'browser', name)).href)
    const [signing, verifying] = [await load('signed-headers.js'), await load('verify-webhook.js')]
    const key = Buffer.from(vectors.key.privateKey, 'hex')
    await signed((body) => signing.signedHeaders(key, body))
    await judges(({ body, headers }, secretHex) => verifying.isGenuine(body, new Headers(headers), secretHex))
    // r or s with a zero byte in front, or a high bit: some of the first signatures have each.
    const [{ timestamp }] = vectors.requests
    for (let round = 0; round < 300; round += 1) {
      const body = String(round)
      const headers = await signing.signedHeaders(key, body, Number(timestamp))
      assert.ok(readSignature(Buffer.from(headers['X-Service-Signature'], 'base64')) !== null, body)
    }
  })

  test('browser, in Chromium', { skip: noBrowser }, async (t) => {
    const page = await snippetsInPage(t)
    const wanted = nextAmount()
    const body = JSON.stringify({
      ...{ walletIds: [Shop.wallets.TRX], name: 'Tee für zwei', amount: wanted, currency: 'USDT' },
      reference: `order-1001-${amount}`,
    })
    const sent = JSON.stringify({ url: `${shop.service.url}/api/invoices`, key: vectors.key.privateKey, body })
    const answer = await page.evaluate(`(async ({ url, key, body }) => {
      const bytes = Uint8Array.from(key.match(/../g), (pair) => Number.parseInt(pair, 16))
      const headers = await signedHeaders(bytes, body)
      const response = await fetch(url, { method: 'POST', body, headers })
      return response.text()
    })(${sent})`)
    await created(String(answer), wanted)
    await judges(async ({ body: bytes, headers }, secretHex) => {
      const webhook = JSON.stringify({ bytes: [...bytes], headers, secretHex })
      const judged = await page.evaluate(
        `(({ bytes, headers, secretHex }) => isGenuine(Uint8Array.from(bytes), new Headers(headers), secretHex))(${webhook})`,
      )
      return judged === true
    })
  })
})

/** The functions of the snippet for browsers in a page of its own, which is not of the service's origin. */
async function snippetsInPage(t: TestContext) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { signedHeaders } from './signed-headers.js'; import { isGenuine } from './verify-webhook.js'
        Object.assign(window, { signedHeaders, isGenuine })`,
      resolveDir: join(SNIPPETS, 'browser'),
    },
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
  })
  const site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<title>Shop</title>'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', () => resolve()))
  t.after(() => site.close())
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
  return page
}

function verification({ environment = {}, verify }: Language, output: string): Verification {
  return async ({ body, headers }, secret) => {
    const { code, stdout, stderr } = await run(verify(output), {
      input: body,
      environment: {
        ...environment,
        WEBHOOK_ID: headers['webhook-id'] ?? '',
        WEBHOOK_TIMESTAMP: headers['webhook-timestamp'] ?? '',
        WEBHOOK_SIGNATURE: headers['webhook-signature'] ?? '',
        WEBHOOK_SECRET: secret,
      },
    })
    const said = `${stdout}${stderr}`.trim()
    assert.deepEqual(said, code === 0 ? 'genuine' : 'rejected')
    return code === 0
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
