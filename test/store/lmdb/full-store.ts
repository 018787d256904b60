import assert from 'node:assert/strict'
import { failedAgain } from '../../../src/domain/aside.js'
import type { ChainStep, ObservedBlock } from '../../../src/domain/block.js'
import { rateSetOf } from '../../../src/domain/rate-set.js'
import { wholeSecond } from '../../../src/domain/received-at.js'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.js'
import { Scenario } from '../../contract/store/harness.js'
import {
  addressOf,
  depositFact,
  invoiceRequest,
  registration,
  unwrap,
  walletAssigned,
  walletCreated,
} from '../../support/fixtures.js'
import { lmdbStoreOptions } from '../../support/lmdb-harness.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { orderCommand } from '../../support/orders.js'

const HOOK = 'https://shop.example/hook'
const SIGNED = { timestampMs: START_MS, digest: Buffer.alloc(32, 7) }

/** Fills a data directory with a few rows in every table, by ordinary use. */
export async function fillEveryTable(directory: string): Promise<void> {
  const clock = new ManualClock()
  const store = await openLmdbStore(lmdbStoreOptions(directory, clock))
  const t = new Scenario({ store, clock, failIds() {}, expectFlaw() {}, reopen: reject, discard: reject })
  await t.own('alice', 'wallet-1', 'wallet-2', 'wallet-3')
  await t.tell(walletCreated('free-1', 'TRX-NILE'))
  await t.tell(walletCreated('free-2', 'TRX-NILE'))
  await t.tell(walletCreated('bnb-1', 'BNB'))
  await t.tell({
    type: 'wallet.assigned',
    id: 'dated',
    address: addressOf('dated'),
    network: 'SEP',
    owner: 'bob',
    ledgerMs: START_MS,
  })
  await t.tell(walletCreated('gone', 'TRX-NILE'))
  for (const [id, ledgerMs] of [
    ['gone', 5],
    ['gone-before', 6],
  ] as const) {
    await t.tell({ type: 'wallet.withdrawn', id, umid: `${ledgerMs}`.padStart(64, '0'), ledgerMs, mayBeUnknown: true })
  }
  for (const seed of [3, 4, 5]) unwrap(await store.keys.register(registration(seed)))
  await store.webhooks.put('alice', HOOK)
  await store.webhooks.put('bob', HOOK)
  await invoices(t)
  await imports(t)
  await orders(t)
  await deposits(t)
  await chain(t)
  await ledger(t)
  await audit(t)
  await notes(t)
  await rates(t)
  await attempts(t)
  await eventWebhooks(t)
  await crowd(t)
  assert.equal(await store.events.removeBefore(START_MS + 1, 2), 2)
  await store.close()
}

function reject(): Promise<never> {
  return Promise.reject(new Error('the store is not opened again'))
}

async function invoices(t: Scenario): Promise<void> {
  for (let n = 1; n <= 6; n += 1) {
    await t.invoice({ amount: `${n}`, reference: `order ${n}`, expiresInSeconds: 3600 + n })
    const order = n > 4 ? { orderNumber: `A-${n}`, returnUrl: 'https://shop.example/', metadata: { n: `${n}` } } : {}
    await t.invoice({ amount: `${n}`, walletIds: ['wallet-2', 'wallet-3'], ...order })
  }
  for (const amount of ['71', '72']) unwrap(await t.void((await t.invoice({ amount })).id))
  const terms = (n: number) => ({
    idempotency: { scope: Buffer.alloc(32, n), bodyHash: Buffer.alloc(32, 9) },
    signed: { ...SIGNED, digest: Buffer.alloc(32, n) },
  })
  for (const n of [7, 8]) {
    await t.perform({ type: 'invoice', request: invoiceRequest({ amount: `${n}` }), terms: terms(n) })
  }
}

/** Orders that are paid by one coin, paid in part, void, and open. */
async function orders(t: Scenario): Promise<void> {
  await t.own('alice', 'wallet-8', 'wallet-9')
  const options = (usdt: string) => [
    { walletIds: ['wallet-8'], currency: 'USDT', amount: usdt },
    { walletIds: ['wallet-9'], currency: 'native', amount: usdt },
  ]
  const made: string[] = []
  for (const n of [91, 92, 93, 94]) {
    const result = await t.perform(
      orderCommand({ options: options(`${n}`), orderNumber: `O-${n}`, reference: `o ${n}` }),
    )
    if (result.type !== 'order') assert.fail()
    made.push(unwrap(result.outcome).order.id)
  }
  for (const [txHash, amount] of [
    ['0xwhole', '91000000'],
    ['0xpart', '46000000'],
  ] as const) {
    const at = { txHash, toAddress: addressOf('wallet-8'), currency: 'Tether', amount, receivedAt: START_MS + 50_000 }
    await t.deposit('confirmed', at)
  }
  await t.perform({ type: 'void-order', orderId: made[2] ?? '', owner: 'alice' })
  await leaningOrder(t)
}

