import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Invoice } from '../../src/domain/invoice.js'
import type { InvoiceResult } from '../../src/store/commands.js'
import { invoiceRequest, openFixture } from '../support/lmdb-fixture.js'

const CONCURRENT = 500
const ROUNDS = 1000

function codes(results: readonly InvoiceResult[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { outcome } of results) {
    const code = outcome.ok ? 'created' : outcome.failure.code
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return counts
}

describe('concurrent creations', () => {
  test(`${CONCURRENT} of the same amount on one wallet give exactly one invoice`, async () => {
    const { directory, store, assign, close } = await openFixture()
    await assign('shop', 'w')
    const outcomes = await Promise.all(
      Array.from({ length: CONCURRENT }, (_, n) =>
        directory.createInvoice(invoiceRequest('shop', ['w'], n % 2 === 0 ? '10' : '10.00')),
      ),
    )
    assert.deepEqual(
      codes(outcomes),
      new Map([
        ['created', 1],
        ['amount_in_use', CONCURRENT - 1],
      ]),
    )
    assert.equal(store.invoices.page('shop', { after: null, limit: 1000 }).items.length, 1)
    await close()
  })

  test(`${CONCURRENT} of distinct amounts on one wallet give ${CONCURRENT} invoices`, async () => {
    const { directory, store, assign, close } = await openFixture()
    await assign('shop', 'w')
    const outcomes = await Promise.all(
      Array.from({ length: CONCURRENT }, (_, n) => directory.createInvoice(invoiceRequest('shop', ['w'], `${n + 1}`))),
    )
    assert.deepEqual(codes(outcomes), new Map([['created', CONCURRENT]]))
    assert.equal(store.invoices.page('shop', { after: null, limit: 1000 }).items.length, CONCURRENT)
    await close()
  })

  test(`${CONCURRENT} of one reference give exactly one invoice, on whatever wallets`, async () => {
    const { directory, assign, close } = await openFixture()
    const wallets = Array.from({ length: 10 }, (_, n) => `w${n}`)
    await assign('shop', ...wallets)
    const outcomes = await Promise.all(
      Array.from({ length: CONCURRENT }, (_, n) =>
        directory.createInvoice(invoiceRequest('shop', [`w${n % 10}`], `${n + 1}`, { reference: 'order 1' })),
      ),
    )
    assert.deepEqual(
      codes(outcomes),
      new Map([
        ['created', 1],
        ['reference_in_use', CONCURRENT - 1],
      ]),
    )
    await close()
  })

  test(`pairs on wallets that overlap, in both orders, ${ROUNDS} rounds: one of two colliding ones, and no deadlock`, async () => {
    const { directory, store, assign, close } = await openFixture()
    const wallets = ['a', 'b', 'c', 'd']
    await assign('shop', ...wallets)
    const created: Invoice[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      // Two sets of wallets that share at least one, in an order that differs from round to round.
      const shared = wallets[round % wallets.length] ?? 'a'
      const others = wallets.filter((wallet) => wallet !== shared)
      const first = [shared, others[round % 3] ?? 'b']
      const second = [others[(round >> 2) % 3] ?? 'c', shared]
      if (round % 8 < 4) first.reverse()
      if (round % 16 < 8) second.reverse()
      const amount = `${1 + (round >> 1)}.5`
      const outcomes = await Promise.all([
        directory.createInvoice(invoiceRequest('shop', [...new Set(first)], amount)),
        directory.createInvoice(invoiceRequest('shop', [...new Set(second)], `${amount}0`)),
      ])
      for (const { outcome } of outcomes) if (outcome.ok) created.push(outcome.value)
      const made = outcomes.filter(({ outcome }) => outcome.ok).length
      // An odd round asks the amount of the even one before it, where the wallets may be free or taken.
      assert.ok(round % 2 === 0 ? made === 1 : made <= 1, `round ${round}: ${made} created`)
    }
    assertNoEqualUnpaid(created)
    assert.equal(directory.size, 0)
    const listed = store.invoices.page('shop', { after: null, limit: 2 * ROUNDS }).items
    assert.deepEqual(
      listed.map((invoice) => invoice.id),
      created.map((invoice) => invoice.id).reverse(),
    )
    await close()
  })

  test('all rounds at once: never two equal amounts on one wallet', async () => {
    const { directory, assign, close } = await openFixture()
    const wallets = ['a', 'b', 'c', 'd', 'e']
    await assign('shop', ...wallets)
    const outcomes = await Promise.all(
      Array.from({ length: 2 * ROUNDS }, (_, n) => {
        const some = wallets.filter((_wallet, i) => ((n * 7919) >> i) % 3 === 0)
        const chosen = some.length === 0 ? ['a'] : n % 2 === 0 ? some : some.toReversed()
        return directory.createInvoice(invoiceRequest('shop', chosen, `${1 + (n % 97)}`))
      }),
    )
    const created = outcomes.flatMap(({ outcome }) => (outcome.ok ? [outcome.value] : []))
    assert.ok(created.length >= 97)
    assertNoEqualUnpaid(created)
    await close()
  })
})

/** Nothing was deposited, so every invoice is unpaid. */
function assertNoEqualUnpaid(invoices: readonly Invoice[]): void {
  const taken = new Set<string>()
  for (const invoice of invoices) {
    for (const wallet of (invoice.wallet_ids ?? '').split(',')) {
      const place = `${Number(invoice.amount)} on ${wallet}`
      assert.ok(!taken.has(place), `two unpaid invoices over ${place}`)
      taken.add(place)
    }
  }
}
