import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anvilAbsence } from '../../support/anvil.js'
import { measureCatchUp } from './catch-up.js'

test('catching up takes far fewer requests than blocks', { skip: anvilAbsence }, async () => {
  const figures = await measureCatchUp({ blocks: 300, wallets: 100, deposits: 60, headBlocks: 10 })
  assert.equal(figures.deposits, 60)
  assert.ok(figures.blocks >= 300)
  assert.ok(figures.requestsPerBlock < 0.3, `${figures.requestsPerBlock} requests for each block`)
  assert.ok(figures.callsPerBlock >= 1 && figures.callsPerBlock <= 2, `${figures.callsPerBlock} calls for each block`)
  assert.ok(figures.headRequestsPerBlock >= 1 && figures.headRequestsPerBlock <= 2)
})
