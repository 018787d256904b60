import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openReceiver, type ReceivedRequest, type Receiver } from '../support/receiver.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { type Answered, ask, hashOf, pushEvents } from './http-client.js'
import { addressOf, walletOf } from './loaded-service.js'
import { Ledger, type Sale } from './shop-ledger.js'

const SHOP = 'shop'
const OTHER = 'other'
const WALLETS = 20
/** Equal for everybody, and few: each is asked again and again on each wallet. */
const PRICES = Array.from({ length: 30 }, (_, n) => (n + 1) * 5 - 1)
/** Of a season; there are two. */
const CUSTOMERS = { exact: 250, part: 25, much: 25, abandoned: 100 } as const
/** Of those that come after the last payment of a season. */
const LATE_ABANDONED = 100
const EXPIRES_IN_SECONDS = 60
const OVERLAP_SECONDS = 20
const AT_ONCE = 20
const TRIES = 200
const PAUSE_MS = 50
const SETTLED_MS = 60_000

type Customer = keyof typeof CUSTOMERS

/**
 * A year of a shop in three minutes: 1000 invoices at equal prices on 20 shared wallets, of which 400 are abandoned and
 * expire, 500 are paid exactly, 50 partly and 50 too much. Its secret is rotated, one of its wallets goes to somebody
 * else, and the service is killed twice. In the end every merchant's books agree with what was sent.
 */
export async function shop(say: (line: string) => void): Promise<void> {
  const year = await Year.begin()
  try {
    await year.season('first', say)
    await year.rest(say)
    await year.reassignLastWallet()
    await year.season('second', say)
    await year.rest(say)
    await year.closeTheBooks(say)
  } finally {
    await year.end()
  }
}

class Year {
  private readonly ledger = new Ledger()
  private readonly secrets: string[] = []
  private wallets = Array.from({ length: WALLETS }, (_, n) => walletOf(SHOP, n))
  private overlapEndsAt = Number.POSITIVE_INFINITY
  private transactions = 0
  private orders = 0
  private references = 0
  private isDown = false

  private constructor(
    private service: ServiceProcess,
    private readonly path: string,
    private readonly remove: () => void,
    private readonly receiver: Receiver,
  ) {}

  static async begin(): Promise<Year> {
    const place = temporaryDirectory()
    const receiver = await openReceiver()
    const year = new Year(await startOn(place.path), place.path, () => place.remove(), receiver)
    const wallets = year.wallets.map((id) => ({
      id,
      type: 'wallet.assigned',
      wallet: { id, address: addressOf(id), network: 'SEP' },
      owner: SHOP,
    }))
    await year.push(wallets)
    for (const owner of [SHOP, OTHER]) {
      const { json } = await year.call('PUT', `/api/users/${owner}/webhook`, {
        callbackUrl: `${receiver.url}/${owner}`,
      })
      year.secrets.push(json.secret)
    }
    return year
  }

  async end(): Promise<void> {
    await this.service.end('SIGTERM')
    await this.receiver.close()
    this.remove()
  }

  /** Orders come in and are paid, or not; the service is killed in the middle, in the first the secret is rotated. */
  async season(name: 'first' | 'second', say: (line: string) => void): Promise<void> {
    const customers = shuffled(
      (Object.entries(CUSTOMERS) as [Customer, number][]).flatMap(([kind, count]) =>
        Array.from({ length: count }, () => kind),
      ),
    )
    let served = 0
    await inParallel(AT_ONCE, customers, async (kind) => {
      served += 1
      if (served === Math.floor(customers.length / 2)) void this.kill(say)
      if (name === 'first' && served === Math.floor(customers.length / 3)) await this.rotate()
      await this.pay(await this.order(), kind)
    })
    // Nothing that others pay covers these.
    for (let n = 0; n < LATE_ABANDONED; n += 1) await this.order()
    say(`  ${name} season: ${customers.length + LATE_ABANDONED} orders`)
  }

