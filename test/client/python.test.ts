import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { HDKey } from '@scure/bip32'
import { runInProcess } from '../cli/in-process.js'
import { projectRoot } from '../support/project-root.js'
import { missingModule, PYTHON, PYTHON_ENVIRONMENT, PYTHON_PACKAGE, pythonAbsence } from '../support/python.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/* The tests of `packages/python` are written in Python. Here they get the sandboxes that they need. */

/** Nothing is written beside the sources, and a connection that is left open is told. */
const FLAGS = ['-B', '-W', 'error::ResourceWarning']

/** Runs Python, in the folder of the package unless another is named, and answers what it said. */
async function python(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd = PYTHON_PACKAGE,
): Promise<string> {
  const env = { ...process.env, ...PYTHON_ENVIRONMENT, ...environment }
  const child = spawn(PYTHON, [...FLAGS, ...args], { cwd, env })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
  }
  const [code] = await once(child, 'close')
  assert.equal(code, 0, told)
  return told
}

/** That tests ran, and that none was skipped. */
function assertAllRan(told: string, atLeast: number): void {
  const [, count = ''] = /^Ran (\d+) tests? in /m.exec(told) ?? []
  assert.ok(Number(count) >= atLeast, told)
  assert.match(told, /^OK$/m)
  assert.doesNotMatch(told, /ResourceWarning/)
}

function read(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8')
}

/** The Python programs of a section of the page. */
function programsOf(heading: string): readonly string[] {
  const [section = ''] = read('docs/python.md').split(`\n## ${heading}\n`).slice(1)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, program = '']) => program)
}

describe('the Python package', { skip: pythonAbsence }, () => {
  let sandbox: ServiceFixture
  let strict: ServiceFixture
  before(async () => {
    sandbox = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on' })
    strict = await ServiceFixture.start({ BILLHOOK_SANDBOX: 'on', BILLHOOK_STRICT: 'on' })
  })
  after(async () => {
    await strict.stop()
    await sandbox.stop()
  })

  test('passes its tests, those with a sandbox too', async () => {
    const urls = { BILLHOOK_URL: sandbox.url, BILLHOOK_STRICT_URL: strict.url }
    assertAllRan(await python(['-m', 'unittest', 'discover', '--start-directory', 'tests'], urls), 100)
  })

  test('leads a shop without a ledger to its first invoice, as its page says', async (t) => {
    const [identify = '', order = ''] = programsOf('Without a ledger')
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const [data, networks] = [join(place.path, 'data'), join(place.path, 'networks.json')]
    const entries = ['ethereum', 'tron'].flatMap((name) => JSON.parse(read(`docs/networks/${name}.json`)).networks)
    writeFileSync(networks, JSON.stringify({ networks: entries }))
    const service = await ServiceFixture.start({
      BILLHOOK_STRICT: 'on',
      BILLHOOK_ONBOARDING_NAME: 'shop.example',
      BILLHOOK_NETWORKS: networks,
      BILLHOOK_DATA: data,
    })
    t.after(() => service.stop())
    const owner = (await python(['-c', identify], {}, place.path)).trim()
    assert.match(owner, /^[0-9a-f]{64}$/)
    assert.equal(statSync(join(place.path, 'identity-phrase')).mode & 0o777, 0o600)
    const operate = async (...argv: readonly string[]) => {
      const { code, stderr } = await runInProcess([...argv, '--data', data], { cwd: place.path })
      assert.equal(code, 0, stderr)
    }
    await operate('identities', 'add', owner)
    writeFileSync(
      join(place.path, 'xpub'),
      HDKey.fromMasterSeed(randomBytes(32)).derive("m/44'/60'/0'").publicExtendedKey,
    )
    for (const network of ['ETH', 'TRX']) {
      await operate('wallets', 'derive', '--xpub', 'xpub', '--network', network, '--owner', owner, '--count', '2')
    }
    const told = await python(['-c', order.replace('http://127.0.0.1:8080', service.url)], {}, place.path)
    const [, id = ''] = /^Pay at http:\S+\/pay\/([0-9a-f]{32})\n$/.exec(told) ?? assert.fail(told)
    const page = (await service.get(`/pay/${id}`)).text
    for (const name of ['Ethereum (ERC20)', 'TRON (TRC20)']) assert.ok(page.includes(name), page)
  })

  test('has types that fit', { skip: pythonAbsence || missingModule('mypy') }, async () => {
    assertAllRan(await python(['tests/check_types.py']), 4)
  })
})
