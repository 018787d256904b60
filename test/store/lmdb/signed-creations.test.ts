import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNED_REQUEST_KEPT_MS } from '../../../src/domain/idempotency.js'
import type { WalletCommand } from '../../../src/store/commands.js'
import { invoiceRequest, openFixture, openStoreAt } from '../../support/lmdb-fixture.js'
import { ManualClock } from '../../support/manual-clock.js'

const WINDOW_MS = 5 * 60 * 1000

test('a signed request is known for as long as its timestamp may pass, across restarts, and forgotten afterwards', async () => {
  const clock = new ManualClock()
  const { store, path, assign } = await openFixture(clock)
  await assign('shop', 'a', 'b')
  let current = store
  // Signed by a client whose clock is ahead as far as it may be.
  const timestampMs = clock.now() + WINDOW_MS
  const create = async (walletId: string, digest: number, amount: string) => {
    const command: WalletCommand = {
      type: 'invoice',
      request: invoiceRequest('shop', [walletId], amount),
      terms: { signed: { timestampMs, digest: Buffer.alloc(32, digest) } },
    }
    const [fate] = await current.commands.perform([command])
    assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice')
    return fate.value.outcome.ok ? 'created' : fate.value.outcome.failure.code
  }
  assert.equal(await create('a', 1, '1'), 'created')
  assert.equal(await create('b', 1, '1'), 'request_repeated')
  // What is refused for another reason is not known.
  assert.equal(await create('a', 2, '1'), 'amount_in_use')
  assert.equal(await create('b', 2, '1'), 'created')
  await current.close()
  current = await openStoreAt(path, clock)
  clock.set(timestampMs + WINDOW_MS)
  assert.equal(await create('b', 1, '3'), 'request_repeated')
  clock.set(timestampMs + SIGNED_REQUEST_KEPT_MS)
  assert.equal(await current.commands.removeExpiredRequests(9), 0)
  clock.advance(1)
  assert.equal(await current.commands.removeExpiredRequests(1), 1)
  assert.equal(await current.commands.removeExpiredRequests(9), 1)
  assert.equal(await current.commands.removeExpiredRequests(9), 0)
  await current.close()
})

test('expired idempotency keys and signed requests are removed, together no more than asked for', async () => {
  const clock = new ManualClock()
  const { store, assign, close } = await openFixture(clock)
  await assign('shop', 'a')
  for (let n = 1; n <= 3; n += 1) {
    const idempotency = { scope: Buffer.alloc(32, n), bodyHash: Buffer.alloc(32, n) }
    const signed = { timestampMs: clock.now(), digest: Buffer.alloc(32, n) }
    await store.commands.perform([
      { type: 'invoice', request: invoiceRequest('shop', ['a'], `${n}`), terms: { idempotency, signed } },
    ])
  }
  clock.advance(2 * 24 * 60 * 60 * 1000)
  const removed: number[] = []
  for (let n = 0; n < 4; n += 1) removed.push(await store.commands.removeExpiredRequests(2))
  assert.deepEqual(removed, [2, 2, 2, 0])
  await close()
})
