import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type BlockAside, type DepositAside, failedAgain, nameOf, SET_ASIDE } from '../../../src/domain/aside.js'
import {
  type ChainOutcome,
  type ChainStep,
  CONFIRMED_BLOCKS_KEPT,
  type ObservedBlock,
  type ObservedTransfer,
} from '../../../src/domain/block.js'
import type { DepositReport } from '../../../src/domain/deposit.js'
import { type StepAside, TrialPassed } from '../../../src/store/commands.js'
import { addressOf, depositFact } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const network = 'SEP'
const ERROR = 'a fault of the recorder'
const REASON = 'a: malformed; b: no answer'

function transfer(txHash: string, fields: Partial<ObservedTransfer> = {}): ObservedTransfer {
  return { txHash, index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '100', ...fields }
}

function block(height: number, ...transfers: readonly (string | ObservedTransfer)[]): ObservedBlock {
  const timeMs = START_MS + height * 12_000
  const read = transfers.map((one) => (typeof one === 'string' ? transfer(one) : one))
  return { height, hash: `a${height}`, parentHash: `a${height - 1}`, timeMs, timeEndMs: timeMs, transfers: read }
}

function append(isConfirmed: boolean, ...blocks: readonly ObservedBlock[]): ChainStep {
  return { type: 'append', network, blocks, isConfirmed, seenAtMs: START_MS }
}
const confirm = (...blocks: readonly ObservedBlock[]): ChainStep => ({ type: 'confirm', network, blocks })
const undo = (above: number): ChainStep => ({ type: 'undo', network, above })
const recover = (one: ObservedBlock): ChainStep => ({ type: 'recover', network, blocks: [one] })
const failed = (height: number): BlockAside => failedAgain(undefined, { network, height, reason: REASON }, START_MS)
const unreadable = (height: number): ChainStep => ({ type: 'unreadable', network, aside: failed(height) })

function setAside(height: number): ChainStep {
  const { transfers: _, timeEndMs: __, ...head } = block(height)
  return { type: 'set_aside', network, block: head, aside: failed(height) }
}

async function take(t: Scenario, step: ChainStep, aside?: StepAside): Promise<ChainOutcome> {
  const result = await t.perform({ type: 'chain', step, ...(aside === undefined ? {} : { aside }) })
  return result.type === 'chain' ? result.outcome : assert.fail()
}

async function takeAll(t: Scenario, ...steps: readonly ChainStep[]): Promise<void> {
  for (const step of steps) {
    const outcome = await take(t, step)
    assert.equal(outcome.status, 'applied', step.type)
  }
}

/** Takes a step in which the recording of some deposits fails. */
function without(t: Scenario, step: ChainStep, ...txHashes: readonly string[]): Promise<ChainOutcome> {
  return take(t, step, new Map(txHashes.map((txHash) => [nameOf({ txHash, index: 0 }), ERROR])))
}

async function kinds(t: Scenario, ...txHashes: readonly string[]): Promise<readonly (DepositReport | undefined)[]> {
  const found = await Promise.all(txHashes.map((txHash) => t.store.deposits.find(network, txHash, 0)))
  return found.map((one) => one?.kind)
}

async function heights(t: Scenario): Promise<readonly (readonly [number, string | null])[]> {
  return (await t.store.aside.blocks(network)).map(({ height, hash }) => [height, hash] as const)
}

async function reports(t: Scenario): Promise<readonly unknown[]> {
  return (await t.store.aside.deposits())
    .map(({ sighting, report, height }) => [sighting.txHash, report, height])
    .sort()
}

async function retryAll(t: Scenario): Promise<ChainOutcome> {
  return take(t, { type: 'retry', network, deposits: await t.store.aside.deposits() })
}

