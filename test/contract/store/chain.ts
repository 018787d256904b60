import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type {
  ChainOutcome,
  ChainRefusal,
  ChainStep,
  ObservedBlock,
  ObservedTransfer,
} from '../../../src/domain/block.js'
import { CONFIRMED_BLOCKS_KEPT } from '../../../src/domain/block.js'
import { millisecond, wholeSecond } from '../../../src/domain/received-at.js'
import { addressOf, walletAssigned, walletCreated } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const BLOCK_MS = 12_000
/** Later than the second of any block here. */
const LONG_AFTER_MS = START_MS + 1_000_000 * BLOCK_MS

/** A transfer of 100 native coins to `wallet-1`. */
function transfer(txHash: string, fields: Partial<ObservedTransfer> = {}): ObservedTransfer {
  return { txHash, index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '100', ...fields }
}

/** The block of a branch at a height, with one transfer for each name, or with the transfers. */
function block(height: number, branch: string, ...transfers: readonly (string | ObservedTransfer)[]): ObservedBlock {
  return {
    height,
    hash: `${branch}${height}`,
    parentHash: `${branch}${height - 1}`,
    ...wholeSecond(START_MS + height * BLOCK_MS),
    transfers: transfers.map((one) => (typeof one === 'string' ? transfer(one) : one)),
  }
}

/** A block of another branch on a block of branch `a`. */
function fork(height: number, branch: string, ...transfers: readonly (string | ObservedTransfer)[]): ObservedBlock {
  return { ...block(height, branch, ...transfers), parentHash: `a${height - 1}` }
}

const append = (...blocks: readonly ObservedBlock[]): ChainStep => ({
  type: 'append',
  network: 'SEP',
  blocks,
  isConfirmed: false,
  seenAtMs: LONG_AFTER_MS,
})
const appendConfirmed = (...blocks: readonly ObservedBlock[]): ChainStep => ({
  type: 'append',
  network: 'SEP',
  blocks,
  isConfirmed: true,
  seenAtMs: LONG_AFTER_MS,
})
const confirm = (...blocks: readonly ObservedBlock[]): ChainStep => ({ type: 'confirm', network: 'SEP', blocks })
const undo = (above: number): ChainStep => ({ type: 'undo', network: 'SEP', above })

async function take(t: Scenario, step: ChainStep) {
  const result = await t.perform({ type: 'chain', step })
  if (result.type !== 'chain') assert.fail()
  const deliveries = await Promise.all(result.owed.map(async ({ id }) => present(await t.store.outbox.find(id))))
  return { outcome: result.outcome, statuses: deliveries.map(({ status }) => String(status)) }
}

/** Takes steps that have to be taken, and answers what the last one did. */
async function takeAll(t: Scenario, ...steps: readonly ChainStep[]) {
  let last: Extract<ChainOutcome, { status: 'applied' }> | null = null
  const statuses: string[] = []
  for (const step of steps) {
    const taken = await take(t, step)
    if (taken.outcome.status !== 'applied') assert.fail(`${step.type} was refused: ${taken.outcome.reason}`)
    last = taken.outcome
    statuses.push(...taken.statuses)
  }
  return { last: last ?? assert.fail(), statuses }
}

async function kindOf(t: Scenario, txHash: string, index = 0): Promise<string | undefined> {
  return (await t.store.deposits.find('SEP', txHash, index))?.kind
}