  /** Until everything that was abandoned has expired. */
  async rest(say: (line: string) => void): Promise<void> {
    const expiring = this.ledger.sales.filter(({ expiresAt }) => Number.isFinite(expiresAt))
    const last = Math.max(...expiring.map(({ expiresAt }) => expiresAt))
    say(`  the shop is closed for ${Math.ceil((last - Date.now()) / 1000)} s`)
    await sleep(Math.max(0, last - Date.now()) + 1000)
  }

  async reassignLastWallet(): Promise<void> {
    const wallet = this.wallets.at(-1) ?? ''
    this.wallets = this.wallets.slice(0, -1)
    await this.push([{ id: 'reassigned', type: 'wallet.assigned', wallet: { id: wallet }, owner: OTHER }])
    const sale = await this.create(OTHER, wallet, 999, null)
    assert.ok(sale !== null)
    await this.pay(sale, 'exact')
    // What still comes for an old order of the shop is told to the new owner, and to nobody else.
    await this.deposit(wallet, 3, OTHER, null)
  }

  async closeTheBooks(say: (line: string) => void): Promise<void> {
    await this.settle()
    const told = this.ledger.book(this.receiver.requests.map((request) => this.read(request)))
    const invoices = new Map<string, unknown>()
    for (const owner of [SHOP, OTHER]) {
      for (const one of (await this.call('GET', `/api/users/${owner}/invoices?include=payment`)).json) {
        invoices.set(one.id, one)
      }
    }
    assert.equal(invoices.size, this.ledger.sales.length, 'as many invoices as orders')
    const { paid, voided } = this.ledger.compare(invoices)
    say(
      `  ${this.ledger.deposits.length} deposits, ${told.notifications} notifications, none missing, none to anybody else`,
    )
    say(
      `  ${told.exact} exact payments, ${told.astray} told of another order because an odd one was told of theirs before`,
    )
    say(`  ${this.ledger.sales.length} invoices: ${paid} paid, ${voided} void, every sum as it was sent`)
  }

  /** An order on the next wallet on which its price is free. */
  private async order(): Promise<Sale> {
    this.orders += 1
    const price = PRICES[this.orders % PRICES.length] ?? 1
    for (let tries = 0; tries < TRIES; tries += 1) {
      const wallet = this.wallets[(this.orders + tries) % this.wallets.length] ?? ''
      const sale = await this.create(SHOP, wallet, price, EXPIRES_IN_SECONDS)
      if (sale !== null) return sale
      // Every wallet has it: the customers of before have to pay, or to go away.
      if (tries % this.wallets.length === this.wallets.length - 1) await sleep(PAUSE_MS)
    }
    throw new Error(`no wallet is free for ${price}`)
  }

  /** Null when the amount is in use. A request whose answer was lost is repeated under its key. */
  private async create(owner: string, wallet: string, price: number, expiresInSeconds: number | null) {
    this.references += 1
    const reference = `order-${this.references}`
    const amount = `${price}.00`
    const body = { owner, walletIds: [wallet], name: 'Order', amount, currency: 'native', reference, expiresInSeconds }
    const { status, json } = await this.call('POST', '/api/invoices', body, { 'Idempotency-Key': reference })
    if (status === 409 && json.code === 'amount_in_use') return null
    assert.equal(status, 201, JSON.stringify(json))
    const shown = (await this.call('GET', `/api/invoices/${json.id}`)).json
    const { created_at: createdAt, expires_at: expiresAt } = shown
    return this.ledger.sell({
      id: json.id,
      owner,
      wallet,
      reference,
      price,
      createdAt,
      expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
    })
  }

  private async pay(sale: Sale, kind: Customer): Promise<void> {
    switch (kind) {
      case 'exact':
        return this.deposit(sale.wallet, sale.price, sale.owner, sale.reference)
      case 'part':
        return this.deposit(sale.wallet, sale.price - 3, sale.owner, null)
      case 'much':
        return this.deposit(sale.wallet, sale.price + 2, sale.owner, null)
      case 'abandoned':
        return
    }
  }

