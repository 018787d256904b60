import assert from 'node:assert/strict'

/** An order and its invoice. Prices are whole coins. */
export interface Sale {
  readonly id: string
  readonly owner: string
  readonly wallet: string
  readonly reference: string
  readonly price: number
  readonly createdAt: number
  /** Infinity when it never expires. */
  readonly expiresAt: number
}

/** A payment that was sent. */
export interface Sent {
  readonly txHash: string
  readonly wallet: string
  readonly coins: number
  readonly receivedAt: number
  /** Whose wallet it was. */
  readonly owner: string
  /** The order that it pays exactly; null for an odd amount, which may be told of any order of the wallet. */
  readonly reference: string | null
}

/** What a delivery told, and whom. */
interface Notification {
  readonly owner: string
  readonly told: unknown
}

/** What the notifications were. */
interface Booked {
  /** By hash and status. */
  readonly notifications: number
  readonly exact: number
  /** Exact payments that were told of another order, because an odd one had been told of theirs. */
  readonly astray: number
}

/** What was sold and what was sent, by which the service is judged. */
export class Ledger {
  readonly sales: Sale[] = []
  readonly deposits: Sent[] = []

  sell(sale: Sale): Sale {
    this.sales.push(sale)
    return sale
  }

  receive(deposit: Sent): void {
    this.deposits.push(deposit)
  }

  /** Each deposit was told of once per status, to the owner of its wallet, and an exact one of the order that it pays. */
  book(notifications: readonly Notification[]): Booked {
    const told = new Map<string, string>()
    const oddlyPaid = new Set<string>()
    const exact: [meant: string, toldOf: string][] = []
    for (const { owner, told: body } of notifications) {
      const { txHash, status, reference, amount } = body as Readonly<Record<string, string>>
      const sent = this.deposits.find((one) => one.txHash === txHash)
      assert.ok(sent !== undefined, `nobody sent ${txHash}`)
      assert.equal(owner, sent.owner, 'a deposit was told to somebody else')
      assert.equal(amount, String(sent.coins))
      const sale = this.sales.find((one) => one.reference === reference)
      assert.ok(sale?.owner === sent.owner && sale.wallet === sent.wallet, `${reference} is no order of the wallet`)
      if (sent.reference === null) oddlyPaid.add(reference ?? '')
      else exact.push([sent.reference, reference ?? ''])
      // Repeated only when the service died before it knew the outcome: the receiver's key is hash and status.
      const key = `${txHash} ${status}`
      assert.equal(told.get(key) ?? reference, reference, 'a repetition told of another order')
      told.set(key, reference ?? '')
    }
    // Once an odd amount was told of an order, its own amount no longer says so (decisions 6): a person has to look.
    for (const [meant, toldOf] of exact) {
      if (!oddlyPaid.has(meant)) assert.equal(toldOf, meant, 'an exact payment was told of another order')
    }
    for (const { txHash } of this.deposits) {
      for (const status of ['pending', 'confirmed']) assert.ok(told.has(`${txHash} ${status}`), `${status} is missing`)
      assert.equal(told.get(`${txHash} pending`), told.get(`${txHash} confirmed`))
    }
    const astray = new Set(exact.filter(([meant, toldOf]) => meant !== toldOf).map(([meant]) => meant)).size
    return {
      notifications: told.size,
      exact: this.deposits.filter(({ reference }) => reference !== null).length,
      astray,
    }
  }

  /** Every sum, and which invoices are void, as they follow from what was sent. `invoices` are the service's, by id. */
  compare(invoices: ReadonlyMap<string, unknown>): { readonly paid: number; readonly voided: number } {
    let paid = 0
    let voided = 0
    for (const sale of this.sales) {
      const shown = invoices.get(sale.id) as {
        readonly payment: Readonly<Record<string, string>>
        readonly voided_at: number | null
      }
      const received = this.received(sale, Number.POSITIVE_INFINITY)
      assert.deepEqual(
        [shown.payment['received'], shown.payment['pending'], shown.payment['status']],
        [String(received), '0', received >= sale.price ? 'paid' : 'unpaid'],
        sale.reference,
      )
      const isOver = sale.expiresAt <= Date.now()
      const isVoid = isOver && this.received(sale, sale.expiresAt) < sale.price
      assert.equal(shown.voided_at, isVoid ? sale.expiresAt : null, sale.reference)
      if (received >= sale.price) paid += 1
      if (isVoid) voided += 1
    }
    return { paid, voided }
  }

  /** What came to the wallet after the order and until a time. */
  private received({ wallet, createdAt }: Sale, until: number): number {
    return this.deposits
      .filter((one) => one.wallet === wallet && one.receivedAt > createdAt && one.receivedAt <= until)
      .reduce((sum, { coins }) => sum + coins, 0)
  }
}