/** What chains do to deposits, and what the watcher finds of them when it comes back. */
export function describeChains(open: OpenStore): void {
  const scenario = (name: string, run: (t: Scenario) => Promise<void>) => test(name, withStore(open, run))
  const withInvoice = (name: string, run: (t: Scenario) => Promise<void>) =>
    scenario(name, async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/' })
      t.clock.advance(1)
      await run(t)
    })

  describe('a chain', () => {
    scenario('has no position before its first block, and none of another network', async (t) => {
      assert.equal(await t.store.chain.position('SEP'), undefined)
      assert.equal(await t.store.chain.blockAt('SEP', 5), undefined)
      await takeAll(t, append(block(5, 'a')))
      assert.equal(await t.store.chain.position('TRX-NILE'), undefined)
    })

    scenario('is where its last block is, also after another start', async (t) => {
      await takeAll(t, appendConfirmed(block(5, 'a', 'x'), block(6, 'a')), append(block(7, 'a', 'y')))
      await t.harness.reopen()
      const { transfers: _, timeEndMs: _end, ...tip } = block(7, 'a')
      assert.deepEqual(await t.store.chain.position('SEP'), { tip, confirmed: 6, oldest: 5 })
      assert.deepEqual(await t.store.chain.blockAt('SEP', 7), tip)
      for (const height of [4, 8, -1, 0.5, Number.NaN, 2 ** 50])
        assert.equal(await t.store.chain.blockAt('SEP', height), undefined)
      await takeAll(t, confirm(block(7, 'a', 'y')), undo(5))
      assert.equal((await t.store.chain.position('SEP'))?.confirmed, 5)
      await takeAll(t, append(fork(6, 'b')))
      assert.equal((await t.store.chain.position('SEP'))?.tip.hash, 'b6')
    })

    scenario('is watched since it was asked for first, also after another start', async (t) => {
      const { store } = t
      assert.deepEqual(await store.chain.watch('SEP'), { watchedAt: START_MS, firstWalletAt: null, settings: null })
      t.clock.advance(5)
      await t.tell(walletCreated('wallet-1'))
      t.clock.advance(5)
      await t.tell(walletCreated('wallet-2'))
      await t.tell(walletAssigned('wallet-1', 'alice'))
      await t.harness.reopen()
      t.clock.advance(5)
      const known = { watchedAt: START_MS, firstWalletAt: START_MS + 5, settings: null }
      assert.deepEqual(await t.store.chain.watch('SEP'), known)
      assert.deepEqual(await t.store.chain.watch('BNB'), { ...known, watchedAt: START_MS + 15, firstWalletAt: null })
      await t.store.chain.noteSettings('SEP', 'one')
      await t.store.chain.noteSettings('SEP', 'another')
      assert.deepEqual(await t.store.chain.watch('SEP'), { ...known, settings: 'another' })
    })

    scenario('remembers the settings of a network that nothing else is known of', async (t) => {
      await t.store.chain.noteSettings('SEP', 'one')
      assert.deepEqual(await t.store.chain.watch('SEP'), { watchedAt: START_MS, firstWalletAt: null, settings: 'one' })
    })

    scenario('is watched anew once it was forgotten', async (t) => {
      await t.store.chain.watch('SEP')
      await t.tell(walletCreated('wallet-1'))
      await takeAll(t, append(block(5, 'a')))
      t.clock.advance(9)
      await takeAll(t, { type: 'forget', network: 'SEP' })
      t.clock.advance(9)
      const { watchedAt, firstWalletAt } = await t.store.chain.watch('SEP')
      assert.deepEqual([watchedAt, firstWalletAt], [START_MS + 9, START_MS])
    })

    scenario('may begin with the first block of all, not confirmed', async (t) => {
      await takeAll(t, append(block(0, 'a')))
      assert.equal((await t.store.chain.position('SEP'))?.confirmed, -1)
      await takeAll(t, confirm(block(0, 'a')))
      assert.equal((await t.store.chain.position('SEP'))?.confirmed, 0)
    })

    scenario('keeps a bounded number of confirmed blocks', async (t) => {
      const count = CONFIRMED_BLOCKS_KEPT + 100
      for (let from = 0; from < count; from += 100) {
        const blocks = Array.from({ length: 100 }, (_, i) => block(from + i, 'a', `x${from + i}`))
        await takeAll(t, appendConfirmed(...blocks))
      }
      const position = present(await t.store.chain.position('SEP'))
      assert.equal(position.oldest, position.confirmed - CONFIRMED_BLOCKS_KEPT)
      assert.deepEqual((await take(t, undo(position.oldest - 1))).outcome, { status: 'refused', reason: 'no_ancestor' })
      assert.equal(await kindOf(t, 'x0'), 'confirmed')
    })

    scenario('that is forgotten begins anew, and its deposits stay', async (t) => {
      await takeAll(t, appendConfirmed(block(5, 'a', 'x')), append(block(6, 'a', 'y')))
      await takeAll(t, { type: 'forget', network: 'SEP' })
      assert.equal(await t.store.chain.position('SEP'), undefined)
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], ['confirmed', 'pending'])
      await takeAll(t, appendConfirmed(block(2, 'c')), append(block(3, 'c', 'y')), undo(2))
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], ['confirmed', 'dropped'])
    })
  })

  describe('a step that does not fit is refused and changes nothing:', () => {
    const fits: readonly ChainStep[] = [appendConfirmed(block(5, 'a', 'x')), append(block(6, 'a', 'y'), block(7, 'a'))]
    const refused: readonly (readonly [string, ChainStep, ChainRefusal])[] = [
      ['no blocks', append(), 'not_next'],
      ['a gap', append(block(9, 'a')), 'not_next'],
      ['a block once more', append(block(7, 'a')), 'not_next'],
      ['a parent of another branch', append(block(8, 'b')), 'not_next'],
      ['blocks with a gap', append(block(8, 'a', 'z'), block(10, 'a')), 'not_next'],
      ['blocks that are not linked', append(block(8, 'a', 'z'), block(9, 'b')), 'not_next'],
      ['confirmed blocks behind others', appendConfirmed(block(8, 'a', 'z')), 'not_next'],
      ['a confirmation of nothing', confirm(), 'not_next'],
      ['a confirmation with a gap', confirm(block(7, 'a')), 'not_next'],
      ['a confirmation once more', confirm(block(5, 'a')), 'not_next'],
      ['a confirmation of too much', confirm(block(6, 'a', 'y'), block(7, 'a'), block(8, 'a', 'z')), 'not_next'],
      ['a confirmation of another block', confirm(fork(6, 'b', 'z')), 'not_same'],
      ['a confirmation whose second block is another', confirm(block(6, 'a', 'y'), fork(7, 'b')), 'not_same'],
      ['an ancestor that is not kept', undo(4), 'no_ancestor'],
      ['an ancestor above the tip', undo(8), 'no_ancestor'],
      ['an ancestor below all', undo(-1), 'no_ancestor'],
    ]
    for (const [what, step, reason] of refused) {
      scenario(what, async (t) => {
        await takeAll(t, ...fits)
        const state = async () => [
          await t.snapshot(),
          await t.store.chain.position('SEP'),
          (await t.store.deposits.page('SEP', { after: null, limit: 10 })).items,
        ]
        const before = await state()
        assert.deepEqual(await take(t, step), { outcome: { status: 'refused', reason }, statuses: [] })
        assert.deepEqual(await state(), before)
      })
    }

    scenario('anything but first blocks before there is one', async (t) => {
      assert.deepEqual((await take(t, confirm(block(5, 'a')))).outcome, { status: 'refused', reason: 'not_next' })
      assert.deepEqual((await take(t, undo(5))).outcome, { status: 'refused', reason: 'no_ancestor' })
    })
  })

  describe('the deposits of a block', () => {
    withInvoice('are pending with it and confirmed with it, and each status is notified once', async (t) => {
      const first = await takeAll(t, appendConfirmed(block(5, 'a')), append(block(6, 'a', 'x'), block(7, 'a', 'y')))
      assert.deepEqual(first.statuses, ['pending', 'pending'])
      assert.deepEqual(first.last.reports, [
        { report: 'pending', txHash: 'x', index: 0, outcome: { status: 'applied' } },
        { report: 'pending', txHash: 'y', index: 0, outcome: { status: 'applied' } },
      ])
      const second = await takeAll(t, confirm(block(6, 'a', 'x')))
      assert.deepEqual([second.statuses, second.last.repaired], [['confirmed'], 0])
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], ['confirmed', 'pending'])
      assert.equal((await t.store.deposits.find('SEP', 'x', 0))?.receivedAt, block(6, 'a').timeEndMs)
    })

    withInvoice('of a confirmed block are notified with both statuses', async (t) => {
      assert.deepEqual((await takeAll(t, appendConfirmed(block(5, 'a', 'x')))).statuses, ['pending', 'confirmed'])
    })

    withInvoice('that cannot be recorded are left out, and reported', async (t) => {
      const flawed = transfer('x', { amount: '0' })
      const { last } = await takeAll(t, append(block(5, 'a', flawed, 'y')))
      assert.deepEqual(
        last.reports.map(({ txHash, outcome }) => [txHash, outcome.status]),
        [
          ['x', 'rejected'],
          ['y', 'applied'],
        ],
      )
      const again = await takeAll(t, confirm(block(5, 'a', flawed, 'y')))
      assert.equal(again.last.repaired, 0)
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], [undefined, 'confirmed'])
    })

    const flaws: readonly (readonly [string, Partial<ObservedTransfer>])[] = [
      ['no hash', { txHash: '' }],
      ['a hash of five thousand characters', { txHash: 'x'.repeat(5000) }],
      ['an index below zero', { index: -1 }],
      ['an index that is a fraction', { index: 0.5 }],
      ['an index beyond any', { index: 2 ** 40 }],
      ['no amount', { amount: '' }],
      ['an endless address', { toAddress: 'x'.repeat(5000) }],
    ]
    for (const [what, flaw] of flaws) {
      scenario(`that cannot be recorded, with ${what}, hold up nothing`, async (t) => {
        const flawed = transfer('z', flaw)
        const steps = [append(block(5, 'a', flawed, 'y')), confirm(block(5, 'a', flawed, 'y'))]
        for (const step of steps) {
          assert.deepEqual(await t.store.chain.addressesOf(step), [addressOf('wallet-1')])
          assert.equal((await takeAll(t, step)).last.reports[0]?.outcome.status, 'rejected')
        }
        assert.equal(await kindOf(t, 'y'), 'confirmed')
      })
    }

    scenario('that turn out to be nothing are dropped', async (t) => {
      const nothing = transfer('x', { amount: '0' })
      const { last } = await takeAll(t, append(block(5, 'a', 'x')), confirm(block(5, 'a', nothing)))
      assert.deepEqual([last.repaired, await kindOf(t, 'x')], [1, 'dropped'])
    })

    withInvoice('are dropped with it, and come again with the new block, notified no second time', async (t) => {
      await takeAll(t, append(block(5, 'a'), block(6, 'a', 'x'), block(7, 'a', 'y')))
      const dropped = await takeAll(t, undo(5))
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], ['dropped', 'dropped'])
      assert.deepEqual([dropped.last.confirmedBlocksUndone, dropped.last.confirmedDepositsDropped], [0, 0])
      const again = await takeAll(t, append(fork(6, 'b'), block(7, 'b', 'x')))
      assert.deepEqual(again.statuses, [])
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], ['pending', 'dropped'])
      assert.equal((await t.store.deposits.find('SEP', 'x', 0))?.receivedAt, block(7, 'b').timeEndMs)
      const blocks = [block(5, 'a'), fork(6, 'b'), block(7, 'b', 'x')]
      assert.deepEqual((await takeAll(t, confirm(...blocks))).statuses, ['confirmed'])
    })

    withInvoice('of confirmed blocks can disappear too, and the answer says how many', async (t) => {
      await takeAll(t, appendConfirmed(block(5, 'a'), block(6, 'a', 'x'), block(7, 'a')), append(block(8, 'a', 'y')))
      const { last } = await takeAll(t, undo(5))
      assert.deepEqual([last.confirmedBlocksUndone, last.confirmedDepositsDropped], [2, 1])
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], ['dropped', 'dropped'])
      const invoice = present((await t.store.invoices.page('alice', { after: null, limit: 1 })).items[0])
      assert.equal((await t.paymentOf(invoice)).received, '0')
    })

    scenario('that two blocks of one append are said to hold belong to the lower one', async (t) => {
      await takeAll(t, append(block(5, 'a'), block(6, 'a', 'x'), block(7, 'a', 'x')))
      await takeAll(t, undo(6))
      assert.equal(await kindOf(t, 'x'), 'pending')
      assert.equal((await t.store.deposits.find('SEP', 'x', 0))?.receivedAt, block(6, 'a').timeEndMs)
      await takeAll(t, undo(5))
      assert.equal(await kindOf(t, 'x'), 'dropped')
    })

    scenario('that two blocks after an undo are said to hold belong to the lower one', async (t) => {
      await takeAll(t, append(block(5, 'a'), block(6, 'a'), block(7, 'a', 'x')), undo(5))
      await takeAll(t, append(fork(6, 'b', 'x'), block(7, 'b', 'x')), undo(6))
      assert.equal(await kindOf(t, 'x'), 'pending')
    })

    scenario('stay with the lower block when a higher one that is said to hold them too is confirmed', async (t) => {
      await takeAll(t, append(block(5, 'a', 'x'), block(6, 'a', 'x')))
      const { last } = await takeAll(t, confirm(block(5, 'a', 'x')), confirm(block(6, 'a', 'x')))
      assert.deepEqual([last.repaired, last.reports], [0, []])
      assert.equal((await t.store.deposits.find('SEP', 'x', 0))?.receivedAt, block(5, 'a').timeEndMs)
      await takeAll(t, undo(5))
      assert.equal(await kindOf(t, 'x'), 'confirmed')
    })

    scenario('that a pushed report confirmed before stay when a block with them disappears', async (t) => {
      await t.deposit('confirmed', { txHash: 'x' })
      await t.deposit('pending', { txHash: 'y' })
      await takeAll(t, append(block(5, 'a'), block(6, 'a', 'x', 'y')), undo(5))
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], ['confirmed', 'dropped'])
    })

    withInvoice('that were pushed before are duplicates, which change nothing', async (t) => {
      await t.deposit('confirmed', { txHash: 'x', receivedAt: START_MS + 7 })
      const { last, statuses } = await takeAll(t, append(block(5, 'a', 'x')), confirm(block(5, 'a', 'x')))
      assert.deepEqual([statuses, last.repaired, last.reports[0]?.outcome.status], [[], 0, 'duplicate'])
      assert.equal((await t.store.deposits.find('SEP', 'x', 0))?.receivedAt, START_MS + 7)
    })

    scenario('twice in a block are one', async (t) => {
      await takeAll(t, append(block(5, 'a'), block(6, 'a', 'x', 'x')), confirm(block(5, 'a'), block(6, 'a', 'x', 'x')))
      await takeAll(t, undo(5))
      assert.equal(await kindOf(t, 'x'), 'dropped')
    })

    scenario('are all or none: a step that fails in its middle leaves nothing', async (t) => {
      await t.own('alice', 'wallet-1')
      await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/' })
      const elsewhere = transfer('x', { toAddress: addressOf('wallet-9') })
      t.harness.failIds(new Error('no id'))
      await assert.rejects(take(t, append(block(5, 'a', elsewhere), block(6, 'a', 'y'))), /no id/)
      t.harness.failIds(null)
      assert.equal(await t.store.chain.position('SEP'), undefined)
      assert.equal(await kindOf(t, 'x'), undefined)
      await takeAll(t, append(block(5, 'a', elsewhere), block(6, 'a', 'y')))
      assert.deepEqual([await kindOf(t, 'x'), await kindOf(t, 'y')], ['pending', 'pending'])
    })
  })

  describe('a block that is read again before it is confirmed', () => {
    const repairs: readonly (readonly [string, readonly ObservedBlock[], readonly ObservedBlock[], number, object])[] =
      [
        ['lacked one', [block(6, 'a')], [block(6, 'a', 'x')], 1, { x: ['confirmed', '100', 6] }],
        [
          'had one too many',
          [block(6, 'a', 'x', 'y')],
          [block(6, 'a', 'y')],
          1,
          { x: ['dropped', '100', 6], y: ['confirmed', '100', 6] },
        ],
        [
          'had another amount',
          [block(6, 'a', transfer('x', { amount: '7' }))],
          [block(6, 'a', 'x')],
          1,
          { x: ['confirmed', '100', 6] },
        ],
        [
          'had another currency',
          [block(6, 'a', transfer('x', { currency: 'Tether' }))],
          [block(6, 'a', 'x')],
          1,
          { x: ['confirmed', '100', 6] },
        ],
        [
          'wrote the amount otherwise',
          [block(6, 'a', transfer('x', { amount: '100.00' }))],
          [block(6, 'a', 'x')],
          0,
          { x: ['confirmed', '100.00', 6] },
        ],
        [
          'lacked one that a higher block was said to hold',
          [block(6, 'a'), block(7, 'a', 'x')],
          [block(6, 'a', 'x'), block(7, 'a')],
          1,
          { x: ['confirmed', '100', 6] },
        ],
        [
          'had one that a higher block holds',
          [block(6, 'a', 'x'), block(7, 'a', 'x')],
          [block(6, 'a'), block(7, 'a', 'x')],
          2,
          { x: ['confirmed', '100', 7] },
        ],
      ]
    for (const [what, first, again, repaired, expected] of repairs) {
      withInvoice(`and ${what} is made right, and nothing is notified twice`, async (t) => {
        const before = await takeAll(t, appendConfirmed(block(5, 'a')), append(...first))
        const after = await takeAll(t, confirm(...again))
        assert.equal(after.last.repaired, repaired)
        const statuses = [...before.statuses, ...after.statuses].sort()
        const confirmed = statuses.filter((status) => status === 'confirmed').length
        // What was first seen in a currency of no invoice is matched at `confirmed`, which notifies alone (decisions 6).
        assert.equal(confirmed, Object.values(expected).filter(([kind]) => kind === 'confirmed').length)
        for (const [txHash, [kind, amount, height]] of Object.entries(expected)) {
          const deposit = present(await t.store.deposits.find('SEP', txHash, 0))
          assert.deepEqual(
            [deposit.kind, deposit.amount, deposit.receivedAt],
            [kind, amount, block(height, 'a').timeEndMs],
          )
        }
        // What it holds now goes with it.
        await takeAll(t, undo(5))
        for (const txHash of Object.keys(expected)) assert.equal(await kindOf(t, txHash), 'dropped')
      })
    }

    scenario('keeps what somebody else said first until the block is confirmed, whose word then counts', async (t) => {
      await t.own('alice', 'wallet-1', 'wallet-2')
      const invoice = await t.invoice({ amount: '100' })
      const said = { txHash: 'x', amount: '7', toAddress: addressOf('wallet-2') }
      await t.deposit('pending', said)
      const before = await takeAll(t, append(block(5, 'a', 'x')))
      assert.equal(before.last.repaired, 0)
      assert.deepEqual(
        before.last.reports.map(({ outcome }) => outcome),
        [{ status: 'rejected', error: 'the deposit is known with another address' }],
      )
      assert.equal((await t.store.deposits.find('SEP', 'x', 0))?.amount, '7')
      const after = await takeAll(t, confirm(block(5, 'a', 'x')))
      assert.equal(after.last.repaired, 1)
      assert.deepEqual([await kindOf(t, 'x'), (await t.paymentOf(invoice)).received], ['confirmed', '100'])
    })

    scenario(
      'replaces at once what somebody else said, when it is confirmed by the time it is first read',
      async (t) => {
        await t.own('alice', 'wallet-1')
        const invoice = await t.invoice({ amount: '100' })
        await t.deposit('confirmed', { txHash: 'x', amount: '7' })
        const { last } = await takeAll(t, appendConfirmed(block(5, 'a', 'x')))
        assert.equal(last.repaired, 1)
        assert.deepEqual([await kindOf(t, 'x'), (await t.paymentOf(invoice)).received], ['confirmed', '100'])
        await takeAll(t, append(block(6, 'a')), undo(5))
        assert.equal(await kindOf(t, 'x'), 'confirmed')
      },
    )

    scenario('brings back what somebody else dropped', async (t) => {
      await takeAll(t, append(block(5, 'a', 'x')))
      await t.deposit('dropped', { txHash: 'x' })
      await takeAll(t, confirm(block(5, 'a', 'x')))
      assert.equal(await kindOf(t, 'x'), 'confirmed')
    })
  })

  describe('the time at which a deposit was received', () => {
    const held = block(6, 'a', 'x')
    const second = held.timeMs
    const exact = { ...held, ...millisecond(second + 9) }
    const branch = { ...fork(6, 'b', 'x'), ...wholeSecond(second) }
    const amount7 = block(6, 'a', transfer('x', { amount: '7' }))
    const seenAt = (offsetMs: number, ...blocks: readonly ObservedBlock[]): ChainStep => {
      return { type: 'append', network: 'SEP', blocks, isConfirmed: false, seenAtMs: second + offsetMs }
    }
    const rows: readonly (readonly [string, readonly ChainStep[], ObservedBlock, number, number])[] = [
      ['that of first sight within the second', [seenAt(250, held)], held, 250, 0],
      ['the end of a second that was over', [seenAt(1000, held)], held, 999, 0],
      ['the end of a second that had not begun by our clock', [seenAt(-1, held)], held, 999, 0],
      ['that of a block that tells milliseconds', [seenAt(250, exact)], exact, 9, 0],
      ['the end of the second if the second reading shows it', [seenAt(250, block(6, 'a'))], held, 999, 1],
      ['that of first sight if the second reading corrects it', [seenAt(250, amount7)], held, 250, 1],
      [
        'that of first sight in a block before of that second',
        [seenAt(250, held), undo(5), seenAt(600, branch)],
        branch,
        250,
        0,
      ],
      [
        'of the block that holds it, not of a higher one',
        [seenAt(250, block(6, 'a'), block(7, 'a', 'x'))],
        held,
        999,
        1,
      ],
    ]
    for (const [what, steps, again, offsetMs, repaired] of rows) {
      withInvoice(`is ${what}, also when that is read again`, async (t) => {
        await takeAll(t, appendConfirmed(block(5, 'a')), ...steps)
        await t.harness.reopen()
        const { last } = await takeAll(t, confirm(again))
        const deposit = present(await t.store.deposits.find('SEP', 'x', 0))
        assert.deepEqual(
          [deposit.kind, deposit.amount, deposit.receivedAt, last.repaired],
          ['confirmed', '100', second + offsetMs, repaired],
        )
        const deliveries = (await t.store.outbox.page('alice', { after: null, limit: 10 })).items
        const confirmed = deliveries.find(({ status }) => status === 'confirmed')
        assert.equal(JSON.parse(present(confirmed).body).receivedAt, second + offsetMs)
      })
    }

    scenario('is the one that another version recorded, when the block of that second is read again', async (t) => {
      await t.deposit('pending', { txHash: 'x', receivedAt: second, currency: '#native', amount: '100' })
      const { last } = await takeAll(t, append(held), confirm(held))
      const deposit = await t.store.deposits.find('SEP', 'x', 0)
      assert.deepEqual([deposit?.receivedAt, last.repaired], [second, 0])
    })

    scenario('is that of the block which holds it after a reorganisation', async (t) => {
      await takeAll(t, append(block(5, 'a')), seenAt(250, held), undo(5))
      await takeAll(t, append(fork(6, 'b'), block(7, 'b', 'x')))
      assert.equal((await t.store.deposits.find('SEP', 'x', 0))?.receivedAt, block(7, 'b').timeEndMs)
    })

    scenario(
      'lets it count for the invoice of its second which came before it, and for none that came after',
      async (t) => {
        await t.own('alice', 'wallet-1')
        t.clock.set(second + 100)
        const before = await t.invoice({ amount: '100', reference: 'before', callbackUrl: 'https://example.com/' })
        t.clock.set(second + 600)
        const after = await t.invoice({ amount: '99', reference: 'after', callbackUrl: 'https://example.com/' })
        t.clock.set(second + 700)
        const { statuses } = await takeAll(t, seenAt(600, held), confirm(held))
        assert.deepEqual(statuses, ['pending', 'confirmed'])
        assert.deepEqual([(await t.paymentOf(before)).received, (await t.paymentOf(after)).received], ['100', '0'])
      },
    )
  })

  describe('the addresses of a step', () => {
    const elsewhere = transfer('z', { toAddress: addressOf('wallet-2') })
    const steps: readonly (readonly [string, ChainStep, readonly string[]])[] = [
      ['an append', append(block(7, 'a', elsewhere, 'w')), ['wallet-1', 'wallet-2']],
      [
        'an append of a known deposit',
        append(block(7, 'a', transfer('x', { toAddress: addressOf('wallet-3') }))),
        ['wallet-1', 'wallet-3'],
      ],
      ['a confirmation', confirm(block(5, 'a', elsewhere)), ['wallet-1', 'wallet-2']],
      ['a confirmation of nothing new', confirm(block(5, 'a')), ['wallet-1']],
      ['an undo', undo(5), ['wallet-2']],
      ['a forget', { type: 'forget', network: 'SEP' }, []],
    ]
    for (const [what, step, wallets] of steps) {
      scenario(`are those of the deposits that ${what} reports something of`, async (t) => {
        await takeAll(t, append(block(5, 'a', 'x'), block(6, 'a', { ...elsewhere, txHash: 'y' })))
        assert.deepEqual([...(await t.store.chain.addressesOf(step))].sort(), wallets.map(addressOf))
      })
    }
  })

  describe('the watched addresses', () => {
    scenario('are those of wallets, in any spelling, and become so with the wallet', async (t) => {
      const sep = () => t.store.chain.watched('SEP')
      assert.deepEqual([(await sep()).few(10), (await sep()).few(0)], [[], []])
      await t.deposit('pending', { toAddress: addressOf('stranger') })
      assert.equal((await sep()).has(addressOf('stranger')), false)
      await t.tell(walletCreated('wallet-1'))
      await t.tell({ type: 'wallet.created', id: 'tron', address: 'TAddress-of-tron', network: 'TRX-NILE' })
      assert.equal((await sep()).has(addressOf('wallet-1').toUpperCase()), true)
      assert.deepEqual((await sep()).few(1), [addressOf('wallet-1').toLowerCase()])
      assert.equal((await sep()).few(0), null)
      await t.tell(walletCreated('stranger'))
      assert.equal((await sep()).few(1), null)
      const both = [addressOf('stranger'), addressOf('wallet-1')].map((one) => one.toLowerCase())
      assert.deepEqual([...((await sep()).few(2) ?? [])].sort(), both)
      assert.deepEqual((await t.store.chain.watched('TRX-NILE')).few(5), ['TAddress-of-tron'])
      await t.harness.reopen()
      assert.equal((await sep()).few(2)?.length, 2)
    })
  })

  describe('the deposits of a network', () => {
    scenario('are listed page by page, each once, dropped ones included', async (t) => {
      for (let i = 0; i < 7; i += 1) await t.deposit('pending', { txHash: `x${i}`, index: i % 2 })
      await t.deposit('dropped', { txHash: 'x3', index: 1 })
      await t.deposit('pending', { txHash: 'other', network: 'TRX-NILE' })
      for (const limit of [1, 2, 7, 10]) {
        const pages = await t.walk((after) => t.store.deposits.page('SEP', { after, limit }))
        const hashes = pages.flat().map(({ txHash }) => txHash)
        assert.deepEqual(
          [...hashes].sort(),
          Array.from({ length: 7 }, (_, i) => `x${i}`),
        )
      }
    })
  })
}
