import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashOf } from '../chaos/http-client.js'
import { openReceiver, type ReceivedRequest, type Receiver } from '../support/receiver.js'
import { gatewayHeaders, signedHeaders } from '../support/service-fixture.js'
import type { TestKey } from '../support/signing.js'
import type { Answered, Asked } from './https-client.js'

/** What the trade signs with at the moment; its operator replaces them. */
export interface Secrets {
  key: TestKey
  gateway: string
  /** That of Standard Webhooks. */
  webhook: string
  /** Those that X-Service-Signature may be made with: two until an overlap has ended. */
  webhooks: readonly string[]
}

/** A wallet of the merchant. */
export interface TradedWallet {
  readonly id: string
  readonly network: string
  readonly address: string
}

/** An invoice that was answered. */
interface Sale {
  readonly id: string
  readonly coins: number
}

/** A deposit whose confirmation was answered. Whole coins. */
interface Sent {
  readonly txHash: string
  readonly coins: number
  readonly receivedAt: number
}

/** Customers at once. */
const AT_ONCE = 8
const PAUSE_MS = 25
/** So that no amount is one of the past. */
const FIRST_PRICE = 5_000
const PATIENCE_MS = 60_000

/** A merchant, its customers, the gateway that tells of their deposits, and the receiver of webhooks. */
export class Trade {
  readonly sales: Sale[] = []
  readonly deposits: Sent[] = []
  /** Requests without an answer, or with one that was not expected, since it was last emptied. */
  failures: string[] = []
  /** Webhooks whose signature is none of the present secret. */
  readonly rejected: string[] = []
  private readonly told = new Set<string>()
  private orders = 0
  private isOver = false
  private customers: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly wallet: TradedWallet,
    private readonly ask: (asked: Asked) => Promise<Answered>,
    readonly secrets: Secrets,
    private readonly receiver: Receiver,
  ) {}

  static async open(wallet: TradedWallet, ask: (asked: Asked) => Promise<Answered>, secrets: Secrets): Promise<Trade> {
    let trade: Trade | undefined
    const receiver = await openReceiver((request, response) => {
      const isGenuine = trade?.receive(request) ?? false
      response.writeHead(isGenuine ? 200 : 401).end()
    })
    trade = new Trade(wallet, ask, secrets, receiver)
    return trade
  }

  /** Where webhooks go. */
  get callbackUrl(): string {
    return `${this.receiver.url}/hook`
  }

  begin(): void {
    this.isOver = false
    this.customers = Promise.all(Array.from({ length: AT_ONCE }, () => this.customer()))
  }

  /** Resolves when every customer has gone. */
  async pause(): Promise<void> {
    this.isOver = true
    await this.customers
  }

  /** Resolves when so many more invoices were sold and paid. */
  async sells(count: number): Promise<void> {
    const until = this.deposits.length + count
    for (let waitedMs = 0; this.deposits.length < until; waitedMs += PAUSE_MS) {
      assert.ok(waitedMs < PATIENCE_MS, `the trade stands still: ${this.failures.slice(-3)}`)
      await sleep(PAUSE_MS)
    }
  }

  /** Resolves when each deposit was told of, as pending and as confirmed. */
  async isTold(): Promise<void> {
    const missing = () =>
      this.deposits.flatMap(({ txHash }) =>
        ['pending', 'confirmed'].map((status) => `${txHash} ${status}`).filter((one) => !this.told.has(one)),
      )
    for (let waitedMs = 0; missing().length > 0; waitedMs += PAUSE_MS) {
      assert.ok(waitedMs < PATIENCE_MS, `${missing().length} webhooks are missing, such as ${missing()[0]}`)
      await sleep(PAUSE_MS)
    }
  }

  /** What came to the wallet after a time; whole coins. */
  receivedAfter(createdAt: number): number {
    return this.deposits.filter(({ receivedAt }) => receivedAt > createdAt).reduce((sum, { coins }) => sum + coins, 0)
  }

  get webhooks(): number {
    return this.told.size
  }

  async close(): Promise<void> {
    await this.receiver.close()
  }

  private async customer(): Promise<void> {
    while (!this.isOver) {
      const sale = await this.order()
      await this.pay(sale)
    }
  }

  private async order(): Promise<Sale> {
    this.orders += 1
    const coins = FIRST_PRICE + this.orders
    const fields = {
      walletIds: [this.wallet.id],
      amount: String(coins),
      currency: 'USDT',
      name: 'Order',
      reference: `order-${coins}`,
    }
    const body = JSON.stringify(fields)
    // The same order, however often it is asked for.
    const idempotencyKey = randomUUID()
    const { json } = await this.insist(201, () => ({
      method: 'POST',
      path: '/api/invoices',
      headers: {
        ...signedHeaders(this.secrets.key, body, String(Date.now())),
        'Idempotency-Key': idempotencyKey,
        'Content-Type': 'application/json',
      },
      body,
    }))
    const sale = { id: json.id, coins }
    this.sales.push(sale)
    return sale
  }

  private async pay({ id, coins }: Sale): Promise<void> {
    const { network, address } = this.wallet
    const sent: Sent = { txHash: hashOf(`pays ${id}`), coins, receivedAt: Date.now() + 1 }
    const { txHash, receivedAt } = sent
    const deposit = { network, txHash, toAddress: address, currency: 'Tether', amount: `${coins}000000`, receivedAt }
    for (const report of ['pending', 'confirmed']) {
      const body = JSON.stringify({ events: [{ id: `${report} ${id}`, type: `deposit.${report}`, deposit }] })
      const { json } = await this.insist(200, () => ({
        method: 'POST',
        path: '/internal/events',
        headers: {
          ...gatewayHeaders(String(Date.now()), body, this.secrets.gateway),
          'Content-Type': 'application/json',
        },
        body,
      }))
      assert.match(json.results[0].status, /^(applied|duplicate)$/)
    }
    this.deposits.push(sent)
  }

  /** Asks until the answer is the expected one, and takes down every time that it is not. */
  private async insist(expected: number, asked: () => Asked): Promise<Answered> {
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
      const what = asked()
      const answer = await this.ask(what)
      if (answer.status === expected) return answer
      this.failures.push(`${what.path}: ${answer.status} ${answer.json.code}`)
      await sleep(PAUSE_MS)
    }
    throw new Error(`no ${expected}: ${this.failures.at(-1)}`)
  }

  /** Both kinds of signatures are looked at, as by two receivers of which each knows one kind. */
  private receive({ headers, body }: ReceivedRequest): boolean {
    const { txHash, status } = JSON.parse(body.toString())
    const { webhook, webhooks } = this.secrets
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const standard = createHmac('sha256', Buffer.from(webhook, 'hex')).update(signed).digest('base64')
    const plain = webhooks.map((secret) => createHmac('sha256', secret).update(body).digest('hex'))
    const isGenuine =
      String(headers['webhook-signature']).split(' ').includes(`v1,${standard}`) &&
      plain.includes(String(headers['x-service-signature']))
    if (isGenuine) this.told.add(`${txHash} ${status}`)
    else this.rejected.push(`${txHash} ${status}`)
    return isGenuine
  }
}