  /** Seen, and then confirmed. `reference`: which order it pays exactly; null for an odd amount. */
  private async deposit(wallet: string, coins: number, owner: string, reference: string | null): Promise<void> {
    this.transactions += 1
    const txHash = hashOf(`shop ${this.transactions}`)
    const receivedAt = Date.now()
    this.ledger.receive({ txHash, wallet, coins, receivedAt, owner, reference })
    const deposit = {
      network: 'SEP',
      txHash,
      toAddress: addressOf(wallet),
      currency: '#native',
      amount: String(coins),
      receivedAt,
    }
    for (const report of ['pending', 'confirmed']) {
      await this.push([{ id: `${txHash} ${report}`, type: `deposit.${report}`, deposit }])
    }
  }

  private async rotate(): Promise<void> {
    const before = (await this.call('GET', `/api/users/${SHOP}/webhook`)).json.secret
    assert.ok(this.secrets.includes(before))
    this.overlapEndsAt = Date.now() + OVERLAP_SECONDS * 1000
    const path = `/api/users/${SHOP}/webhook/rotate`
    const { status, json } = await this.call('POST', path, { overlapSeconds: OVERLAP_SECONDS })
    assert.equal(status, 200, JSON.stringify(json))
    this.secrets.push(json.secret)
  }

  private async kill(say: (line: string) => void): Promise<void> {
    this.isDown = true
    await this.service.end('SIGKILL')
    say('  killed')
    this.service = await startOn(this.path)
    this.isDown = false
  }

  /** Until nothing is left to be delivered. */
  private async settle(): Promise<void> {
    const deadline = Date.now() + SETTLED_MS
    for (const owner of [SHOP, OTHER]) {
      for (;;) {
        const { json } = await this.call('GET', `/api/users/${owner}/webhook/deliveries`)
        const open = json.filter((one: { state: string }) => one.state !== 'delivered')
        if (open.length === 0) break
        assert.ok(Date.now() < deadline, `deliveries do not end: ${JSON.stringify(open.slice(0, 3))}`)
        await sleep(PAUSE_MS)
      }
    }
  }

  /** A delivery as its receiver reads it: signed with a secret that holds at that time. */
  private read({ path, headers, body }: ReceivedRequest): { readonly owner: string; readonly told: unknown } {
    const by = this.secrets.find(
      (secret) => createHmac('sha256', secret).update(body).digest('hex') === headers['x-service-signature'],
    )
    assert.ok(by !== undefined, 'a delivery that no secret has signed')
    const owner = path.slice(1)
    const sentAt = Number(headers['webhook-timestamp']) * 1000
    // To the second, which is what the header tells.
    if (owner === SHOP && sentAt > this.overlapEndsAt + 1000) assert.equal(by, this.secrets.at(-1), 'the new secret')
    return { owner, told: JSON.parse(body.toString()) }
  }

  private async push(events: readonly unknown[]): Promise<void> {
    const { json } = await this.persist(() => pushEvents(this.service.url, events))
    for (const result of json.results) assert.notEqual(result.status, 'rejected', JSON.stringify(result))
  }

  private call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return this.persist(() => ask(method, `${this.service.url}${path}`, text, headers))
  }

  /** Asks again as long as the service is down, or answers 503. */
  private async persist(attempt: () => Promise<Answered | null>): Promise<Answered> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const answer = this.isDown ? null : await attempt()
      if (answer !== null && answer.status !== 503) return answer
      await sleep(PAUSE_MS)
    }
    throw new Error('the service does not come back')
  }
}

function startOn(path: string): Promise<ServiceProcess> {
  return ServiceProcess.start(path, { BILLHOOK_LOG: 'error', BILLHOOK_WEBHOOK_ATTEMPTS: '5' })
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item, n) => ({ item, at: hashOf(`${n} of ${items.length}`) }))
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .map(({ item }) => item)
}

async function inParallel<T>(width: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item)
    }),
  )
}
