import assert from 'node:assert/strict'
import { ask, hashOf, pushEvents } from './http-client.js'
import { addressOf, walletOf } from './loaded-service.js'

/** The most wallets that an invoice may name. */
export const WALLETS = 50
const CREATIONS_AT_ONCE = 32

/** What an invoice or an order in the crowd says of itself. */
const TEXTS = {
  name: 'An order with a name of its own',
  description: 'and a description that says what was bought, in a few words',
}

/** One way to pay an order. */
export interface CrowdOption {
  readonly walletIds: readonly string[]
  readonly currency: string
}

/** An order as its creation was answered. */
export interface CrowdOrder {
  readonly id: string
  /** The amounts of its options. */
  readonly amounts: readonly string[]
}

/** Fills a service with what belongs to a crowd. No amount and no transaction is made twice. */
export class CrowdClient {
  private made = 0

  constructor(private readonly url: string) {}

  next(): number {
    this.made += 1
    return this.made
  }

  async assign(owner: string, wallets: number = WALLETS): Promise<void> {
    const events = walletsOf(owner, wallets).map((id) => {
      const wallet = { id, address: addressOf(id), network: 'SEP' }
      return { id, type: 'wallet.assigned', wallet, owner }
    })
    assert.equal((await pushEvents(this.url, events))?.status, 200)
  }

  async createInvoices(owner: string, count: number, walletIds: readonly string[]): Promise<void> {
    await this.createMany('/api/invoices', count, () => ({
      owner,
      ...TEXTS,
      walletIds,
      amount: this.amount(),
      currency: 'USDT',
    }))
  }

  async createOrders(owner: string, count: number, options: readonly CrowdOption[]): Promise<readonly CrowdOrder[]> {
    const created = await this.createMany('/api/orders', count, () => ({
      owner,
      ...TEXTS,
      price: { amount: '100.00', currency: 'EUR' },
      options: options.map((option) => ({ ...option, amount: this.amount() })),
      expiresInSeconds: 3600,
    }))
    return created.map(({ id, invoices }) => ({
      id,
      amounts: invoices.map(({ amount }: { readonly amount: string }) => amount),
    }))
  }

  async deposits(deposits: readonly ReturnType<typeof depositTo>[]): Promise<{ readonly status: number }> {
    const answer = await pushEvents(this.url, deposits)
    assert.equal(answer?.status, 200)
    const { results } = answer.json as { results: readonly { status: string }[] }
    for (const { status } of results) assert.equal(status, 'applied')
    return { status: answer.status }
  }

  /** One that nothing else asks for. */
  private amount(): string {
    return `${1000 + this.next()}.5`
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer as it came.
  private async createMany(path: string, count: number, bodyOf: () => unknown): Promise<readonly any[]> {
    const created: unknown[] = []
    let left = count
    const work = async () => {
      while (left > 0) {
        left -= 1
        const answer = await ask('POST', `${this.url}${path}`, JSON.stringify(bodyOf()))
        assert.equal(answer?.status, 201, JSON.stringify(answer?.json))
        created.push(answer.json)
      }
    }
    await Promise.all(Array.from({ length: CREATIONS_AT_ONCE }, work))
    return created
  }
}

export function walletsOf(owner: string, count = WALLETS): readonly string[] {
  return Array.from({ length: count }, (_, n) => walletOf(owner, n))
}

/** A confirmed deposit of USDT, in its smallest units, or of the network's coin, in whole ones. */
export function depositTo(wallet: string, amount: string, n: number, currency: 'Tether' | '#native' = 'Tether') {
  const txHash = hashOf(`crowd ${n}`)
  const deposit = {
    network: 'SEP',
    txHash,
    toAddress: addressOf(wallet),
    currency,
    amount,
    receivedAt: Date.now() + 1,
  }
  return { id: txHash, type: 'deposit.confirmed', deposit }
}
