import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type Environment, readSettings } from '../../src/config.js'
import { startWarnings, warnOfLedger } from '../../src/service/start-warnings.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const GATEWAY = { BILLHOOK_GATEWAY_SECRET: '0123456789abcdef' }
const STRICT = { BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: 'name' }
const LEDGER = {
  BILLHOOK_LEDGER_URL: 'http://10.0.0.1',
  BILLHOOK_LEDGER_STORE_URL: 'http://10.0.0.1',
  BILLHOOK_LEDGER_FOLLOW: 'assign=shop/9be1',
}
const NODES = { BILLHOOK_SEP_URLS: 'http://10.0.0.1', BILLHOOK_SEP_TOKEN: '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0' }

const TLS = { BILLHOOK_TLS_CERT: 'certificate.pem', BILLHOOK_TLS_KEY: 'key.pem' }
const clientsPostTo = (nodes: string) => ({
  ...GATEWAY,
  ...STRICT,
  BILLHOOK_LEDGER_NODES: nodes,
  BILLHOOK_LEDGER_CONTRACTS: 'onboard=shop/3f2a,assign=shop/9be1',
})

const PLAIN_NODES = /over plain HTTP, .* https URLs in BILLHOOK_LEDGER_NODES instead of http:\/\/a\.example:5260 \(/
const EXPOSED = /^others can reach this service/
const SHARED = /^BILLHOOK_UNDERPAYMENT accepts invoices by itself, and where several share a wallet/
const NO_WALLETS = /^nothing reports wallet addresses to this service/

describe('at its start the service warns', () => {
  const rows: readonly (readonly [environment: Environment, ...warnings: RegExp[]])[] = [
    [GATEWAY],
    [{ BILLHOOK_SANDBOX: 'on' }],
    [{ ...LEDGER, ...NODES }, NO_WALLETS],
    [{ ...LEDGER, ...GATEWAY }],
    [{ ...GATEWAY, BILLHOOK_HOST: '0.0.0.0' }, EXPOSED],
    [{ ...GATEWAY, BILLHOOK_TRUSTED_PROXIES: '127.0.0.1/32' }, EXPOSED],
    [{ ...GATEWAY, BILLHOOK_PUBLIC_URL: 'https://pay.example' }, EXPOSED],
    [{ ...GATEWAY, BILLHOOK_PUBLIC_URL: 'http://localhost:8080' }],
    [{ ...GATEWAY, ...STRICT, BILLHOOK_HOST: '0.0.0.0', BILLHOOK_PUBLIC_URL: 'https://pay.example' }],
    [{}, NO_WALLETS],
    [NODES, NO_WALLETS],
    [LEDGER, NO_WALLETS],
    [{ BILLHOOK_HOST: '0.0.0.0' }, EXPOSED, NO_WALLETS],
    [
      { ...clientsPostTo('http://a.example:5260,https://b.example'), BILLHOOK_PUBLIC_URL: 'https://pay.example' },
      PLAIN_NODES,
    ],
    [{ ...clientsPostTo('http://a.example:5260'), ...TLS }, PLAIN_NODES],
    [{ ...clientsPostTo('http://a.example:5260'), ...TLS, BILLHOOK_PUBLIC_URL: 'http://pay.example' }],
    [{ ...clientsPostTo('http://a.example:5260') }],
    [{ ...clientsPostTo('https://b.example'), BILLHOOK_PUBLIC_URL: 'https://pay.example' }],
    [{ ...GATEWAY, BILLHOOK_UNDERPAYMENT: '0.5' }, SHARED],
    [{ ...GATEWAY, BILLHOOK_UNDERPAYMENT: '0.5', BILLHOOK_SHARED_WALLETS: 'off' }],
  ]
  for (const [environment, ...expected] of rows) {
    test(`with ${JSON.stringify(environment)}: ${expected.length === 0 ? 'of nothing' : expected.join()}`, () => {
      const read = readSettings([], environment)
      assert.ok('settings' in read, JSON.stringify(read))
      const warnings = startWarnings(read.settings, false)
      assert.equal(warnings.length, expected.length, warnings.join('\n'))
      for (const [i, pattern] of expected.entries()) assert.match(warnings[i] ?? '', pattern)
      for (const warning of warnings) assert.ok(!warning.includes('\n'))
    })
  }
})

describe('that nobody reports deposits of a network', () => {
  const directory = temporaryDirectory()
  after(() => directory.remove())
  const FILE = join(directory.path, 'networks.json')
  const entry = (id: string, more: object = {}) => ({
    ...{ id, kind: 'evm', name: id, claim: `${id.toLowerCase()}/eth`, chainId: 31337, symbol: 'ETH', ...more },
    token: { symbol: 'USDT', contract: '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0', decimals: 6 },
  })
  writeFileSync(
    FILE,
    JSON.stringify({ networks: [entry('ETH', { urls: ['http://10.0.0.1'] }), entry('OP'), entry('TWO')] }),
  )
  const SILENT = /^nothing reports deposits of OP, TWO to this service/

  for (const [more, isSaid] of [
    [{}, true],
    [GATEWAY, false],
  ] as const) {
    test(`the service ${isSaid ? 'says' : 'does not say'} with ${JSON.stringify(more)}`, () => {
      const read = readSettings([], { BILLHOOK_NETWORKS: FILE, ...more })
      assert.ok('settings' in read, JSON.stringify(read))
      const said = startWarnings(read.settings, true).filter((warning) =>
        warning.startsWith('nothing reports deposits'),
      )
      assert.equal(said.length, isSaid ? 1 : 0)
      if (isSaid) assert.match(said[0] ?? '', SILENT)
    })
  }
})

describe('that no wallets come the service does not say', () => {
  const rows: readonly (readonly [environment: Environment, isSaid: boolean])[] = [
    [{}, false],
    [NODES, false],
    // Its wallets belong to the ledger, which somebody has to report.
    [LEDGER, true],
  ]
  for (const [environment, isSaid] of rows) {
    test(`when its store has wallets and the settings ${JSON.stringify(environment)} name ${isSaid ? 'a' : 'no'} ledger${isSaid ? ': then it does' : ''}`, () => {
      const read = readSettings([], environment)
      assert.ok('settings' in read, JSON.stringify(read))
      const warnings = startWarnings(read.settings, true)
      assert.equal(
        warnings.some((warning) => NO_WALLETS.test(warning)),
        isSaid,
      )
    })
  }
})

describe('about its ledger the service warns', () => {
  const NEVER = new AbortController().signal

  async function warned(environment: Environment, stop = NEVER): Promise<readonly string[]> {
    const read = readSettings([], environment)
    assert.ok('settings' in read, JSON.stringify(read))
    const warnings: string[] = []
    const warn = (...line: readonly unknown[]) => void warnings.push(line.join(' '))
    await warnOfLedger(read.settings, { warn }, stop)
    return warnings
  }

  const DEAD = { ...LEDGER, BILLHOOK_LEDGER_URL: 'http://127.0.0.1:1', BILLHOOK_LEDGER_STORE_URL: 'http://127.0.0.1:2' }

  test('of what the doctor would find', async () => {
    const warnings = await warned(DEAD)
    assert.equal(warnings.length, 3, warnings.join('\n'))
    assert.match(warnings[0] ?? '', /^the ledger: http:\/\/127.0.0.1:1 does not answer as a read API/)
    assert.match(warnings[1] ?? '', /^the ledger: http:\/\/127.0.0.1:2 does not answer as a store/)
    assert.match(warnings[2] ?? '', /^the ledger: assign=shop\/9be1 cannot be proved/)
  })

  test('of nothing without one, and when it is stopped meanwhile', async () => {
    assert.deepEqual(await warned(GATEWAY), [])
    assert.deepEqual(await warned(DEAD, AbortSignal.abort()), [])
  })
})
