import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anvilAbsence } from '../../support/anvil.js'
import { CATALOGUE } from '../../support/catalogue.js'
import { EthereumChain } from '../../support/ethereum-chain.js'
import { playNodeHistory } from './node-history.js'

/** With this flag the node calls a block safe under 4 others, and final under 8. */
const EPOCH_SLOTS = '4'
/** The states that a reorganisation may go back to must be in memory. */
const FLAGS = ['--slots-in-an-epoch', EPOCH_SLOTS, '--prune-history', '256']

describe('Ethereum reader of a restless chain with faulty nodes', { skip: anvilAbsence }, () => {
  const entries = CATALOGUE.filter((entry) => entry.kind === 'evm')
  for (const [i, entry] of entries.entries()) {
    test(`${entry.id}, seed ${i + 1}: whatever it tells is true`, async (t) => {
      const chain = await EthereumChain.start(FLAGS, String(entry.chainId))
      t.after(() => chain.stop())
      const answered = await playNodeHistory(chain, entry, i + 1)
      t.diagnostic(JSON.stringify(answered))
      for (const [kind, count] of Object.entries(answered)) assert.ok(count > 0, `no ${kind} was answered`)
    })
  }
})
