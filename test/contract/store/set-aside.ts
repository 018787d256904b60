import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { Intake, type SetAsideDeposit } from '../../../src/actors/intake.js'
import { WalletDirectory } from '../../../src/actors/wallet-directory.js'
import { SET_ASIDE } from '../../../src/domain/aside.js'
import type { ChainStep, ObservedBlock } from '../../../src/domain/block.js'
import { applyEvents, parseEvents } from '../../../src/ledger/gateway-events.js'
import type { OwedDelivery } from '../../../src/store/outbox.js'
import { StorageUnavailable } from '../../../src/store/refusals.js'
import { addressOf, unwrap } from '../../support/fixtures.js'
import { START_MS } from '../../support/manual-clock.js'
import { type OpenStore, present, type Scenario, withStore } from './harness.js'

const FAULT = 'a fault of the recorder'
const network = 'SEP'

/** Deposits to wallet-1 owe webhooks, which need ids; those to wallet-2 do not. So a failure of ids is one of their recording. */
function block(height: number, ...transfers: readonly (readonly [txHash: string, wallet: string])[]): ObservedBlock {
  return {
    height,
    hash: `a${height}`,
    parentHash: `a${height - 1}`,
    timeMs: START_MS + height * 12_000,
    timeEndMs: START_MS + height * 12_000,
    transfers: transfers.map(([txHash, wallet]) => {
      return { txHash, index: 0, toAddress: addressOf(wallet), currency: '#native', amount: '1' }
    }),
  }
}

const confirmed = (...blocks: readonly ObservedBlock[]): ChainStep => {
  return { type: 'append', network, blocks, isConfirmed: true, seenAtMs: START_MS }
}

/** A report of the gateway about a deposit. */
function event(kind: string, txHash: string, wallet: string) {
  const deposit = { network, txHash, toAddress: addressOf(wallet), currency: '#native', amount: '1' }
  return { id: `${txHash} ${kind}`, type: `deposit.${kind}`, deposit: { ...deposit, receivedAt: START_MS + 12_000 } }
}

/** What sets deposits aside, and tries them again. */
class Faulty {
  readonly owed: OwedDelivery[] = []
  readonly told: (SetAsideDeposit & { readonly message: string })[] = []
  readonly intake: Intake

  constructor(readonly t: Scenario) {
    this.intake = new Intake(t.store.ledger, new WalletDirectory(t.store), (more) => this.owed.push(...more), {
      setAside: (_, deposits) => {
        for (const one of deposits) this.told.push({ ...one, message: (one.error as Error).message })
      },
    })
  }

  fail(error: Error | null): void {
    this.t.harness.failIds(error)
  }

  async kinds(...txHashes: readonly string[]): Promise<readonly (string | undefined)[]> {
    const found = await Promise.all(txHashes.map((txHash) => this.t.store.deposits.find(network, txHash, 0)))
    return found.map((one) => one?.kind)
  }

  async aside(): Promise<readonly string[]> {
    return (await this.t.store.aside.deposits())
      .map(({ sighting, report, error }) => `${sighting.txHash} ${report}: ${error}`)
      .sort()
  }

  async push(...events: readonly unknown[]): Promise<readonly string[]> {
    const parsed = unwrap(parseEvents({ events }, this.t.store.networks, START_MS))
    const results = await applyEvents(parsed, (batch) => this.intake.apply(batch))
    return results.map(({ status, error }) => (error === undefined ? status : `${status}: ${error}`))
  }

  async retry(): Promise<void> {
    await this.intake.observe({ type: 'retry', network, deposits: await this.t.store.aside.deposits() })
  }
}

