import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { playNodeHistory } from '../networks/ethereum/node-history.js'
import { CATALOGUE } from '../support/catalogue.js'
import { IMPLEMENTATIONS, implementationsAbsence } from './implementations.js'
import { Site } from './site.js'

const SEED = 1
/** A node that is written in JavaScript takes a second for each step, and the one that is a client of the network four. */
const STEPS: Readonly<Record<string, number>> = { Hardhat: 10, Ganache: 10, EthereumJS: 5 }

describe('Ethereum reader of a restless chain on other implementations', { skip: implementationsAbsence }, () => {
  const entries = CATALOGUE.filter((entry) => entry.kind === 'evm')
  for (const implementation of IMPLEMENTATIONS) {
    // Where the newest block is final already, only a number of blocks can confirm.
    const id = implementation.hasFinality ? 'ETH' : 'SEP'
    test(`${implementation.name}, ${id}: whatever it tells is true`, async (t) => {
      const entry = entries.find((each) => each.id === id) ?? assert.fail()
      const site = await Site.start(implementation, entry.chainId)
      t.after(() => site.stop())
      const answered = await playNodeHistory(site.chain, entry, SEED, STEPS[implementation.name] ?? assert.fail())
      t.diagnostic(JSON.stringify(answered))
      for (const [kind, count] of Object.entries(answered)) assert.ok(count > 0, `no ${kind} was answered`)
    })
  }
})
