import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BEHIND_ALL } from '../../src/store/outbox.js'
import { laneOf } from '../../src/store/postgres/outbox/new-deliveries.js'
import type { Store } from '../../src/store/store.js'
import { withDeliveryIds } from './owed-deliveries.js'

const URLS = ['https://one.test/hook', 'https://other.test/hook'] as const
const LANES = URLS.map((url) => laneOf('alice', url))

/** A store in which alice has these deliveries: the id, and to which of the URLs it goes. */
function storeWith(deliveries: readonly (readonly [id: string, url: 0 | 1])[]): Store {
  const items = deliveries.map(([id, url]) => ({ id, url: URLS[url] })).reverse()
  return { outbox: { page: async () => ({ items, next: null }) } } as unknown as Store
}

const owed = (id: string, lane: 0 | 1) => ({ id, lane: LANES[lane] ?? '', owner: 'alice' })
const answer = (...ids: readonly (readonly [id: string, lane: 0 | 1])[]) => {
  return { status: 'fulfilled', value: { type: 'deposit', owed: ids.map(([id, lane]) => owed(id, lane)) } } as const
}

test('new deliveries without ids are those in their lanes that nobody has named, in order', async () => {
  const store = storeWith([
    ['1', 0],
    ['2', 0],
    ['3', 1],
    ['4', 0],
    ['5', 0],
  ])
  const batch = {
    status: 'fulfilled',
    value: [answer([BEHIND_ALL, 0], [BEHIND_ALL, 1]), answer([BEHIND_ALL, 0])],
  } as const
  const failed = { status: 'rejected', reason: new Error('a command') } as const
  const fates = [batch, answer(['4', 0]), failed]
  assert.deepEqual(await withDeliveryIds(fates, store, (id) => id === '1'), [
    { status: 'fulfilled', value: [answer(['2', 0], ['3', 1]), answer(['5', 0])] },
    answer(['4', 0]),
    failed,
  ])
})

test('nothing is looked up where every delivery has its id, and one that is not there keeps none', async () => {
  const fates = [answer(['4', 0])]
  assert.equal(await withDeliveryIds(fates, {} as Store, () => false), fates)
  const lost = [answer([BEHIND_ALL, 1])]
  assert.deepEqual(await withDeliveryIds(lost, storeWith([['1', 0]]), () => false), lost)
})
