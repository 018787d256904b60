import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Intake } from '../../../src/actors/intake.js'
import { WalletDirectory } from '../../../src/actors/wallet-directory.js'
import { isWaiting } from '../../../src/domain/aside.js'
import type { ChainStep, ObservedBlock } from '../../../src/domain/block.js'
import type { OwedDelivery } from '../../../src/store/outbox.js'
import { SETTLED_PLACES_MAX } from '../../../src/store/rules/match-deposit.js'
import { EXAMINED_WITH_DEPOSIT } from '../../../src/store/rules/unsettled-wallets.js'
import { addressOf, depositFact, invoiceRequest, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, type Scenario, settledValue, withStore } from './harness.js'

const network = 'SEP'
const CALLBACK = 'https://example.com/'
/** More than are settled with the deposit that pays them, with the next one, and with an attempt or two. */
const CROWD = 4 * SETTLED_PLACES_MAX + EXAMINED_WITH_DEPOSIT
const BLOCK_MS = 12_000

type Transfer = readonly [txHash: string, wallet: string, amount: string]

function block(height: number, ...transfers: readonly Transfer[]): ObservedBlock {
  const timeMs = START_MS + height * BLOCK_MS
  return {
    ...{ height, hash: `a${height}`, parentHash: `a${height - 1}`, timeMs, timeEndMs: timeMs },
    transfers: transfers.map(([txHash, wallet, amount]) => {
      return { txHash, index: 0, toAddress: addressOf(wallet), currency: '#native', amount }
    }),
  }
}

const append = (isConfirmed: boolean, ...blocks: readonly ObservedBlock[]): ChainStep => {
  return { type: 'append', network, blocks, isConfirmed, seenAtMs: START_MS }
}
const confirmed = (...blocks: readonly ObservedBlock[]) => append(true, ...blocks)
const pending = (...blocks: readonly ObservedBlock[]) => append(false, ...blocks)

/** A crowd of invoices on one wallet, all of them paid by one deposit in block 1, and another merchant. */
class Crowd {
  readonly owed: OwedDelivery[] = []
  readonly reports: string[] = []
  readonly intake: Intake

  constructor(readonly t: Scenario) {
    this.intake = new Intake(t.store.ledger, new WalletDirectory(t.store), (more) => this.owed.push(...more))
  }

  async observe(step: ChainStep): Promise<readonly string[]> {
    const outcome = await this.intake.observe(step)
    if (outcome.status === 'refused') assert.fail(outcome.reason)
    for (const { report, txHash } of outcome.reports) this.reports.push(`${report} ${txHash}`)
    return outcome.waiting.map(({ txHash }) => txHash)
  }

  async kinds(...txHashes: readonly string[]): Promise<readonly (string | undefined)[]> {
    const found = await Promise.all(txHashes.map((txHash) => this.t.store.deposits.find(network, txHash, 0)))
    return found.map((one) => one?.kind)
  }

  async aside(): Promise<readonly string[]> {
    const deposits = await this.t.store.aside.deposits()
    assert.ok(deposits.every(isWaiting))
    return deposits.map(({ sighting, report }) => `${sighting.txHash} ${report}`).sort()
  }

  /** As the service does it; answers how many attempts it took. */
  async untilRecorded(): Promise<number> {
    for (let attempts = 0; ; attempts += 1) {
      assert.ok(attempts < CROWD, 'it has no end')
      const deposits = [...(await this.t.store.aside.deposits())]
      if (deposits.length === 0) return attempts
      deposits.sort((one, other) => one.since - other.since || (one.height ?? 0) - (other.height ?? 0))
      await this.observe({ type: 'retry', network, deposits })
    }
  }

  /** What the events of an owner say of deposits, in order, and to which invoices they were matched. */
  async told(owner: string): Promise<readonly string[]> {
    const { items } = unwrap(await this.t.store.events.page(owner, { after: null, limit: 10_000 }))
    return items.flatMap(({ type, reference, deposit }) =>
      deposit === null ? [] : [`${type} ${deposit.txHash} ${reference}`],
    )
  }

  async settled(): Promise<void> {
    for (let pieces = 0; await this.t.store.commands.catchUp(); pieces += 1) assert.ok(pieces < CROWD, 'it has no end')
  }
}

const ALL: Transfer = ['all', 'wallet-1', '100000']
const DUST: Transfer = ['dust', 'wallet-1', '0.5']
const VICTIM: Transfer = ['victim', 'wallet-2', '7']