/** An order that a half of its own and a half of nobody's have paid: its wallet was another's when the latter came. */
async function leaningOrder(t: Scenario): Promise<void> {
  await t.own('alice', 'wallet-6', 'wallet-7')
  const at = { toAddress: addressOf('wallet-6'), amount: '5', receivedAt: START_MS + 50_000 }
  const options = ['wallet-6', 'wallet-7'].map((id) => ({ walletIds: [id], currency: 'native', amount: '10' }))
  const result = await t.perform(orderCommand({ options }))
  if (result.type !== 'order') assert.fail()
  unwrap(result.outcome)
  await t.deposit('pending', { ...at, txHash: '0xown' })
  await t.tell(walletAssigned('wallet-6', 'bob'))
  await t.deposit('confirmed', { ...at, txHash: '0xnobodys' })
  await t.deposit('confirmed', { ...at, txHash: '0xown' })
}

/** Invoices of another store, whose ids do not begin with the time. */
async function imports(t: Scenario): Promise<void> {
  for (const digit of ['e', 'f']) {
    const invoice = {
      id: digit.repeat(32),
      owner: 'alice',
      wallet_id: 'wallet-1',
      wallet_ids: null,
      name: 'Before',
      description: null,
      reference: `before ${digit}`,
      amount: `10${digit.charCodeAt(0)}`,
      currency: 'USDT',
      callback_url: null,
      created_at: START_MS - 1000,
    } as const
    await t.store.imports.add([{ type: 'invoice', invoice, expiresAt: null, voidedAt: null, acceptedAt: null }])
  }
}

async function deposits(t: Scenario): Promise<void> {
  t.clock.set(START_MS + 100_000)
  unwrap(await t.accept((await t.invoice({ amount: '73', expiresInSeconds: 7200 })).id))
  for (let n = 1; n <= 3; n += 1) {
    await t.deposit(
      'confirmed',
      { txHash: `0xpaid${n}`, amount: `${n}`, receivedAt: START_MS + 60_000 + n },
      `event ${n}`,
    )
  }
  await t.deposit('confirmed', {
    ...{ network: 'BNB', txHash: '0xbnb', toAddress: addressOf('bnb-1'), currency: 'Tether' },
    amount: '1500000000000000000',
  })
  await t.deposit('pending', { txHash: '0xpending', amount: '4' })
  await t.deposit('pending', { txHash: '0xdropped', amount: '5' })
  await t.deposit('dropped', { txHash: '0xdropped' })
  // Paid by deposits that were for others: settled by the next search that meets them.
  await t.deposit('confirmed', {
    txHash: '0xtoken',
    toAddress: addressOf('wallet-2'),
    amount: '30',
    receivedAt: START_MS + 70_000,
  })
  await t.invoice({ amount: '6', walletIds: ['wallet-2', 'wallet-3'] })
  await t.perform({ type: 'deposit', eventId: 'rejected', fact: depositFact('confirmed', { amount: 'no amount' }) })
}

async function chain(t: Scenario): Promise<void> {
  const block = (height: number, ...names: readonly string[]): ObservedBlock => ({
    height,
    hash: `a${height}`,
    parentHash: `a${height - 1}`,
    ...wholeSecond(START_MS + height * 12_000),
    transfers: names.map((txHash) => {
      return { txHash, index: 0, toAddress: addressOf('wallet-1'), currency: '#native', amount: '0.5' }
    }),
  })
  const steps: readonly ChainStep[] = [
    {
      type: 'append',
      network: 'SEP',
      blocks: [block(7, 'x'), block(8), block(9, 'y', 'z')],
      isConfirmed: false,
      seenAtMs: 0,
    },
    { type: 'confirm', network: 'SEP', blocks: [block(7, 'x')] },
  ]
  await t.store.chain.watch('SEP')
  await t.store.chain.noteSettings('BNB', 'settings of a network without blocks')
  for (const step of steps) await t.perform({ type: 'chain', step })
  await aside(t)
}

/** A block that was set aside, one that is waited for, and deposits whose recording failed. */
async function aside(t: Scenario): Promise<void> {
  const of = { network: 'SEP', reason: 'no node can give it' } as const
  const block = { height: 8, hash: 'a8', parentHash: 'a7', timeMs: START_MS + 8 * 12_000 }
  const steps: readonly ChainStep[] = [
    {
      ...{ type: 'set_aside', network: 'SEP', block },
      aside: failedAgain(undefined, { ...of, height: 8 }, START_MS),
    },
    { type: 'unreadable', network: 'SEP', aside: failedAgain(undefined, { ...of, height: 9 }, START_MS) },
  ]
  for (const step of steps) await t.perform({ type: 'chain', step })
  for (const txHash of ['0xaside1', '0xaside2']) {
    await t.perform({
      type: 'deposit',
      eventId: `late ${txHash}`,
      fact: depositFact('confirmed', { txHash }),
      aside: 'a fault',
    })
  }
}

const KEYS = [`02${'a'.repeat(64)}`, `03${'b'.repeat(64)}`] as const

