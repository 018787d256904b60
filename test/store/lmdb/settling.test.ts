import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WalletCommand, WalletResult } from '../../../src/store/commands.js'
import { depositFact, walletAssigned } from '../../support/fixtures.js'
import { addressOf, invoiceRequest, openFixture } from '../../support/lmdb-fixture.js'
import { ManualClock } from '../../support/manual-clock.js'

const HOOK = 'https://shop.example/hook'
/** As many as several commits settle. */
const COVERED = 400

/** A wallet on which one payment has covered many invoices, and a greater one that is unpaid. */
async function openCrowded() {
  const clock = new ManualClock()
  const { store, assign, close } = await openFixture(clock)
  await assign('alice', 'crowded')
  await assign('bob', 'other')
  const invoice = (owner: string, wallet: string, amount: string): WalletCommand => ({
    type: 'invoice',
    request: invoiceRequest(owner, [wallet], amount, {
      reference: amount,
      callbackUrl: HOOK,
    }),
  })
  const amounts = Array.from({ length: COVERED }, (_, n) => `${n + 1}.5`)
  await store.commands.perform([...amounts, '99999'].map((amount) => invoice('alice', 'crowded', amount)))
  clock.advance(1)
  const sighting = (txHash: string, amount: string, currency = 'Tether') => ({
    toAddress: addressOf('crowded'),
    txHash,
    currency,
    amount,
    receivedAt: clock.now(),
  })
  // Equal to no invoice's amount, and more than all but one.
  const paid = depositFact('confirmed', sighting('covers', '40000000000'))
  await store.commands.perform([{ type: 'deposit', eventId: null, fact: paid }])
  const referenceOf = (result: WalletResult | undefined) => {
    if (result?.type !== 'deposit' && result?.type !== 'chain') return null
    const [owed] = result.owed
    return owed === undefined ? null : JSON.parse(store.outbox.find(owed.id)?.body ?? '{}').reference
  }
  return { store, close, invoice, sighting, referenceOf, now: clock.now() }
}

describe('a payment that covered many invoices', () => {
  test('holds up the next deposit on the wallet and nobody else, and changes no order', async () => {
    const { store, close, invoice, sighting, referenceOf } = await openCrowded()
    const dust = (name: string): WalletCommand => ({
      type: 'deposit',
      eventId: name,
      fact: depositFact('pending', sighting(name, '1')),
    })
    const ended: string[] = []
    const noting = async (name: string, batch: readonly WalletCommand[]) => {
      const fates = await store.commands.perform(batch)
      ended.push(name)
      return fates.map((fate) => (fate.status === 'fulfilled' ? fate.value : assert.fail()))
    }
    const crowded = noting('crowded', [dust('first'), invoice('alice', 'crowded', '3.5'), dust('second')])
    // One commit each.
    for (const amount of ['7', '8', '9']) await noting(amount, [invoice('bob', 'other', amount)])
    const results = await crowded
    assert.deepEqual(ended, ['7', '8', '9', 'crowded'])
    assert.deepEqual(
      results.map(({ type }) => type),
      ['deposit', 'invoice', 'deposit'],
    )
    assert.deepEqual([referenceOf(results[0]), referenceOf(results[2])], ['99999', '99999'])
    await close()
  })

  test('holds up a later report of a deposit, at whatever time that says it came', async () => {
    const { store, close, invoice, sighting, referenceOf } = await openCrowded()
    const late = (report: 'pending' | 'confirmed', earlierMs: number): WalletCommand => {
      const { receivedAt, ...rest } = sighting('late', '1')
      return {
        type: 'deposit',
        eventId: null,
        fact: depositFact(report, { ...rest, receivedAt: receivedAt - earlierMs }),
      }
    }
    // It is matched to none while the wallet is another's.
    const assign = (owner: string) =>
      store.ledger.applyFacts([{ eventId: null, fact: walletAssigned('crowded', owner) }])
    await assign('bob')
    const [seen] = await store.commands.perform([late('pending', 0)])
    assert.equal(seen?.status === 'fulfilled' ? referenceOf(seen.value) : undefined, null)
    await assign('alice')
    const ended: string[] = []
    const noting = async (name: string, command: WalletCommand) => {
      const [fate] = await store.commands.perform([command])
      ended.push(name)
      return fate?.status === 'fulfilled' ? fate.value : assert.fail()
    }
    const confirmed = noting('late', late('confirmed', 1000))
    for (const amount of ['7', '8', '9']) await noting(amount, invoice('bob', 'other', amount))
    assert.equal(referenceOf(await confirmed), '99999')
    assert.deepEqual(ended, ['7', '8', '9', 'late'])
    await close()
  })

  test('has the next deposit of a chain wait, and its step takes one commit', async () => {
    const { store, close, invoice, sighting, now } = await openCrowded()
    const { toAddress, txHash, currency, amount } = sighting('of a block', '1')
    const transfer = { toAddress, txHash, index: 0, currency, amount }
    const block = { height: 5, hash: '5', parentHash: '4', timeMs: now, timeEndMs: now, transfers: [transfer] }
    const ended: string[] = []
    const step = { type: 'append', network: 'SEP', blocks: [block], isConfirmed: true, seenAtMs: now } as const
    const crowded = store.commands.perform([{ type: 'chain', step }]).then((fates) => {
      ended.push('crowded')
      return fates
    })
    for (const amount of ['7', '8', '9']) {
      await store.commands.perform([invoice('bob', 'other', amount)])
      ended.push(amount)
    }
    const [fate] = await crowded
    assert.deepEqual(ended, ['7', 'crowded', '8', '9'])
    const taken = fate?.status === 'fulfilled' && fate.value.type === 'chain' ? fate.value.outcome : assert.fail()
    assert.deepEqual(taken.status === 'applied' ? taken.waiting : [], [{ txHash, index: 0 }])
    await close()
  })
})