/** Deposits that meet more paid invoices than one transaction settles. */
export function describeWaitingDeposits(open: OpenStore): void {
  const scenario = (name: string, run: (crowd: Crowd) => Promise<void>) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.own('alice', 'wallet-1')
        await t.own('bob', 'wallet-2')
        const terms = { currency: 'native', callbackUrl: CALLBACK } as const
        const requests = Array.from({ length: CROWD }, (_, n) =>
          invoiceRequest({ ...terms, reference: `crowd-${n}`, amount: `1.${1000 + n}` }),
        )
        for (const fate of await t.store.commands.perform(requests.map((request) => ({ type: 'invoice', request })))) {
          const result = settledValue(fate)
          assert.ok(result.type === 'invoice' && result.outcome.ok)
        }
        t.clock.advance(1)
        await t.invoice({ ...terms, reference: 'last', amount: '1000000' })
        const { id } = await t.invoice({
          ...{ ...terms, owner: 'bob', walletIds: ['wallet-2'], reference: 'bob', amount: '7' },
        })
        t.clock.advance(1)
        const crowd = new Crowd(t)
        await run(crowd)
        assert.equal((await t.paymentOf({ id })).status, 'paid', 'the other merchant is paid')
        await crowd.untilRecorded()
        await crowd.settled()
        const types = unwrap(await t.store.events.page('alice', { after: null, limit: 10_000 })).items
        assert.equal(types.filter(({ type }) => type === 'invoice.paid').length, CROWD)
      }),
    )

  describe('a deposit that meets more paid invoices than a transaction settles', () => {
    scenario('waits, and those beside and behind it do not', async (c) => {
      await c.observe(confirmed(block(1, ALL)))
      assert.deepEqual(await c.observe(confirmed(block(2, DUST, VICTIM), block(3))), ['dust'])
      assert.deepEqual(await c.kinds('dust', 'victim'), [undefined, 'confirmed'])
      assert.equal((await c.t.store.chain.position(network))?.tip.height, 3)
      assert.deepEqual(await c.aside(), ['dust confirmed'])
      assert.deepEqual(c.reports, ['confirmed all', 'confirmed victim'])
      assert.ok((await c.untilRecorded()) > 1)
      assert.deepEqual(await c.kinds('dust'), ['confirmed'])
      assert.deepEqual(await c.told('alice'), [
        ...['deposit.pending all crowd-0', 'deposit.confirmed all crowd-0'],
        ...['deposit.pending dust last', 'deposit.confirmed dust last'],
      ])
      assert.equal(c.owed.length, 6)
      // It lives and dies with its block.
      await c.observe({ type: 'undo', network, above: 1 })
      assert.deepEqual(await c.kinds('all', 'dust', 'victim'), ['confirmed', 'dropped', 'dropped'])
      await c.observe(confirmed(block(2, DUST, VICTIM)))
    })

    scenario('waits also behind the one that has paid them in the same step', async (c) => {
      assert.deepEqual(await c.observe(confirmed(block(1, ALL, DUST), block(2, VICTIM))), ['dust'])
      assert.deepEqual(await c.kinds('all', 'dust', 'victim'), ['confirmed', undefined, 'confirmed'])
    })

    scenario('has what comes behind it at its address wait, in order', async (c) => {
      await c.observe(confirmed(block(1, ALL)))
      const exact: Transfer = ['exact', 'wallet-1', '1.1001']
      assert.deepEqual(await c.observe(confirmed(block(2, DUST, VICTIM, exact))), ['dust', 'exact'])
      await c.settled()
      // Nothing would be in the way of this one.
      const later: Transfer = ['later', 'wallet-1', '1.1002']
      assert.deepEqual(await c.observe(confirmed(block(3, later))), ['later'])
      await c.untilRecorded()
      const confirmations = (await c.told('alice')).filter((told) => told.startsWith('deposit.confirmed'))
      assert.equal(confirmations.at(-1), 'deposit.confirmed later crowd-2')
      assert.deepEqual(
        new Set(confirmations.slice(1, 3)),
        new Set(['deposit.confirmed dust last', 'deposit.confirmed exact crowd-1']),
      )
    })

    scenario('goes on behind a stop in the middle', async (c) => {
      await c.observe(confirmed(block(1, ALL)))
      await c.observe(confirmed(block(2, DUST, VICTIM)))
      await c.observe({ type: 'retry', network, deposits: await c.t.store.aside.deposits() })
      await c.t.harness.reopen()
      const later = new Crowd(c.t)
      assert.deepEqual(await later.aside(), ['dust confirmed'])
      await later.untilRecorded()
      assert.deepEqual([await later.kinds('dust'), later.owed.length], [['confirmed'], 2])
    })

    scenario('is confirmed when it was pending, and reported once', async (c) => {
      await c.observe(confirmed(block(1, ALL)))
      const blocks = [block(2, DUST, VICTIM)]
      assert.deepEqual(await c.observe(pending(...blocks)), ['dust'])
      assert.deepEqual(await c.aside(), ['dust pending'])
      assert.deepEqual(await c.observe({ type: 'confirm', network, blocks }), ['dust'])
      assert.deepEqual(await c.aside(), ['dust confirmed'])
      await c.untilRecorded()
      assert.deepEqual(
        c.reports.filter((report) => report.endsWith('dust')),
        ['confirmed dust'],
      )
    })

    scenario('is forgotten when its block is confirmed without it, or has gone', async (c) => {
      await c.observe(confirmed(block(1, ALL)))
      await c.observe(pending(block(2, DUST, VICTIM)))
      await c.observe({ type: 'confirm', network, blocks: [block(2, VICTIM)] })
      assert.deepEqual(await c.aside(), [])
      await c.observe(pending(block(3, ['gone', 'wallet-1', '0.5'])))
      assert.deepEqual(await c.aside(), ['gone pending'])
      await c.observe({ type: 'undo', network, above: 2 })
      assert.deepEqual([await c.aside(), await c.kinds('dust', 'gone')], [[], [undefined, undefined]])
    })

    for (const [where, from, to] of [
      ['lower', 3, 2],
      ['higher', 2, 3],
    ] as const) {
      scenario(`waits in a ${where} block than the one that it was pending in`, async (c) => {
        const moved: Transfer = ['moved', 'wallet-1', '0.5']
        const blocksWith = (height: number, ...first: readonly Transfer[]) => [
          block(2, ...first, ...(height === 2 ? [moved] : []), VICTIM),
          block(3, ...(height === 3 ? [moved] : [])),
        ]
        await c.observe(pending(block(1), ...blocksWith(from)))
        const blocks = [block(1, ALL), ...blocksWith(to, DUST)]
        assert.deepEqual(await c.observe({ type: 'confirm', network, blocks }), ['dust', 'moved'])
        assert.deepEqual(await c.aside(), ['dust confirmed', 'moved confirmed'])
        await c.untilRecorded()
        assert.deepEqual(await c.kinds('dust', 'moved'), ['confirmed', 'confirmed'])
        // It lives and dies with the block that it waited in.
        await c.observe({ type: 'undo', network, above: 2 })
        assert.deepEqual(await c.kinds('moved'), [to === 2 ? 'confirmed' : 'dropped'])
      })
    }

    scenario('is the lower one’s of two blocks that have it', async (c) => {
      await c.observe(confirmed(block(1, ALL)))
      await c.observe(pending(block(2, VICTIM), block(3)))
      const blocks = [block(2, DUST, VICTIM), block(3, DUST)]
      await c.observe({ type: 'confirm', network, blocks })
      await c.observe({ type: 'undo', network, above: 2 })
      assert.deepEqual(await c.aside(), ['dust confirmed'])
      await c.untilRecorded()
      assert.deepEqual(await c.kinds('dust'), ['confirmed'])
    })

    scenario(
      'is waited for by what comes behind it in its push, on whichever wallet, and by no other push',
      async (c) => {
        await c.t.own('alice', 'wallet-3')
        await c.observe(confirmed(block(1, ALL)))
        const report = ([txHash, wallet, amount]: Transfer) => ({
          eventId: null,
          fact: depositFact('confirmed', { txHash, toAddress: addressOf(wallet), amount }),
        })
        const push = c.intake.apply([report(DUST), report(['behind', 'wallet-3', '1'])])
        const other = c.intake.apply([report(VICTIM)])
        assert.deepEqual(await other, [{ status: 'applied' }])
        assert.deepEqual(await push, [{ status: 'applied' }, { status: 'applied' }])
        assert.deepEqual([await c.aside(), await c.kinds('dust', 'behind')], [[], ['confirmed', 'confirmed']])
        const told = await c.told('alice')
        assert.ok(
          told.indexOf('deposit.confirmed dust last') < told.indexOf('deposit.pending behind null'),
          told.join(),
        )
      },
    )

    scenario('is aside until it is recorded, whoever reports it meanwhile', async (c) => {
      await c.observe(confirmed(block(1, ALL)))
      await c.observe(confirmed(block(2, DUST, VICTIM)))
      assert.deepEqual(await c.aside(), ['dust confirmed'])
      const fact = depositFact('confirmed', { txHash: 'dust', toAddress: addressOf(DUST[1]), amount: DUST[2] })
      let isAnswered = false
      const applying = c.intake.apply([{ eventId: null, fact }]).finally(() => {
        isAnswered = true
      })
      let looks = 0
      for (; !isAnswered; looks += 1) {
        // In this order: it may be recorded between the two.
        const isAside = (await c.aside()).length > 0
        assert.ok(isAside || (await c.kinds('dust'))[0] === 'confirmed', 'a crash would lose it')
        await nextTurn()
      }
      assert.ok(looks > 1)
      assert.deepEqual(await applying, [{ status: 'applied' }])
      assert.deepEqual(await c.aside(), [])
    })
  })
}
