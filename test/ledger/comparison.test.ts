import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMPARED_ROWS, LedgerComparison } from '../../src/ledger/comparison.js'
import { FollowerMemory } from '../../src/ledger/follower-memory.js'
import { FollowerRecord } from '../../src/ledger/follower-state.js'
import { TransactionIntake } from '../../src/ledger/transaction-intake.js'
import { createLog } from '../../src/log.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'
import {
  assignTx,
  FOLLOWED,
  OVERLAP_MS,
  POLL_MS,
  quickEngine,
  ScriptedLedger,
  ScriptedService,
} from './follower-fixture.js'

test('a comparison to the end of the listing goes on behind the window, however many steps that takes', async () => {
  const [ledger, service, clock, log] = [
    new ScriptedLedger(),
    new ScriptedService(),
    new ManualClock(),
    createLog('silent'),
  ]
  const count = 3 * COMPARED_ROWS
  for (let i = 0; i < count; i += 1) ledger.commit(START_MS + i, assignTx(`w${i}`, `owner${i}`))
  const windowMs = START_MS + 10
  const progress = { origin: 'o', newestMs: windowMs, windowMs, comparingMs: null, comparedAtMs: 0 }
  const memory = new FollowerMemory(
    { progress, taken: [], setAside: [] },
    { ledger: service.ledger, overlapMs: OVERLAP_MS, clock, log },
  )
  const intake = new TransactionIntake({
    ...{ source: ledger, followed: FOLLOWED, engine: quickEngine, memory, pollMs: POLL_MS, clock, log },
    ledger: service.ledger,
    apply: (events) => service.apply(events),
    record: new FollowerRecord(clock),
    isStopped: () => false,
  })
  const comparison = new LedgerComparison({ source: ledger, memory, intake, fromMs: 0, end: 'listing' })
  while ((await comparison.step()) === 'more');
  assert.deepEqual(comparison.counts, { listed: count, transactions: count, missed: 10, recent: count - 10 })
  assert.equal(service.applied.length, count)
})
