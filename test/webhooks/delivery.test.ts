import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { afterEach, describe, test } from 'node:test'
import type { DepositStatus } from '../../src/domain/deposit.js'
import { createLog } from '../../src/log.js'
import type { LmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import type { OwedDelivery } from '../../src/store/outbox.js'
import { AddressGuard } from '../../src/webhooks/address-guard.js'
import { Dispatcher } from '../../src/webhooks/dispatcher.js'
import { HttpSender, type Sender } from '../../src/webhooks/sender.js'
import { addressOf, invoiceRequest, openStoreAt } from '../support/lmdb-fixture.js'
import { openReceiver } from '../support/receiver.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { throwIt } from '../support/throw-it.js'
import { CONCURRENCY, HoldingSender, idle } from './outbox-model.js'

/* From a deposit in the real store to a receiver on loopback. */

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

async function openStore(path?: string): Promise<{ store: LmdbStore; path: string }> {
  if (path !== undefined) return { store: await openStoreAt(path), path }
  const directory = temporaryDirectory()
  cleanups.push(() => directory.remove())
  return { store: await openStoreAt(directory.path), path: directory.path }
}

async function receiver() {
  const opened = await openReceiver()
  cleanups.push(() => opened.close())
  return opened
}

function realSender(): Sender {
  const sender = new HttpSender({ guard: new AddressGuard({ allowAll: true, allow: [] }) })
  cleanups.push(() => sender.close())
  return sender
}

function dispatch(store: LmdbStore, sender: Pick<Sender, 'send'>) {
  return new Dispatcher({
    outbox: store.outbox,
    webhooks: store.webhooks,
    sender,
    clock: { now: () => 1_700_000_000_500 },
    ...CONCURRENCY,
    log: createLog('silent'),
    onWrongTransition: throwIt,
  })
}

/** Assigns the wallet and asks for an invoice over 10 USDT on it; answers the invoice's id. */
async function invoiceOn(store: LmdbStore, owner: string, wallet: string, callbackUrl: string): Promise<string> {
  await store.ledger.applyFacts([
    { eventId: null, fact: { type: 'wallet.created', id: wallet, address: addressOf(wallet), network: 'SEP' } },
    { eventId: null, fact: { type: 'wallet.assigned', id: wallet, address: null, network: null, owner } },
  ])
  const request = invoiceRequest(owner, [wallet], '10', { reference: `order of ${wallet}`, callbackUrl })
  const [fate] = await store.commands.perform([{ type: 'invoice', request }])
  assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice' && fate.value.outcome.ok)
  return fate.value.outcome.value.id
}

/** Observes a deposit of 10 USDT to the wallet and answers what it owes. */
async function deposit(store: LmdbStore, wallet: string, report: DepositStatus): Promise<readonly OwedDelivery[]> {
  const sighting = {
    network: 'SEP' as const,
    txHash: `0x${wallet}`,
    index: 0,
    toAddress: addressOf(wallet),
    currency: 'Tether',
    amount: '10000000',
    receivedAt: 2_000_000_000_000,
  }
  const [fate] = await store.commands.perform([
    { type: 'deposit', eventId: null, fact: { type: 'deposit', report, sighting } },
  ])
  assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'deposit')
  return fate.value.owed
}

