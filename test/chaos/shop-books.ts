import { setTimeout as sleep } from 'node:timers/promises'
import { ATOMS_PER_UNIT, decimalOf } from './shop-amounts.js'
import type { FedEvent } from './shop-feed.js'
import type { ModelDeposit, ModelInvoice, ModelWebhook } from './shop-model.js'
import type { ShopWorld } from './shop-world.js'

/** Longer than a shop must wait before it asks for the same redelivery again. */
const RETRIED_MS = 61_000
/** Real time. */
const LOOK_MS = 10
const LOOKS_A_LEAP = 10
const LOOKS_MAX = 2000
const REDELIVER = 'POST /api/users/:id/webhook/deliveries/:deliveryId/redeliver'

interface Delivery {
  readonly id: string
  readonly state: string
  readonly event: { readonly id: string; readonly type: string } | null
}

interface ExportedDeposit {
  readonly network: string
  readonly txHash: string
  readonly toAddress: string
  readonly currency: string | null
  readonly amount: string
  readonly kind: string
}

/** What a shop adds up from what it was told, against what lies on the chains and what the API says. */
export class ShopBooks {
  constructor(private readonly world: ShopWorld) {}

  /** The shops send for what did not reach them, as the documents say, until nothing is missing. */
  async fetchMissing(owners: readonly string[]): Promise<void> {
    const { world } = this
    for (let looks = 1; looks <= LOOKS_MAX; looks += 1) {
      const states: string[] = []
      for (const owner of owners) {
        const { json } = await world.client.call(owner, 'GET /api/users/:id/webhook/deliveries')
        for (const { id, state } of json as readonly Delivery[]) {
          states.push(state)
          if (state !== 'failed') continue
          await world.client.call(owner, REDELIVER, { deliveryId: id })
        }
      }
      if (states.every((state) => state === 'delivered')) return
      await sleep(LOOK_MS)
      // What waits for its next attempt gets it; what is on its way needs real time.
      if (looks % LOOKS_A_LEAP === 0) await world.leap(RETRIED_MS)
    }
    world.violate(`the webhooks of ${owners.join(', ')} do not arrive, whatever is done`)
  }

  /** Every webhook with the specified fields arrived, as it must be, and no other. Returns how many. */
  specified(): number {
    const { model, receiver } = this.world
    for (const wrong of receiver.wrong) this.world.violate(wrong)
    for (const one of receiver.taken) {
      if (!receiver.isSigned(one))
        this.world.violate(`${one.shop} got what none of its secrets has signed: ${one.body}`)
    }
    const wanted = new Map(model.webhooks.map((one) => [`${one.deposit.txHash} ${one.status}`, one]))
    const arrived = new Map<string, string>()
    for (const { shop, body, id } of receiver.taken) {
      const told = JSON.parse(body)
      if (told.txHash === undefined) continue
      const name = `${told.txHash} ${told.status}`
      const owed = wanted.get(name)
      if (owed === undefined) {
        this.world.violate(`${shop} was told of ${name}, which is none of its business`)
        continue
      }
      const { invoice, deposit, receivedAt, url } = owed
      const { network, coin, amount, wallet, isLate } = deposit
      const units = amount / ATOMS_PER_UNIT
      const expected = {
        ...{
          reference: invoice.reference,
          status: owed.status,
          invoiceId: invoice.id,
          network,
          txHash: deposit.txHash,
        },
        ...{ toAddress: wallet.address, amount: coin === 'USDT' ? String(units) : decimalOf(amount) },
        ...{ currency: coin === 'USDT' ? 'Tether' : '#native', receivedAt },
        ...(isLate ? { late: true } : {}),
        ...(this.world.model.showsInvoices(invoice.owner) ? { invoice: shownOf(owed) } : {}),
      }
      if (body !== JSON.stringify(expected)) {
        this.world.violate(`${shop} was told ${body}, and it is ${JSON.stringify(expected)}`)
      }
      if (!url.endsWith(`/${shop}`)) this.world.violate(`${name} went to ${shop}, and not to ${url}`)
      if ((arrived.get(name) ?? id) !== id) this.world.violate(`${name} was told under two ids`)
      arrived.set(name, id)
    }
    for (const [name, { url }] of wanted) {
      if (!arrived.has(name)) this.world.violate(`${name} never arrived at ${url}`)
    }
    return arrived.size
  }

  /** Every event of an owner arrived as a webhook, as the log has it. Returns how many. */
  events(owner: string): number {
    const arrived = new Map<string, string>()
    for (const { shop, body } of this.world.receiver.taken) if (shop === owner) arrived.set(JSON.parse(body).id, body)
    const events = this.world.feed.of(owner)
    for (const event of events) {
      // The failure of a webhook that told of a failure is not sent.
      if (event.type === 'delivery.failed' && event.delivery?.event?.type === 'delivery.failed') continue
      const { id, type, at, ...data } = event
      const wanted = JSON.stringify({ id, type, at, data })
      const body = arrived.get(id)
      if (body !== wanted) this.world.violate(`${owner} was told ${body ?? 'nothing'} of the event ${wanted}`)
      arrived.delete(id)
    }
    for (const body of arrived.values()) this.world.violate(`${owner} was told ${body}, which its log does not have`)
    return events.length
  }

