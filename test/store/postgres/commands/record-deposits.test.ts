import assert from 'node:assert/strict'
import { test as always } from 'node:test'
import type { DepositReport } from '../../../../src/domain/deposit.js'
import type { Settled, WalletCommand, WalletResult } from '../../../../src/store/commands.js'
import { openPostgresStore } from '../../../../src/store/postgres/postgres-store.js'
import type { Store } from '../../../../src/store/store.js'
import { invoiceRequest, walletAssigned, walletCreated } from '../../../support/fixtures.js'
import { administer } from '../../../support/postgres-database.js'
import { assertSoundDatabase, createDatabase, postgresStoreOptions } from '../../../support/postgres-harness.js'
import { postgresForTests } from '../../../support/postgres-tests.js'

const server = await postgresForTests()

/** Skipped where there is no PostgreSQL. */
const test = server === null ? always.skip : always

const WALLETS = 100
const UNIT = 1_000_000n

interface Shop {
  readonly store: Store
  readonly url: string
  readonly receivedAt: number
  addressOf(wallet: string): string
}

async function withShop(wallets: readonly string[], scenario: (shop: Shop) => Promise<void>): Promise<void> {
  if (server === null) throw new Error('a skipped test asks for its server')
  const url = await createDatabase(server)
  const store = await openPostgresStore(postgresStoreOptions(url))
  const addresses = new Map<string, string>()
  try {
    for (const wallet of wallets) {
      const created = walletCreated(wallet)
      if (created.type === 'wallet.created') addresses.set(wallet, created.address)
      await store.ledger.applyFacts([created, walletAssigned(wallet, 'alice')].map((fact) => ({ eventId: null, fact })))
    }
    await store.webhooks.put('alice', 'https://shop.example/paid')
    const addressOf = (wallet: string) => addresses.get(wallet) ?? ''
    await scenario({ store, url, receivedAt: Date.now() + 60_000, addressOf })
  } finally {
    await store.close()
  }
  await assertSoundDatabase(url)
}

async function create(store: Store, wallets: string | string[], amount: bigint, reference: string): Promise<string> {
  const walletIds = [wallets].flat()
  const request = invoiceRequest({ walletIds, amount: `${amount}`, currency: 'USDT', reference })
  const [fate] = await store.commands.perform([{ type: 'invoice', request }])
  assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
  return fate.value.outcome.value.id
}

function deposit({ addressOf, receivedAt }: Shop, wallet: string, amount: bigint, name: string): WalletCommand {
  const sighting = { network: 'SEP', txHash: name, index: 0, toAddress: addressOf(wallet), currency: 'Tether' } as const
  const fact = { ...sighting, amount: String(amount * UNIT), receivedAt }
  return { type: 'deposit', eventId: `event ${name}`, fact: { type: 'deposit', report: 'confirmed', sighting: fact } }
}

/** What became of each, and which deliveries it caused. They come from as many senders at once. */
async function record(store: Store, commands: readonly WalletCommand[]) {
  return effectsOf(await Promise.all(commands.map(async (command) => (await store.commands.perform([command]))[0])))
}

/** The same in one transaction. */
async function recordTogether(store: Store, commands: readonly WalletCommand[]) {
  return effectsOf(await store.commands.perform(commands))
}

function effectsOf(fates: readonly (Settled<WalletResult> | undefined)[]) {
  return fates.map((fate) => {
    assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'deposit')
    return { status: fate.value.outcome.status, owed: fate.value.owed.map(({ id }) => id) }
  })
}

test('deposits to many wallets that come at once share transactions, and each pays its own invoice and owes two deliveries', () => {
  const wallets = Array.from({ length: WALLETS }, (_, n) => `wallet-${n}`)
  return withShop(wallets, async (shop) => {
    const { store, url } = shop
    const invoices: string[] = []
    for (const wallet of wallets) invoices.push(await create(store, wallet, 5n, `order of ${wallet}`))
    const [before] = await administer(url, 'SELECT count(*)::integer AS commits FROM committed')
    const recorded = await record(
      store,
      wallets.map((wallet) => deposit(shop, wallet, 5n, `tx of ${wallet}`)),
    )
    const [after] = await administer(url, 'SELECT count(*)::integer AS commits FROM committed')
    const commitsOf = (row: unknown) => (row as { commits: number }).commits
    assert.ok(commitsOf(after) - commitsOf(before) < WALLETS / 2, 'each deposit has had a transaction of its own')
    const owed = recorded.flatMap((one) => one.owed)
    assert.equal(new Set(owed).size, 2 * WALLETS)
    for (const [i, { status, owed }] of recorded.entries()) {
      assert.equal(status, 'applied')
      const [pending, confirmed] = await Promise.all(owed.map((id) => store.outbox.find(id)))
      assert.deepEqual([pending?.status, confirmed?.status], ['pending', 'confirmed'])
      assert.deepEqual([pending?.invoiceId, confirmed?.invoiceId], [invoices[i], invoices[i]])
      assert.ok((pending?.id ?? '') < (confirmed?.id ?? ''))
      assert.equal((await store.invoices.findWithPayment(invoices[i] ?? ''))?.payment.status, 'paid')
    }
  })
})

