import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lists } from '../../../src/http/lists.js'
import { orderHandlers } from '../../../src/http/routes/orders.js'
import { TEST_NETWORKS } from '../../support/networks.js'
import { PRICE_DECIMALS } from '../../support/orders.js'
import { unlimitedLists } from '../../support/unlimited-lists.js'
import { headFrom } from '../head-from.js'

/** What none of the requests here comes to. */
const none = () => assert.fail('it is not asked for')

test('a client has a single order read in its turn, and is charged for it', async () => {
  const unlimited = unlimitedLists()
  const charged: string[] = []
  const lists: Pick<Lists, 'admit' | 'charged'> = {
    admit: none,
    charged: (request, answer) => {
      charged.push(request.path)
      return unlimited.charged(request, answer)
    },
  }
  const asked: string[] = []
  const find = (id: string) => {
    asked.push(id)
    return undefined
  }
  const handlers = orderHandlers({
    lists,
    orders: { find: none, findWithOptions: find, findWithDeposits: none, findByReference: none, page: none, all: none },
    directory: { createOrder: none, voidOrder: none, acceptOrder: none },
    charge: none,
    ...{ basePath: '', defaultExpirySeconds: 900 },
    ...{ networks: TEST_NETWORKS, wallets: { find: none }, ratesNow: none, places: PRICE_DECIMALS, now: none },
  })
  const request = { ...headFrom('192.0.2.1'), body: Buffer.alloc(0), aborted: false }
  assert.equal((await handlers['GET /api/orders/:id'](request, { id: 'one' }, null)).status, 404)
  assert.deepEqual([asked, charged], [['one'], [request.path]])
})