  /** Every cent on the chains is told to one owner, of one invoice or of none, and sums agree. */
  async close(owners: readonly string[]): Promise<{ readonly matched: number; readonly unmatched: number }> {
    const told = new Map<string, { readonly owner: string; readonly event: FedEvent }>()
    for (const owner of owners) {
      for (const event of this.world.feed.of(owner)) {
        if (event.type !== 'deposit.confirmed') continue
        const { txHash } = event.deposit ?? { txHash: '' }
        if (told.has(txHash)) this.world.violate(`${txHash} was told to ${told.get(txHash)?.owner} and to ${owner}`)
        told.set(txHash, { owner, event })
      }
    }
    const { deposits, invoices } = this.world.model
    await this.recorded()
    const own = new Map<string, bigint>()
    const free: ModelDeposit[] = []
    for (const deposit of deposits.filter(({ kind }) => kind === 'confirmed')) {
      const found = told.get(deposit.txHash)
      if (found === undefined) {
        this.world.violate(`nobody was told of ${deposit.txHash}`)
        continue
      }
      const { invoiceId } = found.event
      if (invoiceId === null) free.push(deposit)
      else own.set(invoiceId, (own.get(invoiceId) ?? 0n) + deposit.amount)
    }
    for (const invoice of invoices) {
      const { json } = await this.world.client.call(invoice.owner, 'GET /api/invoices/:id', { id: invoice.id })
      const nobodys = free.filter((one) => this.world.model.counts(one, invoice))
      const sum = nobodys.reduce((total, { amount }) => total + amount, own.get(invoice.id) ?? 0n)
      if (json.payment.own !== decimalOf(sum)) {
        this.world.violate(`${invoice.id} has ${json.payment.own} of its own, and was told of ${decimalOf(sum)}`)
      }
    }
    this.perWallet(own, free)
    return { matched: told.size - free.length, unmatched: free.length }
  }

  /** `billhook check` finds nothing. */
  async check(): Promise<void> {
    const { code, stdout, stderr } = await this.world.service.command('check')
    if (code !== 0) this.world.violate(`billhook check: ${stdout}${stderr}`)
  }

  /** Once the service has stopped: the chains hold what is recorded. */
  async reconcile(): Promise<void> {
    for (const chain of this.world.chains) {
      const to = String(await chain.confirmedHeight())
      const argv = ['reconcile', '--network', chain.id, '--from', '1', '--to', to]
      const { code, stdout, stderr } = await this.world.service.command(...argv)
      if (code !== 0) this.world.violate(`billhook reconcile of ${chain.id}: ${stdout}${stderr}`)
    }
  }

  /** The records of deposits are those of the chains. */
  private async recorded(): Promise<void> {
    const { stdout } = await this.world.service.command('export', 'deposits')
    const recorded = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ExportedDeposit)
    const nameOf = (one: ExportedDeposit) => {
      return [one.network, one.txHash, one.toAddress, one.currency, one.amount, one.kind].join(' ')
    }
    const wanted = this.world.model.deposits.map(({ network, txHash, wallet, coin, amount, kind }) => {
      const isToken = coin === 'USDT'
      const sent = isToken ? String(amount / ATOMS_PER_UNIT) : decimalOf(amount)
      const currency = isToken ? 'Tether' : '#native'
      return nameOf({ network, txHash, toAddress: wallet.address, currency, amount: sent, kind })
    })
    const names = new Set(recorded.map(nameOf))
    for (const name of wanted) if (!names.has(name)) this.world.violate(`there is no record ${name}`)
    if (recorded.length !== wanted.length) {
      this.world.violate(`${recorded.length} deposits are recorded, and there are ${wanted.length}`)
    }
  }

  /** On each wallet and in each coin: what invoices have of their own and what is nobody's is what the chain holds. */
  private perWallet(own: ReadonlyMap<string, bigint>, free: readonly ModelDeposit[]): void {
    const { deposits, invoices } = this.world.model
    const add = (sums: Map<string, bigint>, name: string, amount: bigint) =>
      sums.set(name, (sums.get(name) ?? 0n) + amount)
    // An invoice on two wallets adds both up: so do the sums of the chains.
    const groups = groupsOf(invoices)
    const chain = new Map<string, bigint>()
    const books = new Map<string, bigint>()
    for (const { wallet, coin, amount, kind } of deposits) {
      if (kind === 'confirmed') add(chain, `${groups(wallet.id)} ${coin}`, amount)
    }
    for (const { wallet, coin, amount } of free) add(books, `${groups(wallet.id)} ${coin}`, amount)
    for (const { id, walletIds, coin } of invoices) {
      add(books, `${groups(walletIds[0] ?? '')} ${coin}`, own.get(id) ?? 0n)
    }
    for (const [name, amount] of chain) {
      if ((books.get(name) ?? 0n) !== amount) {
        this.world.violate(
          `${name}: ${decimalOf(amount)} on the chain, ${decimalOf(books.get(name) ?? 0n)} in the books`,
        )
      }
    }
  }
}

/** The invoice as a webhook with the payload `with-invoice` shows it: as it was when the deposit was recorded. */
function shownOf({ invoice, payment }: ModelWebhook) {
  const { isPaid, received, pending, remaining, overpaid } = payment
  return {
    ...{ amount: invoice.asked, currency: invoice.coin, status: isPaid ? 'paid' : 'unpaid' },
    ...{ received: decimalOf(received), pending: decimalOf(pending) },
    ...{ remaining: decimalOf(remaining), overpaid: decimalOf(overpaid) },
    ...{ returnUrl: invoice.returnUrl, orderNumber: invoice.orderNumber, metadata: { cart: invoice.cart } },
  }
}

/** Names the wallets that invoices name together. */
function groupsOf(invoices: readonly ModelInvoice[]): (walletId: string) => string {
  const groups = new Map<string, string>()
  for (const { walletIds } of invoices) {
    const known = walletIds.map((id) => groups.get(id) ?? id)
    const [first = ''] = known
    for (const id of walletIds) groups.set(id, first)
    for (const [id, group] of groups) if (known.includes(group)) groups.set(id, first)
  }
  return (walletId) => groups.get(walletId) ?? walletId
}
