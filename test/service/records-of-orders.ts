import assert from 'node:assert/strict'
import { ask, hashOf, pushEvents, pushHeaders } from '../chaos/http-client.js'
import { command } from '../cli/served.js'

/** What a service needs to take rates from a push. */
export const TAKES_RATES = { BILLHOOK_RATES: 'push' }

const OWNER = 'order-shop'
const WALLETS = Array.from({ length: 10 }, (_, n) => `order-wallet-${n}`)
const DESCRIPTION = 'x'.repeat(1000)

/** An order, a set of rates and a note, as a service acknowledged them; and what it must answer about them from then on. */
export class RecordsOfOrders {
  private constructor(
    private readonly directory: string,
    private readonly order: unknown,
    private rates: unknown,
    private readonly notes: string,
  ) {}

  static async write(url: string, directory: string): Promise<RecordsOfOrders> {
    const events = WALLETS.map((id) => {
      const wallet = { id, address: hashOf(id).slice(0, 42), network: 'SEP' }
      return { id, type: 'wallet.assigned', wallet, owner: OWNER }
    })
    assert.equal((await pushEvents(url, events))?.status, 200)
    assert.equal((await pushRates(url, '0.92'))?.status, 200)
    const created = await createOrder(url, WALLETS.slice(0, 2), 'kept')
    assert.equal(created?.status, 201, JSON.stringify(created?.json))
    const { id, invoices } = created.json
    const noted = await command('notes', 'add', invoices[0].id, 'Called; wants a refund.', '--data', directory)
    assert.deepEqual([noted.code, noted.stderr], [0, ''])
    return new RecordsOfOrders(directory, await orderAt(url, id), await ratesAt(url), await notesIn(directory))
  }

  /** While the service can store nothing. A small write may still find room, and is then kept. */
  async assertRefuses(url: string): Promise<void> {
    const order = await createOrder(url, WALLETS, 'refused')
    assert.deepEqual([order?.status, order?.json.code], [503, 'storage_unavailable'])
    const pushed = await pushRates(url, '0.93')
    if (pushed?.status === 200) this.rates = await ratesAt(url)
    else assert.deepEqual([pushed?.status, pushed?.json.code], [503, 'storage_unavailable'])
  }

  async assertKept(url: string): Promise<void> {
    const { id } = this.order as { readonly id: string }
    assert.deepEqual(await orderAt(url, id), this.order)
    const listed = await ask('GET', `${url}/api/users/${OWNER}/orders`)
    assert.deepEqual(listed?.json, [this.order])
    assert.deepEqual(await ratesAt(url), this.rates)
    assert.equal(await notesIn(this.directory), this.notes)
  }
}

function createOrder(url: string, walletIds: readonly string[], reference: string) {
  const options = walletIds.map((wallet) => ({ walletIds: [wallet], currency: 'USDT' }))
  const price = { amount: '25.00', currency: 'EUR' }
  const body = {
    owner: OWNER,
    name: 'Order',
    description: DESCRIPTION,
    price,
    options,
    reference,
    expiresInSeconds: 86_400,
  }
  return ask('POST', `${url}/api/orders`, JSON.stringify(body))
}

function pushRates(url: string, rate: string) {
  const body = JSON.stringify({ at: Date.now(), rates: { EUR: { USDT: rate } } })
  return ask('POST', `${url}/internal/rates`, body, pushHeaders(body))
}

async function orderAt(url: string, id: string): Promise<unknown> {
  const answer = await ask('GET', `${url}/api/orders/${id}`)
  assert.equal(answer?.status, 200)
  return answer.json
}

/** Without what changes by itself. */
async function ratesAt(url: string): Promise<unknown> {
  const answer = await ask('GET', `${url}/api/rates`)
  assert.equal(answer?.status, 200)
  return answer.json.rates
}

async function notesIn(directory: string): Promise<string> {
  const { code, stdout, stderr } = await command('notes', 'list', '--json', '--data', directory)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}