test('of two deposits of one amount in a transaction, the second does not match the invoice that the first has matched', () =>
  withShop(['wallet-1'], async (shop) => {
    const { store } = shop
    const meant = await create(store, 'wallet-1', 5n, 'the one that is meant')
    const other = await create(store, 'wallet-1', 70n, 'another one')
    // The first is under way when the others come, so that these have the next transaction together.
    const names = ['tx-0', 'tx-1', 'tx-2']
    const recorded = await record(
      store,
      names.map((name) => deposit(shop, 'wallet-1', 5n, name)),
    )
    const matched = await Promise.all(
      recorded.map(async ({ owed }) => (await store.outbox.find(owed[0] ?? ''))?.invoiceId),
    )
    assert.deepEqual(matched, [meant, other, other])
  }))

test('an event that comes twice at once is applied once', () =>
  withShop(['wallet-1', 'wallet-2'], async (shop) => {
    const { store } = shop
    const command = deposit(shop, 'wallet-1', 5n, 'tx-1')
    const others = [deposit(shop, 'wallet-2', 5n, 'tx-2'), deposit(shop, 'wallet-2', 6n, 'tx-3')]
    const recorded = await record(store, [...others, command, command])
    assert.deepEqual(
      recorded.map(({ status }) => status),
      ['applied', 'applied', 'applied', 'duplicate'],
    )
  }))

test('of deposits in one transaction, each body with the payment shows what was received up to its own deposit', () =>
  withShop(['wallet-1', 'wallet-2'], async (shop) => {
    const { store } = shop
    await store.webhooks.put('alice', 'https://shop.example/paid', 'with-invoice')
    const four = await create(store, 'wallet-1', 4n, 'on one wallet')
    const six = await create(store, ['wallet-1', 'wallet-2'], 6n, 'on two wallets')
    const nine = await create(store, 'wallet-2', 9n, 'on the other')
    const recorded = await recordTogether(store, [
      deposit(shop, 'wallet-1', 4n, 'tx-1'),
      deposit(shop, 'wallet-2', 9n, 'tx-2'),
      deposit(shop, 'wallet-1', 6n, 'tx-3'),
    ])
    const told = await Promise.all(
      recorded.map(async ({ owed }) => {
        const confirmed = await store.outbox.find(owed[1] ?? '')
        return [confirmed?.invoiceId, JSON.parse(confirmed?.body ?? '{}').invoice.received]
      }),
    )
    assert.deepEqual(told, [
      [four, '4'],
      [nine, '9'],
      [six, '19'],
    ])
  }))

test('deposits in one transaction that match no amount are for the oldest unpaid invoice, one after the other', () =>
  withShop(['wallet-1'], async (shop) => {
    const { store } = shop
    const [old, middle, young] = [
      await create(store, 'wallet-1', 5n, 'old'),
      await create(store, 'wallet-1', 8n, 'middle'),
      await create(store, 'wallet-1', 20n, 'young'),
    ]
    const amounts = [1n, 6n, 2n, 15n, 3n]
    const recorded = await recordTogether(
      store,
      amounts.map((amount, n) => deposit(shop, 'wallet-1', amount, `tx-${n}`)),
    )
    const matched = await Promise.all(
      recorded.map(async ({ owed }) => (await store.outbox.find(owed[0] ?? ''))?.invoiceId),
    )
    // Received before each: 0, 1, 7, 9, 24. All count for every one; when none is unpaid, the newest hears of it.
    assert.deepEqual(matched, [old, old, middle, young, young])
  }))

test('two reports of a deposit in one transaction are matched by the time of the first', () =>
  withShop(['wallet-1'], async (shop) => {
    const { store } = shop
    const invoice = await create(store, 'wallet-1', 5n, 'later than the deposit')
    const command = deposit(shop, 'wallet-1', 5n, 'tx')
    assert.ok(command.type === 'deposit')
    const { sighting } = command.fact
    const report = (kind: DepositReport, receivedAt: number): WalletCommand => {
      return {
        type: 'deposit',
        eventId: null,
        fact: { type: 'deposit', report: kind, sighting: { ...sighting, receivedAt } },
      }
    }
    const recorded = await recordTogether(store, [report('pending', 1), report('confirmed', sighting.receivedAt)])
    assert.deepEqual(recorded, [
      { status: 'applied', owed: [] },
      { status: 'applied', owed: [] },
    ])
    assert.equal((await store.invoices.findWithPayment(invoice))?.payment.received, '0')
  }))
