import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readSettings } from '../../src/config.js'
import { pageNetworksOf } from '../../src/service/pages.js'
import { TEST_NETWORKS } from '../support/networks.js'

function factsOf(environment: Readonly<Record<string, string>>) {
  const read = readSettings([], environment)
  assert.ok('settings' in read, JSON.stringify(read))
  return pageNetworksOf(read.settings, TEST_NETWORKS)
}

describe('what the payment page knows of networks', () => {
  test('is an explorer for each, which a setting changes or switches off', () => {
    const facts = factsOf({ BILLHOOK_TRX_NILE_EXPLORER: 'off' })
    assert.equal(facts('SEP').explorer, 'https://sepolia.etherscan.io/tx/{txHash}')
    assert.equal(facts('TRX-NILE').explorer, null)
  })

  test('is no explorer in the sandbox, whatever the settings', () => {
    const facts = factsOf({ BILLHOOK_SANDBOX: 'on', BILLHOOK_SEP_EXPLORER: 'https://explorer.example/{txHash}' })
    assert.deepEqual([facts('SEP').explorer, facts('TRX-NILE').explorer], [null, null])
  })

  test('is how many confirmations a deposit needs, where a number decides', () => {
    assert.equal(factsOf({ BILLHOOK_SEP_CONFIRMATIONS: '7' })('SEP').confirmations, 7)
    assert.equal(factsOf({ BILLHOOK_SEP_CONFIRMATIONS: 'finalized' })('SEP').confirmations, null)
    assert.equal(factsOf({})('TRX-NILE').confirmations, null)
  })
})
