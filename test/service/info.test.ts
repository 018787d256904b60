import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { VERSION } from '../../src/version.js'
import { ServiceFixture } from '../support/service-fixture.js'

async function infoWith(settings: Readonly<Record<string, string>>) {
  const fixture = await ServiceFixture.start(settings)
  try {
    const { status, json } = await fixture.get('/api/info')
    assert.equal(status, 200)
    return { json, sandbox: (await fixture.get('/sandbox')).json }
  } finally {
    await fixture.stop()
  }
}

const OTHER_TOKEN = '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0'
const SEP = {
  id: 'SEP',
  name: 'Ethereum Sepolia',
  symbol: 'ETH',
  token: null,
  decimals: 6,
  tokens: [{ symbol: 'USDT', contract: null, decimals: 6 }],
  claim: 'sep/eth',
  testnet: true,
}
const NILE = { ...SEP, id: 'TRX-NILE', name: 'TRON Nile', symbol: 'TRX', claim: 'niles/trx' }

describe('GET /api/info', () => {
  test('says what a client of an ordinary service must know', async () => {
    const { json } = await infoWith({})
    assert.deepEqual(json, { version: VERSION, strict: false, unsigned: 'on', networks: [SEP, NILE], ledger: null })
  })

  test('is open in strict mode, in which nothing is unsigned', async () => {
    const { json } = await infoWith({ BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: 'acme' })
    assert.deepEqual([json.strict, json.unsigned, json.ledger], [true, 'off', null])
  })

  test('names the ledger, tokens and decimals that the operator has set', async () => {
    const { json } = await infoWith({
      BILLHOOK_UNSIGNED: 'same-origin',
      BILLHOOK_LEDGER_NODES: 'https://a.example:5260,https://b.example/node',
      BILLHOOK_LEDGER_CONTRACTS: 'assign=shop/9be1,onboard=shop/3f2a',
      BILLHOOK_ONBOARDING_NAME: 'acme',
      BILLHOOK_SEP_TOKEN: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
      BILLHOOK_SEP_TOKEN_DECIMALS: '18',
      BILLHOOK_SEP_TOKENS: `USDC:${OTHER_TOKEN}:6`,
    })
    assert.equal(json.unsigned, 'same-origin')
    assert.deepEqual(json.ledger, {
      namespace: 'shop',
      contracts: { onboard: '3f2a', assignOwner: '9be1' },
      onboardingName: 'acme',
      nodes: ['https://a.example:5260', 'https://b.example/node'],
    })
    const [first] = json.networks
    assert.deepEqual([first.token, first.decimals], ['0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 18])
    assert.deepEqual(first.tokens, [
      { symbol: 'USDT', contract: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', decimals: 18 },
      { symbol: 'USDC', contract: OTHER_TOKEN, decimals: 6 },
    ])
  })

  test('names the simulated ledger in a sandbox', async () => {
    const { json, sandbox } = await infoWith({ BILLHOOK_SANDBOX: 'on' })
    const { namespace, contracts, onboardingName, nodeUrl } = sandbox
    const { onboard, assignOwner } = contracts
    assert.deepEqual(json.ledger, { namespace, contracts: { onboard, assignOwner }, onboardingName, nodes: [nodeUrl] })
  })
})