describe('a deposit', () => {
  test('tells its merchant pending, then confirmed, each signed twice over its exact bytes', async () => {
    const { store } = await openStore()
    const shop = await receiver()
    const invoiceId = await invoiceOn(store, 'merchant', 'w1', `${shop.url}/hook?shop=1`)
    const dispatcher = dispatch(store, realSender())
    await dispatcher.start()
    // Confirmed without a pending before it owes both.
    const owed = await deposit(store, 'w1', 'confirmed')
    assert.equal(owed.length, 2)
    dispatcher.notify(owed)
    await idle(dispatcher)
    assert.equal(shop.requests.length, 2)
    const { current: secret } = await store.webhooks.secrets('merchant')
    for (const [i, status] of (['pending', 'confirmed'] as const).entries()) {
      const request = shop.requests[i] ?? assert.fail('a request is missing')
      const id = owed[i]?.id ?? assert.fail('a delivery is missing')
      assert.equal(request.method, 'POST')
      assert.equal(request.path, '/hook?shop=1')
      assert.equal(
        request.body.toString(),
        `{"reference":"order of w1","status":"${status}","invoiceId":"${invoiceId}","network":"SEP","txHash":"0xw1",` +
          `"toAddress":"${addressOf('w1')}","amount":"10000000","currency":"Tether","receivedAt":2000000000000}`,
      )
      assert.equal(request.headers['content-type'], 'application/json')
      assert.equal(
        request.headers['x-service-signature'],
        createHmac('sha256', Buffer.from(secret, 'ascii')).update(request.body).digest('hex'),
      )
      assert.equal(request.headers['webhook-id'], id)
      assert.equal(request.headers['webhook-timestamp'], '1700000000')
      const standard = createHmac('sha256', Buffer.from(secret, 'hex'))
      standard.update(`${id}.1700000000.`).update(request.body)
      assert.equal(request.headers['webhook-signature'], `v1,${standard.digest('base64')}`)
      const delivery = store.outbox.find(id)
      assert.equal(delivery?.state, 'settled')
      assert.equal(delivery?.attempts, 1)
      assert.ok(delivery?.result?.kind === 'answered' && delivery.result.httpStatus === 200)
    }
    await dispatcher.stop()
    await store.close()
  })

  test('whose receiver is at a forbidden address has that as the outcome, and nothing is sent', async () => {
    const { store } = await openStore()
    const shop = await receiver()
    await invoiceOn(store, 'merchant', 'w1', shop.url)
    const sender = new HttpSender({ guard: new AddressGuard({ allowAll: false, allow: [] }) })
    const dispatcher = dispatch(store, sender)
    await dispatcher.start()
    const [owed] = await deposit(store, 'w1', 'pending')
    assert.ok(owed !== undefined)
    dispatcher.notify([owed])
    await idle(dispatcher)
    const delivery = store.outbox.find(owed.id)
    assert.ok(delivery?.result?.kind === 'failed' && delivery.result.reason === 'refused_address')
    assert.equal(shop.connections, 0)
    await dispatcher.stop()
    await store.close()
  })
})

describe('after a crash', () => {
  test('what was attempted is not repeated, and what was not is sent', async () => {
    const { store, path } = await openStore()
    const shop = await receiver()
    await invoiceOn(store, 'merchant', 'w1', shop.url)
    await invoiceOn(store, 'merchant', 'w2', shop.url)
    const crashing = new HoldingSender()
    const before = dispatch(store, crashing)
    await before.start()
    const [attempted] = await deposit(store, 'w1', 'pending')
    assert.ok(attempted !== undefined)
    before.notify([attempted])
    await crashing.began(1)
    assert.equal(store.outbox.find(attempted.id)?.state, 'attempted')
    // Owed, but the process ends before its dispatcher hears of it: also the one that waits for the first.
    const [queued] = await deposit(store, 'w2', 'pending')
    const [behind] = await deposit(store, 'w1', 'confirmed')
    assert.ok(queued !== undefined && behind !== undefined)
    await store.close()

    const { store: reopened } = await openStore(path)
    const after = dispatch(reopened, realSender())
    await after.start()
    await idle(after)
    const ids = shop.requests.map(({ headers }) => headers['webhook-id']).sort()
    assert.deepEqual(ids, [queued.id, behind.id].sort())
    const interrupted = reopened.outbox.find(attempted.id)
    assert.equal(interrupted?.state, 'settled')
    assert.equal(interrupted?.attempts, 1)
    assert.ok(interrupted?.result?.kind === 'failed' && interrupted.result.reason === 'interrupted')
    for (const { id } of [queued, behind]) assert.equal(reopened.outbox.find(id)?.result?.kind, 'answered')
    await after.stop()
    await reopened.close()
  })
})

describe('many deliveries', () => {
  test('to many merchants all arrive once, and no destination gets more at a time than it may', async () => {
    const { store } = await openStore()
    const shop = await receiver()
    const merchants = 6
    const each = 20
    for (let m = 0; m < merchants; m += 1) {
      for (let i = 0; i < each; i += 1) await invoiceOn(store, `merchant ${m}`, `w${m}x${i}`, `${shop.url}/${m}`)
    }
    const dispatcher = new Dispatcher({
      outbox: store.outbox,
      webhooks: store.webhooks,
      sender: realSender(),
      clock: { now: () => 1_700_000_000_500 },
      log: createLog('silent'),
      onWrongTransition: throwIt,
      concurrency: 9,
      concurrencyPerDestination: 3,
    })
    await dispatcher.start()
    for (let i = 0; i < each; i += 1) {
      for (let m = 0; m < merchants; m += 1) dispatcher.notify(await deposit(store, `w${m}x${i}`, 'confirmed'))
    }
    await idle(dispatcher)
    assert.equal(shop.requests.length, merchants * each * 2)
    assert.equal(new Set(shop.requests.map(({ headers }) => headers['webhook-id'])).size, merchants * each * 2)
    assert.ok(shop.peak <= 9)
    assert.deepEqual(store.outbox.queuedLanes(), [])
    await dispatcher.stop()
    await store.close()
  })
})