async function ledger(t: Scenario): Promise<void> {
  const umid = (n: number) => n.toString(16).padStart(64, '0')
  const at = (n: number) => ({ umid: umid(n), timestampMs: START_MS + n })
  await t.tell({ type: 'identity.keys', identity: 'pushed', keys: [KEYS[0], KEYS[1]] })
  const spans = [{ from: 1, to: 2, certain: [KEYS[0]], possible: [...KEYS] }]
  await t.store.ledger.saveKeyHistory('pushed', { spans, length: 2, head: 'b'.repeat(64) })
  await t.store.ledger.saveKeyHistory('f'.repeat(64), { spans: [], length: 1, head: 'c'.repeat(64) })
  await t.store.ledger.saveStep({
    progress: { origin: 'a ledger', newestMs: START_MS + 2, windowMs: START_MS, comparingMs: null, comparedAtMs: 0 },
    taken: [at(1), at(2)],
    setAside: [
      { ...at(3), attempts: 1, dueMs: START_MS },
      { ...at(4), attempts: 1, dueMs: START_MS },
    ],
    settled: [],
  })
}

/** An action that came to its end, and one whose process was killed. */
async function audit(t: Scenario): Promise<void> {
  const operator = { who: 'root (uid 0)', from: 'command line on shop' }
  const { id } = await t.store.audit.begin({ ...operator, action: 'import', owner: null, subject: 'records.ndjson' })
  await t.store.audit.note(id, { outcome: 'done', detail: '1 added, 0 known already, 0 refused' })
  await t.store.audit.begin({ ...operator, action: 'key.revoke', owner: 'alice', subject: 'f'.repeat(16) })
}

/** Two of one invoice, and one that is removed again. */
async function notes(t: Scenario): Promise<void> {
  const who = 'console session 9f31c2aa'
  const { id: invoiceId } = await t.invoice({ amount: '74' })
  for (const text of ['The payer called.\nPaid from an exchange.', 'Refunded.']) {
    unwrap(await t.store.notes.add({ invoiceId, who, text }))
  }
  const { id } = unwrap(await t.store.notes.add({ invoiceId, who, text: 'wrong' }))
  unwrap(await t.store.notes.remove(id))
}

/** A rate that is used, one that is held back, one that was left out, and a set that was refused. */
async function rates(t: Scenario): Promise<void> {
  const terms = { jump: 1000, maxAgeMs: 600_000 }
  const sets = [
    { USDT: '0.92', ETH: '3000', TRX: '0.25' },
    { USDT: '0.92', ETH: '300' },
  ]
  for (const [n, EUR] of sets.entries()) {
    const read = rateSetOf({ at: t.clock.now() - 1 + n, rates: { EUR } })
    assert.ok(read.ok)
    assert.equal((await t.store.rates.take({ origin: 'file', set: read.set }, terms)).kind, 'accepted')
  }
  await t.store.rates.take({ origin: 'file', refusal: { reason: 'unreachable', detail: 'no file' } }, terms)
}

/** More open invoices on a wallet than are examined with the deposit that pays them. */
async function crowd(t: Scenario): Promise<void> {
  await t.own('alice', 'wallet-4')
  for (let n = 1; n <= 40; n += 1) await t.invoice({ amount: `0.${100 + n}`, walletIds: ['wallet-4'] })
  await t.deposit('confirmed', { txHash: '0xcrowd', toAddress: addressOf('wallet-4'), receivedAt: t.clock.now() + 1 })
}

/** An event that is sent, one of a failure, and one that waits to be queued; and what still waits of an owner who has chosen again. */
async function eventWebhooks(t: Scenario): Promise<void> {
  const { eventOutbox, outbox, webhooks } = t.store
  await webhooks.put('bob', HOOK, 'events', ['invoice.created', 'delivery.failed'])
  await t.invoice({ owner: 'bob', walletIds: ['dated'], amount: '1' })
  const { owed } = await eventOutbox.queueNext('bob', 9)
  const id = owed[0]?.id ?? ''
  await outbox.markAttempted(id)
  await outbox.recordResult(id, { kind: 'answered', httpStatus: 500, durationMs: 1 }, () => null)
  await eventOutbox.queueNext('bob', 9)
  await t.invoice({ owner: 'bob', walletIds: ['dated'], amount: '2' })
  await t.own('carol', 'wallet of carol')
  await webhooks.put('carol', HOOK, 'events')
  await t.invoice({ owner: 'carol', walletIds: ['wallet of carol'] })
  await webhooks.put('carol', HOOK, 'with-invoice')
}

/** Leaves deliveries in every state. */
async function attempts(t: Scenario): Promise<void> {
  const lanes = await t.store.outbox.queuedLanes()
  const queued = await t.store.outbox.queued(lanes[0]?.lane ?? '', null, 9)
  const fates = [null, null, START_MS + 500_000, START_MS + 600_000, 'settled'] as const
  for (const [i, fate] of fates.entries()) {
    const id = queued[i]?.id ?? ''
    await t.store.outbox.markAttempted(id)
    if (fate === null) continue
    const next = fate === 'settled' ? null : fate
    await t.store.outbox.recordResult(id, { kind: 'answered', httpStatus: 500, durationMs: 1 }, () => next)
  }
}
