import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asideOf, type DepositAside, WAITS } from '../../src/domain/aside.js'
import type { ChainOutcome, ChainStep } from '../../src/domain/block.js'
import { createLog } from '../../src/log.js'
import { DepositsAside } from '../../src/service/deposits-aside.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { depositFact } from '../support/fixtures.js'
import { ManualClock } from '../support/manual-clock.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const ROUND_MS = 1000
const RETRY_MS = 600_000
const MINUTE_MS = 60_000

/** Deposits that are set aside, of which some cannot be recorded. */
function setUp(...networks: readonly string[]) {
  const clock = new ManualClock()
  const scheduler = new ManualScheduler()
  let rows: readonly DepositAside[] = networks.map((network, i) =>
    asideOf(depositFact('confirmed', { network, txHash: `tx-${i}` }), 'a fault', 1),
  )
  const steps: string[] = []
  const lines: string[] = []
  const order: string[] = []
  const world = { faulty: new Set<string>(), failure: null as Error | null }
  const observe = async (step: ChainStep): Promise<ChainOutcome> => {
    assert.ok(step.type === 'retry')
    if (world.failure !== null) throw world.failure
    steps.push(`${step.network} ${step.deposits.length}`)
    order.splice(0, order.length, ...step.deposits.map(({ sighting }) => sighting.txHash))
    const reports = step.deposits.map(({ sighting: { txHash, index }, report }) => {
      const isFaulty = world.faulty.has(txHash)
      const outcome = isFaulty
        ? ({ status: 'rejected', error: 'set aside' } as const)
        : ({ status: 'applied' } as const)
      return { report, txHash, index, outcome }
    })
    rows = rows.filter(({ sighting }) => sighting.network !== step.network || world.faulty.has(sighting.txHash))
    return {
      status: 'applied',
      reports,
      repaired: 0,
      confirmedBlocksUndone: 0,
      confirmedDepositsDropped: 0,
      waiting: [],
    }
  }
  const work = new DepositsAside({
    ...{ aside: { deposits: () => rows }, intake: { observe }, clock, scheduler },
    log: createLog('debug', { write: (line) => lines.push(JSON.parse(line).msg) }),
  })
  work.start()
  return {
    ...{ work, steps, lines, order, world },
    /** They wait, each of a block of some height. */
    wait(heights: readonly number[]) {
      rows = rows.map((row, i) => ({ ...row, error: WAITS, since: clock.now(), height: heights[i] ?? null }))
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += ROUND_MS) {
        clock.advance(ROUND_MS)
        scheduler.pass(ROUND_MS)
        // The round is over when the next one is planned.
        while (scheduler.pending === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

describe('deposits that are set aside', () => {
  test('are counted and tried soon after the start, together by network, and then now and then', async () => {
    const t = setUp('SEP', 'TRX-NILE', 'SEP')
    t.world.faulty.add('tx-0')
    await t.pass(ROUND_MS)
    assert.deepEqual(t.steps.splice(0), ['SEP 2', 'TRX-NILE 1'])
    assert.deepEqual([...t.work.byNetwork()], [['SEP', 1]])
    await t.pass(RETRY_MS - ROUND_MS)
    assert.deepEqual(t.steps, [])
    await t.pass(ROUND_MS)
    assert.deepEqual(t.steps.splice(0), ['SEP 1'])
    t.world.faulty.clear()
    await t.pass(RETRY_MS)
    assert.deepEqual([t.steps, [...t.work.byNetwork()]], [['SEP 1'], []])
    assert.deepEqual(
      t.lines,
      Array.from({ length: 3 }, () => 'deposits that were set aside are recorded'),
    )
    await t.work.stop()
  })

  test('that wait are tried at once, in the order of the chain, until they are recorded, and are no trouble for a minute', async () => {
    const t = setUp('SEP', 'SEP')
    t.wait([7, 5])
    for (const txHash of ['tx-0', 'tx-1']) t.world.faulty.add(txHash)
    await t.pass(ROUND_MS)
    assert.deepEqual([t.steps.splice(0), t.order], [['SEP 2'], ['tx-1', 'tx-0']])
    assert.deepEqual([...t.work.byNetwork()], [])
    await t.pass(MINUTE_MS)
    assert.ok(t.steps.length >= MINUTE_MS / ROUND_MS)
    assert.deepEqual([...t.work.byNetwork()], [['SEP', 2]])
    t.world.faulty.clear()
    await t.pass(ROUND_MS)
    assert.deepEqual([t.lines, [...t.work.byNetwork()]], [[], []])
    await t.work.stop()
  })

  test('are tried a bounded number at a time', async () => {
    const t = setUp(...Array.from({ length: 120 }, () => 'SEP'))
    await t.pass(ROUND_MS)
    assert.equal(t.steps.length, 3)
    assert.equal(t.steps[0], 'SEP 50')
    await t.work.stop()
  })

  test('stay so while the store takes no writes', async () => {
    const t = setUp('SEP')
    t.world.failure = new StorageUnavailable(new Error('away'))
    await t.pass(ROUND_MS)
    assert.deepEqual([[...t.work.byNetwork()], t.steps], [[['SEP', 1]], []])
    assert.deepEqual(t.lines, ['deposits that were set aside cannot be tried again'])
    await t.work.stop()
  })
})
