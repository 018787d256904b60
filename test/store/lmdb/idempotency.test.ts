import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IDEMPOTENCY_KEPT_MS } from '../../../src/domain/idempotency.js'
import type { WalletCommand } from '../../../src/store/commands.js'
import { invoiceRequest, openFixture, openStoreAt } from '../../support/lmdb-fixture.js'
import { ManualClock } from '../../support/manual-clock.js'

function command(amount: number, scope: number, body: number): WalletCommand {
  return {
    type: 'invoice',
    request: invoiceRequest('shop', ['w'], `${amount}`),
    terms: { idempotency: { scope: Buffer.alloc(32, scope), bodyHash: Buffer.alloc(32, body) } },
  }
}

test('an idempotency key is kept for a day, across restarts, and free afterwards', async () => {
  const clock = new ManualClock()
  const { store, path, assign } = await openFixture(clock)
  await assign('shop', 'w')
  let current = store
  const perform = async (amount: number, scope: number, body: number) => {
    const [fate] = await current.commands.perform([command(amount, scope, body)])
    assert.ok(fate?.status === 'fulfilled' && fate.value.type === 'invoice')
    const { outcome, isReplay } = fate.value
    return { result: outcome.ok ? outcome.value.id : outcome.failure.code, isReplay }
  }
  const first = await perform(1, 1, 1)
  assert.equal(first.isReplay, false)
  clock.advance(IDEMPOTENCY_KEPT_MS - 1)
  await current.close()
  current = await openStoreAt(path, clock)
  assert.deepEqual(await perform(2, 1, 1), { result: first.result, isReplay: true })
  assert.deepEqual(await perform(2, 1, 2), { result: 'idempotency_key_reused', isReplay: false })
  clock.advance(1)
  const second = await perform(2, 1, 2)
  assert.equal(second.isReplay, false)
  assert.match(second.result, /^[0-9a-f]{32}$/)
  assert.deepEqual(await perform(3, 1, 2), { result: second.result, isReplay: true })
  // Keys that expired are removed as new ones come, and take no key along that was used again meanwhile.
  for (let scope = 2; scope < 50; scope += 1) await perform(scope * 10, scope, 1)
  clock.advance(IDEMPOTENCY_KEPT_MS + 1)
  for (let scope = 50; scope < 80; scope += 1) await perform(scope * 10, scope, 1)
  const replay = await perform(9999, 79, 1)
  assert.equal(replay.isReplay, true)
  assert.equal(await current.commands.removeExpiredRequests(1000), 0)
  await current.close()
})