/** Blocks and deposits that were set aside. */
export function describeAside(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.own('alice', 'wallet-1')
        await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/' })
        t.clock.advance(1)
        await run(t)
      }),
    )

  describe('a block that no node can give', () => {
    scenario('is waited for, also by another process, until it is read', async (t) => {
      await takeAll(t, append(true, block(5)), unreadable(6))
      await t.harness.reopen()
      assert.deepEqual(await t.store.aside.blocks(network), [failed(6)])
      assert.deepEqual(await t.store.aside.blocks('TRX-NILE'), [])
      const again = failedAgain(failed(6), { network, height: 6, reason: 'b' }, START_MS + 1000)
      await takeAll(t, { type: 'unreadable', network, aside: again })
      assert.deepEqual(await t.store.aside.blocks(network), [again])
      await takeAll(t, append(false, block(6, 'x')))
      assert.deepEqual(await heights(t), [])
      await takeAll(t, unreadable(6), confirm(block(6, 'x')))
      assert.deepEqual(await heights(t), [])
    })

    scenario('is waited for while others below it are confirmed', async (t) => {
      await takeAll(t, append(true, block(5)), append(false, block(6), block(7)), unreadable(7), confirm(block(6)))
      assert.deepEqual(await heights(t), [[7, null]])
    })

    scenario('is set aside in place of the next one, and its deposits come when it is read', async (t) => {
      await takeAll(t, append(true, block(5)), unreadable(6), setAside(6), append(true, block(7, 'y')))
      assert.deepEqual(await heights(t), [[6, 'a6']])
      assert.equal((await t.store.chain.position(network))?.confirmed, 7)
      await t.harness.reopen()
      const owedBefore = (await t.store.outbox.depth()).queued
      await takeAll(t, recover(block(6, 'x')))
      assert.deepEqual(await kinds(t, 'x', 'y'), ['confirmed', 'confirmed'])
      assert.equal((await t.store.deposits.find(network, 'x', 0))?.receivedAt, block(6).timeMs)
      assert.equal((await t.store.outbox.depth()).queued, owedBefore + 2)
      assert.deepEqual(await heights(t), [])
      assert.deepEqual(await take(t, recover(block(6, 'x'))), { status: 'refused', reason: 'not_aside' })
      // They live and die with the block.
      await takeAll(t, undo(5))
      assert.deepEqual(await kinds(t, 'x', 'y'), ['dropped', 'dropped'])
    })

    scenario('may be the very first one', async (t) => {
      await takeAll(t, setAside(6), append(true, block(7)))
      assert.deepEqual(await t.store.chain.position(network), {
        tip: { height: 7, hash: 'a7', parentHash: 'a6', timeMs: block(7).timeMs },
        confirmed: 7,
        oldest: 6,
      })
    })

    scenario('is set aside when it is to be confirmed: what was read from it before stays pending', async (t) => {
      const known = [block(6, 'x', 'gone'), block(7, 'y')] as const
      await takeAll(t, append(true, block(5)), append(false, ...known), setAside(6), confirm(known[1]))
      assert.deepEqual(await kinds(t, 'x', 'gone', 'y'), ['pending', 'pending', 'confirmed'])
      await takeAll(t, recover(block(6, 'x', 'new')))
      assert.deepEqual(await kinds(t, 'x', 'gone', 'new'), ['confirmed', 'dropped', 'confirmed'])
    })

    scenario('is read long after it was: what was pending is confirmed or dropped then, too', async (t) => {
      await takeAll(t, append(true, block(5)), append(false, block(6, 'x', 'gone', 'moved')), setAside(6))
      const count = CONFIRMED_BLOCKS_KEPT + 100
      for (let from = 7; from < 7 + count; from += 100) {
        await takeAll(t, append(true, ...Array.from({ length: 100 }, (_, i) => block(from + i))))
      }
      assert.equal(await t.store.chain.blockAt(network, 6), undefined)
      await t.deposit('confirmed', { txHash: 'moved', currency: '#native', amount: '100' })
      await takeAll(t, recover(block(6, 'x', 'new')))
      assert.deepEqual(await kinds(t, 'x', 'gone', 'new', 'moved'), ['confirmed', 'dropped', 'confirmed', 'confirmed'])
      assert.deepEqual(await heights(t), [])
    })

    scenario('takes what a higher block was wrongly said to have, although it is not kept any more', async (t) => {
      await takeAll(t, append(true, block(5)), setAside(6))
      const last = 6 + CONFIRMED_BLOCKS_KEPT + 1
      for (let from = 7; from <= last; from += 100) {
        const to = Math.min(from + 100, last + 1)
        await takeAll(t, append(true, ...Array.from({ length: to - from }, (_, i) => block(from + i))))
      }
      assert.equal(await t.store.chain.blockAt(network, 6), undefined)
      await takeAll(t, append(true, block(last + 1, 'x')), recover(block(6, 'x')))
      // Of its own block now, it stays when the other one disappears.
      await takeAll(t, undo(last))
      assert.deepEqual(await kinds(t, 'x'), ['confirmed'])
      assert.equal((await t.store.deposits.find(network, 'x', 0))?.receivedAt, block(6).timeMs)
    })

    const refused: readonly (readonly [string, ChainStep, string])[] = [
      ['behind a gap', setAside(9), 'not_next'],
      ['that is confirmed', setAside(5), 'not_next'],
      ['behind unconfirmed ones', setAside(8), 'not_next'],
      [
        'that is another one than was read before',
        { type: 'set_aside', network, block: { ...block(6), hash: 'b6' }, aside: failed(6) },
        'not_same',
      ],
      ['that was never set aside', recover(block(6, 'z')), 'not_aside'],
    ]
    for (const [what, step, reason] of refused) {
      scenario(`${what} is refused`, async (t) => {
        await takeAll(t, append(true, block(5)), append(false, block(6), block(7)), unreadable(6))
        const before = await t.store.aside.blocks(network)
        assert.deepEqual(await take(t, step), { status: 'refused', reason })
        assert.deepEqual([await t.store.aside.blocks(network), await kinds(t, 'z')], [before, [undefined]])
      })
    }

    scenario('is forgotten when it leaves the chain, or all is forgotten', async (t) => {
      await takeAll(t, append(true, block(5)), setAside(6), setAside(7), unreadable(8), undo(6))
      // What is waited for is of no branch.
      assert.deepEqual(await heights(t), [
        [6, 'a6'],
        [8, null],
      ])
      await takeAll(t, { type: 'forget', network })
      assert.deepEqual(await heights(t), [])
    })

    scenario('stays set aside when somebody still waits for it', async (t) => {
      await takeAll(t, append(true, block(5)), setAside(6))
      const before = await t.store.aside.blocks(network)
      await takeAll(t, unreadable(6))
      assert.deepEqual(await t.store.aside.blocks(network), before)
    })

    scenario('that is another one when it is read is not taken', async (t) => {
      await takeAll(t, append(true, block(5)), setAside(6))
      const other = { ...block(6, 'x'), hash: 'b6' }
      assert.deepEqual(await take(t, recover(other)), { status: 'refused', reason: 'not_aside' })
      assert.deepEqual([await heights(t), await kinds(t, 'x')], [[[6, 'a6']], [undefined]])
    })
  })

  describe('a block of which a transaction is untold', () => {
    const REST = transfer('bad', { index: 2 ** 31 })
    const partly = (...transfers: readonly (string | ObservedTransfer)[]): ObservedBlock => {
      return { ...block(6, ...transfers), untold: { txHashes: ['bad'], reason: 'a: timeout' } }
    }
    const restKind = async (t: Scenario) => (await t.store.deposits.find(network, 'bad', REST.index))?.kind

    scenario('has its other deposits at once, and the rest when it is read', async (t) => {
      await takeAll(t, append(true, block(5)), append(true, partly('x', 'bad')), append(true, block(7, 'y')))
      assert.deepEqual(await kinds(t, 'x', 'bad', 'y'), ['confirmed', 'confirmed', 'confirmed'])
      const [aside] = await t.store.aside.blocks(network)
      assert.deepEqual([aside?.height, aside?.hash, aside?.deposits], [6, 'a6', []])
      assert.match(aside?.reason ?? '', /^only what contracts send in transaction bad is not known: a: timeout$/)
      await t.harness.reopen()
      await takeAll(t, recover(block(6, 'x', 'bad', REST)))
      assert.deepEqual([await heights(t), await restKind(t)], [[], 'confirmed'])
      assert.deepEqual(await kinds(t, 'x', 'bad'), ['confirmed', 'confirmed'])
      await takeAll(t, undo(5))
      assert.deepEqual([await kinds(t, 'x', 'bad'), await restKind(t)], [['dropped', 'dropped'], 'dropped'])
    })

    scenario('is confirmed while what was told of the transaction before stays pending', async (t) => {
      await takeAll(t, append(true, block(5)), append(false, block(6, 'x', 'gone', REST)), unreadable(6))
      await takeAll(t, confirm(partly('x', 'new')))
      assert.deepEqual(await kinds(t, 'x', 'gone', 'new'), ['confirmed', 'dropped', 'confirmed'])
      assert.deepEqual([await restKind(t), await heights(t)], ['pending', [[6, 'a6']]])
      const [aside] = await t.store.aside.blocks(network)
      assert.deepEqual(aside?.deposits, [{ txHash: 'bad', index: REST.index }])
      // It is still the block's.
      await t.harness.reopen()
      await takeAll(t, recover(block(6, 'x', 'new', REST)))
      assert.deepEqual([await restKind(t), await heights(t)], ['confirmed', []])
    })

    scenario('is still set aside when it is read in part again, since the same moment', async (t) => {
      await takeAll(t, append(true, block(5)), append(true, partly('x')))
      const [before] = await t.store.aside.blocks(network)
      t.clock.advance(60_000)
      await takeAll(t, recover(partly('x', 'more')))
      const [after] = await t.store.aside.blocks(network)
      assert.deepEqual([after?.since, after?.hash], [before?.since, 'a6'])
      assert.deepEqual(await kinds(t, 'x', 'more'), ['confirmed', 'confirmed'])
      await takeAll(t, recover(block(6, 'x', 'more')))
      assert.deepEqual([await restKind(t), await heights(t)], [undefined, []])
    })

    scenario('is not set aside while it is not confirmed', async (t) => {
      await takeAll(t, append(true, block(5)), append(false, partly('x')))
      assert.deepEqual([await kinds(t, 'x'), await heights(t)], [['pending'], []])
      await takeAll(t, confirm(block(6, 'x', REST)))
      assert.deepEqual([await restKind(t), await heights(t)], ['confirmed', []])
    })

    scenario('is over when somebody has settled it, and what was told before stays as it is', async (t) => {
      await takeAll(t, append(true, block(5)), append(false, block(6, REST)), confirm(partly('x')))
      await takeAll(t, { type: 'recover', network, blocks: [partly('x', 'y')], isSettled: true })
      assert.deepEqual([await heights(t), await restKind(t)], [[], 'pending'])
      assert.deepEqual(await kinds(t, 'x', 'y'), ['confirmed', 'confirmed'])
    })

    scenario('drops what was told of the transaction before and is not true', async (t) => {
      await takeAll(t, append(true, block(5)), append(false, block(6, REST)), confirm(partly()))
      assert.equal(await restKind(t), 'pending')
      await takeAll(t, recover(block(6)))
      assert.deepEqual([await restKind(t), await heights(t)], ['dropped', []])
    })
  })

  describe('a deposit whose recording fails', () => {
    scenario('is kept aside, and the rest of its step is taken', async (t) => {
      const outcome = await without(t, append(true, block(5, 'x', 'y')), 'x')
      assert.ok(outcome.status === 'applied')
      assert.deepEqual(
        outcome.reports.map(({ txHash, outcome: { status } }) => [txHash, status]),
        [
          ['x', 'rejected'],
          ['y', 'applied'],
        ],
      )
      await t.harness.reopen()
      assert.deepEqual(await kinds(t, 'x', 'y'), [undefined, 'confirmed'])
      const expected: DepositAside = {
        sighting: { network, ...transfer('x'), receivedAt: block(5).timeMs },
        report: 'confirmed',
        height: 5,
        error: ERROR,
        since: t.clock.now(),
      }
      assert.deepEqual(await t.store.aside.deposits(), [expected])
    })

    scenario('is recorded when it is tried again, once, and lives and dies with its block', async (t) => {
      await takeAll(t, append(true, block(4)))
      await without(t, append(true, block(5, 'x', 'y')), 'x')
      const stale = await t.store.aside.deposits()
      assert.equal((await retryAll(t)).status, 'applied')
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [['confirmed'], []])
      const again = await take(t, { type: 'retry', network, deposits: stale })
      assert.deepEqual(again.status === 'applied' ? again.reports : again, [])
      await takeAll(t, undo(4))
      assert.deepEqual(await kinds(t, 'x', 'y'), ['dropped', 'dropped'])
    })

    scenario('stays aside while it fails, as of its first failure', async (t) => {
      await without(t, append(true, block(5, 'x')), 'x')
      const [first] = await t.store.aside.deposits()
      t.clock.advance(60_000)
      await without(t, { type: 'retry', network, deposits: await t.store.aside.deposits() }, 'x')
      assert.deepEqual(await t.store.aside.deposits(), [first])
    })

    scenario('is confirmed with its block, whether it fails again or not', async (t) => {
      await takeAll(t, append(true, block(4)))
      await without(t, append(false, block(5, 'x', 'y')), 'x', 'y')
      assert.deepEqual(await reports(t), [
        ['x', 'pending', 5],
        ['y', 'pending', 5],
      ])
      await without(t, confirm(block(5, 'x', 'y')), 'y')
      assert.deepEqual(
        [await kinds(t, 'x', 'y'), await reports(t)],
        [['confirmed', undefined], [['y', 'confirmed', 5]]],
      )
    })

    scenario('that is pending already stays so until its confirmation is recorded', async (t) => {
      await takeAll(t, append(true, block(4)), append(false, block(5, 'x')))
      await without(t, confirm(block(5, 'x')), 'x')
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [['pending'], [['x', 'confirmed', 5]]])
      // It is still the block's: it disappears with it.
      await takeAll(t, undo(4))
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [['dropped'], []])
    })

    scenario('whose block leaves the chain is nothing any more', async (t) => {
      await takeAll(t, append(true, block(4)))
      await without(t, append(true, block(5, 'x')), 'x')
      await takeAll(t, undo(4))
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [[undefined], []])
    })

    scenario('that cannot be dropped with its block is dropped later', async (t) => {
      await takeAll(t, append(true, block(4)), append(true, block(5, 'x')))
      await without(t, undo(4), 'x')
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [['confirmed'], [['x', 'dropped', null]]])
      await retryAll(t)
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [['dropped'], []])
    })

    scenario('that could not be dropped and has come again is not dropped later', async (t) => {
      await takeAll(t, append(true, block(4)), append(true, block(5, 'x')))
      await without(t, undo(4), 'x')
      const stale = await t.store.aside.deposits()
      await takeAll(t, append(false, block(5, 'x')))
      assert.deepEqual(await reports(t), [])
      await take(t, { type: 'retry', network, deposits: stale })
      assert.deepEqual(await kinds(t, 'x'), ['confirmed'])
    })

    scenario('outside of blocks keeps its last report, which a pending one does not replace', async (t) => {
      const report = async (what: DepositReport, aside?: string) => {
        const fact = depositFact(what, { txHash: 'x' })
        const event = { type: 'deposit', eventId: `${what} ${aside}`, fact } as const
        return (await t.perform(aside === undefined ? event : { ...event, aside })) as { readonly outcome: unknown }
      }
      assert.deepEqual((await report('pending', ERROR)).outcome, SET_ASIDE)
      assert.deepEqual((await report('pending', ERROR)).outcome, SET_ASIDE)
      await report('confirmed', ERROR)
      await report('pending')
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [['pending'], [['x', 'confirmed', null]]])
      await retryAll(t)
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [['confirmed'], []])
      await report('dropped', ERROR)
      await report('confirmed')
      assert.deepEqual([await kinds(t, 'x'), await reports(t)], [['confirmed'], []])
    })

    scenario('is tried again in vain where another report is right by now', async (t) => {
      await without(t, append(false, block(5, 'x')), 'x')
      await t.deposit('pending', { txHash: 'x', currency: '#native', amount: '7' })
      assert.deepEqual(await reports(t), [])
    })

    scenario('of a confirmed block is right where another report differs', async (t) => {
      await without(t, append(true, block(5, 'x')), 'x')
      await t.deposit('pending', { txHash: 'x', currency: '#native', amount: '7' })
      assert.deepEqual(await reports(t), [['x', 'confirmed', 5]])
      await retryAll(t)
      const { kind, amount } = present(await t.store.deposits.find(network, 'x', 0))
      assert.deepEqual([kind, amount, await reports(t)], ['confirmed', '100', []])
    })
  })

  describe('a trial of a step', () => {
    scenario('changes nothing, and tells whether it can be taken', async (t) => {
      await takeAll(t, append(true, block(4)))
      const state = async () => [await t.snapshot(), await t.store.chain.position(network), await reports(t)]
      const before = await state()
      const step = append(true, block(5, 'x', 'y'))
      const aside: StepAside = new Map([[nameOf({ txHash: 'x', index: 0 }), null]])
      await assert.rejects(t.perform({ type: 'chain', step, aside, isTrial: true }), TrialPassed)
      assert.deepEqual(await state(), before)
      t.harness.failIds(new Error(ERROR))
      await assert.rejects(t.perform({ type: 'chain', step, isTrial: true }), { message: ERROR })
      t.harness.failIds(null)
      assert.deepEqual(await state(), before)
    })
  })
}
