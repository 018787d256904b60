import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDatabase } from '../support/postgres-harness.js'
import { postgresForTests } from '../support/postgres-tests.js'
import { gatewayHeaders, type Reply, ServiceFixture } from '../support/service-fixture.js'
import { validAddress } from '../support/valid-address.js'

/*
 * Many customers who buy the same at the same moment, on one wallet: only its amount tells whose a payment is.
 */

const server = await postgresForTests({ isDurable: true })

const ORDERS = 40
const OWNER = 'merchant'
const wallet = { id: 'w', address: validAddress('SEP', 'w'), network: 'SEP' }
/** 25.00 EUR at 0.92 EUR for one USDT, and what is at most half a percent above it. */
const AMOUNTS = Array.from({ length: 14 }, (_, n) => 2718 + n)
/** What a plain invoice asks, in three of these ways to write it. */
const PLAIN = 2725
const PLAIN_TEXTS = ['27.25', '27.250', '027.25']

async function shop(t: TestContext, store: string): Promise<ServiceFixture> {
  const fixture = await ServiceFixture.start({ BILLHOOK_STORE: store, BILLHOOK_RATES: 'push' })
  t.after(() => fixture.stop())
  return fixture
}

async function pushRates(fixture: ServiceFixture): Promise<void> {
  const body = JSON.stringify({ at: Date.now(), rates: { EUR: { USDT: '0.92' } } })
  const { json } = await fixture.post('/internal/rates', body, gatewayHeaders(String(Date.now()), body))
  assert.equal(json.status, 'accepted')
}

function hundredths(amount: string): number {
  return Math.round(Number(amount) * 100)
}

/** Orders of one price and plain invoices of an amount among theirs, all at once. */
async function rush(fixtures: readonly ServiceFixture[]): Promise<void> {
  const order = {
    owner: OWNER,
    name: 'Order',
    price: { amount: '25.00', currency: 'EUR' },
    options: [{ walletIds: ['w'], currency: 'USDT' }],
  }
  const at = (n: number) => fixtures[n % fixtures.length] ?? assert.fail()
  const orders: Promise<Reply>[] = []
  const plain: Promise<Reply>[] = []
  for (let n = 0; n < ORDERS; n += 1) {
    orders.push(at(n).post('/api/orders', order))
    const amount = PLAIN_TEXTS[n]
    if (amount === undefined) continue
    plain.push(
      at(n + 1).post('/api/invoices', { owner: OWNER, walletIds: ['w'], name: 'Plain', currency: 'USDT', amount }),
    )
  }
  const made: number[] = []
  for (const { status, json, text } of await Promise.all(orders)) {
    if (status === 201) made.push(hundredths(json.invoices[0].amount))
    else assert.deepEqual([status, json.code, json.wallet], [409, 'amount_in_use', 'w'], text)
  }
  const others = await Promise.all(plain)
  const taken = others.filter(({ status }) => status === 201).length
  assert.ok(others.every(({ status, json }) => status === 201 || json.code === 'amount_in_use'))
  // Each amount once, whether an order or an invoice has it, and none beyond half a percent.
  assert.ok(taken <= 1 && made.length === AMOUNTS.length - taken, `${made.length} orders and ${taken} invoices`)
  const all = [...made, ...(taken === 1 ? [PLAIN] : [])].sort((one, other) => one - other)
  assert.deepEqual(all, AMOUNTS)
  assert.ok(Math.max(...all) * 1000 <= 2718 * 1005)
}

test('equal prices at once on one wallet ask amounts that are apart, within half a percent: LMDB', async (t) => {
  const fixture = await shop(t, 'lmdb')
  await fixture.assign(OWNER, wallet)
  await pushRates(fixture)
  await rush([fixture])
})

test('equal prices at once on one wallet ask amounts that are apart, within half a percent: two processes on PostgreSQL', {
  skip: server === null,
}, async (t) => {
  assert.ok(server !== null)
  const store = await createDatabase(server)
  const [one, other] = [await shop(t, store), await shop(t, store)]
  await one.assign(OWNER, wallet)
  await pushRates(one)
  await rush([one, other])
})