/** A deposit whose recording fails stops nothing else, wherever it comes from. */
export function describeSetAside(open: OpenStore): void {
  const scenario = (name: string, run: (faulty: Faulty) => Promise<void>) =>
    test(
      name,
      withStore(open, async (t) => {
        await t.own('alice', 'wallet-1')
        await t.own('bob', 'wallet-2')
        await t.invoice({ reference: 'r', callbackUrl: 'https://example.com/', amount: '1', currency: 'native' })
        t.clock.advance(1)
        await run(new Faulty(t))
      }),
    )

  describe('a deposit whose recording fails', () => {
    scenario('in a block is set aside alone, and recorded when it can be, and notified once', async (f) => {
      await f.intake.observe(confirmed(block(4)))
      f.fail(new Error(FAULT))
      const step = confirmed(
        block(5, ['a', 'wallet-2'], ['x', 'wallet-1'], ['b', 'wallet-2']),
        block(6, ['c', 'wallet-2']),
      )
      const outcome = await f.intake.observe(step)
      assert.equal(outcome.status, 'applied')
      assert.equal((await f.t.store.chain.position(network))?.tip.height, 6)
      assert.deepEqual(await f.kinds('a', 'x', 'b', 'c'), ['confirmed', undefined, 'confirmed', 'confirmed'])
      assert.deepEqual(await f.aside(), [`x confirmed: ${FAULT}`])
      assert.deepEqual(
        f.told.map(({ txHash, index, message }) => [txHash, index, message]),
        [['x', 0, FAULT]],
      )
      await f.retry()
      assert.deepEqual(await f.aside(), [`x confirmed: ${FAULT}`])
      await f.t.harness.reopen()
      const later = new Faulty(f.t)
      later.fail(null)
      await later.retry()
      await later.retry()
      assert.deepEqual([await later.kinds('x'), await later.aside(), later.owed.length], [['confirmed'], [], 2])
      const deposit = present(await f.t.store.deposits.find(network, 'x', 0))
      assert.equal(deposit.receivedAt, block(5).timeMs)
      await later.intake.observe({ type: 'undo', network, above: 4 })
      assert.deepEqual(await later.kinds('a', 'x'), ['dropped', 'dropped'])
    })

    scenario('in a block is found among many', async (f) => {
      const names = Array.from({ length: 30 }, (_, i) => `t${i}`)
      const bad = ['t0', 't17', 't18', 't29']
      const transfers = names.map((name) => [name, bad.includes(name) ? 'wallet-1' : 'wallet-2'] as const)
      f.fail(new Error(FAULT))
      await f.intake.observe(confirmed(block(5, ...transfers)))
      const aside = (await f.t.store.aside.deposits()).map(({ sighting }) => sighting.txHash)
      assert.deepEqual([...aside].sort(), [...bad].sort())
      const kinds = await f.kinds(...names)
      assert.ok(kinds.every((kind, i) => (kind === undefined) === bad.includes(names[i] ?? '')))
    })

    scenario('when its block is confirmed stays pending, and the others are confirmed', async (f) => {
      await f.intake.observe(confirmed(block(4)))
      const blocks = [block(5, ['x', 'wallet-1'], ['a', 'wallet-2'])]
      await f.intake.observe({ type: 'append', network, blocks, isConfirmed: false, seenAtMs: START_MS })
      f.fail(new Error(FAULT))
      await f.intake.observe({ type: 'confirm', network, blocks })
      assert.deepEqual(
        [await f.kinds('x', 'a'), await f.aside()],
        [['pending', 'confirmed'], [`x confirmed: ${FAULT}`]],
      )
    })

    scenario('in a push of the gateway is answered as rejected, and the rest is applied', async (f) => {
      f.fail(new Error(FAULT))
      const events = [
        event('confirmed', 'a', 'wallet-2'),
        event('confirmed', 'x', 'wallet-1'),
        event('confirmed', 'b', 'wallet-2'),
      ]
      const rejected = `rejected: ${SET_ASIDE.error}`
      assert.deepEqual(await f.push(...events), ['applied', rejected, 'applied'])
      assert.deepEqual(await f.push(...events), ['duplicate', rejected, 'duplicate'])
      assert.deepEqual([await f.kinds('a', 'x', 'b'), f.told.length], [['confirmed', undefined, 'confirmed'], 1])
      f.fail(null)
      await f.retry()
      assert.deepEqual([await f.kinds('x'), await f.aside(), f.owed.length], [['confirmed'], [], 2])
      assert.deepEqual(await f.push(...events), ['duplicate', rejected, 'duplicate'])
    })

    scenario('because the store takes no writes is not set aside: it is repeated', async (f) => {
      const away = new StorageUnavailable(new Error('the disk is full'))
      f.fail(away)
      await assert.rejects(
        f.intake.observe(confirmed(block(5, ['x', 'wallet-1'], ['a', 'wallet-2']))),
        StorageUnavailable,
      )
      await assert.rejects(f.push(event('confirmed', 'y', 'wallet-1')), StorageUnavailable)
      f.fail(null)
      assert.deepEqual(
        [await f.aside(), await f.kinds('x', 'a', 'y'), f.told],
        [[], [undefined, undefined, undefined], []],
      )
      assert.equal(await f.t.store.chain.position(network), undefined)
    })

    scenario('in an import is refused by its line, and the import goes on', async (f) => {
      const invoice = (reference: string, n: number) => ({
        id: n.toString(16).padStart(32, '0'),
        owner: 'alice',
        wallet_id: 'wallet-1',
        wallet_ids: null,
        name: 'Before',
        description: null,
        reference,
        amount: `${n}`,
        currency: 'USDT' as const,
        callback_url: null,
        created_at: START_MS - 1000,
      })
      // Longer than any key of an index.
      const endless = Array.from({ length: 400 }, (_, i) => createHash('sha256').update(`${i}`).digest('hex')).join('')
      const imported = ['first', endless, 'last'].map((reference, n) => ({
        ...{
          type: 'invoice' as const,
          invoice: invoice(reference, n + 1),
          expiresAt: null,
          voidedAt: null,
          acceptedAt: null,
        },
      }))
      const fates = await f.t.store.imports.add(imported)
      assert.deepEqual(
        fates.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
    })
  })

  describe('an imported invoice whose callback is no URL', () => {
    for (const callback of ['shop.example/hook', 'javascript:alert(1)', 'http://', 'file:///etc/passwd']) {
      scenario(`(${callback}) is paid like any other, and its webhook is queued, to fail`, async (f) => {
        const imported = {
          ...{ id: '7'.repeat(32), owner: 'bob', wallet_id: 'wallet-2', wallet_ids: null, name: 'Before' },
          ...{
            description: null,
            reference: 'before',
            amount: '1',
            currency: 'native' as const,
            callback_url: callback,
          },
          created_at: START_MS - 1000,
        }
        // An import refuses it; data of an earlier version may have it.
        const invoice = {
          type: 'invoice' as const,
          invoice: imported,
          expiresAt: null,
          voidedAt: null,
          acceptedAt: null,
        }
        assert.deepEqual(await f.t.store.imports.add([invoice]), [{ status: 'fulfilled', value: { status: 'added' } }])
        f.t.harness.expectFlaw(/^a deposit would trip over it: callback_url/)
        await f.intake.observe(confirmed(block(5, ['x', 'wallet-2'])))
        assert.deepEqual([await f.kinds('x'), await f.aside(), f.owed.length], [['confirmed'], [], 2])
        for (const { id, lane } of f.owed) {
          assert.equal((await f.t.store.outbox.find(id))?.url, callback)
          assert.ok((await f.t.store.outbox.queued(lane, null, 10)).length > 0)
          assert.equal(await f.t.store.outbox.markAttempted(id), true)
        }
        assert.deepEqual(await f.t.store.outbox.queuedLanes(), [])
      })
    }
  })
}
