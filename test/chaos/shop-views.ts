import { decimalOf } from './shop-amounts.js'
import { identityOf } from './shop-client.js'
import type { ModelDeposit, ModelInvoice, ModelPayment } from './shop-model.js'
import { factsIn, figuresIn, hashesIn, sectionOf, textOf } from './shop-reader.js'
import { wordsOf } from './shop-words.js'
import type { ShopWorld } from './shop-world.js'

/** Transactions that the page of a payment shows, and deposits that the page of an invoice in the console shows. */
const PAGE_SHOWS = 10
const CONSOLE_SHOWS = 20
/** Deposits in another coin that the page of a payment tells of. */
const STRAYS_SHOWN = 3
/** As the page shortens hashes. */
const HASH_START = 10
const HASH_END = 8

/** What is shown of invoices, compared with what belongs to them. */
export class ShopViews {
  compared = 0

  constructor(private readonly world: ShopWorld) {}

  /** All invoices of an owner, as the list has them. */
  async list(owner: string): Promise<void> {
    const { json } = await this.world.client.call(owner, 'GET /api/users/:id/invoices', { query: '?include=payment' })
    const shown = new Map<string, Shown>(json.map((one: Shown) => [one.id, one]))
    const own = this.world.model.invoices.filter((one) => one.owner === owner)
    if (shown.size !== own.length)
      this.world.violate(`${owner} has ${own.length} invoices, and ${shown.size} are listed`)
    for (const invoice of own) this.record(invoice, shown.get(invoice.id))
  }

  /** One invoice: as programs, payers and support see it. */
  async all(invoice: ModelInvoice): Promise<void> {
    const { owner, id } = invoice
    this.record(invoice, (await this.world.client.call(owner, 'GET /api/invoices/:id', { id })).json)
    await this.payPage(invoice)
    await this.consolePage(invoice)
  }

  private record(invoice: ModelInvoice, shown: Shown | undefined): void {
    const { isPaid, received, pending, remaining, overpaid, own } = this.world.model.payment(invoice)
    this.compared += 1
    const payment = {
      status: isPaid ? 'paid' : 'unpaid',
      received: decimalOf(received),
      pending: decimalOf(pending),
      remaining: decimalOf(remaining),
      overpaid: decimalOf(overpaid),
      own: decimalOf(own),
    }
    const { voidedAt, acceptedAt, orderNumber, returnUrl, cart } = invoice
    const found = [
      ...[shown?.payment, shown?.voided_at, shown?.accepted_at],
      ...[shown?.orderNumber, shown?.returnUrl, shown?.metadata?.cart],
    ]
    this.same(invoice, 'the API', found, [payment, voidedAt, acceptedAt, orderNumber, returnUrl, cart])
  }

  private async payPage(invoice: ModelInvoice): Promise<void> {
    const { world } = this
    const html = await world.client.page(`${world.service.url}/pay/${invoice.id}`)
    const text = textOf(html)
    const coin = this.coinOf(invoice)
    const payment = world.model.payment(invoice)
    const own = world.model.ownDeposits(invoice)
    const strays = this.straysOf(invoice)
    const isShown = payment.own < invoice.amount || invoice.voidedAt !== null
    const told = isShown ? strays.map((one) => `${decimalOf(one.amount)} ${this.coinOn(one)}`) : []
    const { words, due, figures } = wordsOf(invoice, payment, coin, told)
    for (const word of words) {
      if (!text.includes(word))
        world.violate(`the page of ${named(invoice)} does not say "${word}": ${text.slice(0, 400)}`)
    }
    const { owner, reference, callback, cart } = invoice
    for (const secret of [identityOf(owner), reference, callback, cart]) {
      if (secret !== null && html.includes(secret))
        world.violate(`the page of ${named(invoice)} tells payers ${secret}`)
    }
    if (!html.includes(`href="${invoice.returnUrl}"`)) world.violate(`the page of ${named(invoice)} does not lead back`)
    const allowed = new Set([...figures, ...own.map(({ amount }) => `${decimalOf(amount)} ${coin}`), ...told])
    const said = figuresIn(text)
    if (due !== null && !said.includes(due))
      world.violate(`the page of ${named(invoice)} does not ask for ${due}: ${text}`)
    for (const figure of said) {
      if (!allowed.has(figure))
        world.violate(`the page of ${named(invoice)} says ${figure}, which is not its own: ${text}`)
    }
    const listed = [...html.matchAll(/<span class="hash"><code[^>]*>(.*?)<\/code>/g)].map(([, hash = '']) => hash)
    this.newest(invoice, 'the list of transactions', listed, own, PAGE_SHOWS, ({ txHash }) => shortened(txHash))
    const isPaidPage = words.some((word) => word.startsWith('Paid.'))
    if (!isPaidPage) {
      if (html.includes('class="receipt"')) world.violate(`${named(invoice)} has a receipt, and is not paid`)
      return
    }
    const receipt = (/<section class="receipt">.*?<\/section>/s.exec(html) ?? [''])[0]
    const facts = factsIn(receipt)
    this.same(invoice, 'its receipt', facts.get('Amount received'), `${decimalOf(payment.own)} ${coin}`)
    this.same(invoice, 'the order on its receipt', facts.get('Order number') ?? null, invoice.orderNumber)
    const confirmed = own.filter(({ kind, txHash }) => kind === 'confirmed' && listed.includes(shortened(txHash)))
    this.newest(invoice, 'the receipt', hashesIn(receipt), confirmed, PAGE_SHOWS)
  }

  private async consolePage(invoice: ModelInvoice): Promise<void> {
    const { world } = this
    const { model } = world
    const html = await world.client.page(`${world.service.consoleUrl}/invoices/${invoice.id}`)
    if (!textOf(html).includes(invoice.cart))
      world.violate(`the console does not show the metadata of ${named(invoice)}`)
    const payment = model.payment(invoice)
    const facts = factsIn(sectionOf(html, 'Payment'))
    const missing = invoice.amount - payment.own
    const shown = ['State', 'Received', 'Pending', 'Remaining', 'Overpaid', 'Received on its wallets']
    this.same(
      invoice,
      'the console',
      shown.map((label) => facts.get(label) ?? null),
      [
        stateOf(invoice, payment),
        decimalOf(payment.own),
        decimalOf(payment.ownPending),
        decimalOf(missing > 0n ? missing : 0n),
        decimalOf(payment.overpaid),
        payment.received === payment.own ? null : decimalOf(payment.received),
      ],
    )
    const own = hashesIn(sectionOf(html, 'Deposits'))
    this.newest(invoice, 'the deposits in the console', own, model.ownDeposits(invoice), CONSOLE_SHOWS)
    const beside = hashesIn(sectionOf(html, 'Beside it on its wallets'))
    const unmatched = model.unmatchedOn(invoice).filter(({ txHash }) => !own.includes(txHash))
    for (const { txHash } of unmatched.slice(-CONSOLE_SHOWS)) {
      if (!beside.includes(txHash)) world.violate(`the console does not show ${txHash} beside ${named(invoice)}`)
    }
  }

  /** What support types, and what must be found by it. */
  async search(typed: string, href: string): Promise<void> {
    const { world } = this
    const html = await world.client.page(`${world.service.consoleUrl}/search?q=${encodeURIComponent(typed)}`)
    if (!html.includes(`href="${href}"`)) world.violate(`the search for ${typed} does not find ${href}`)
  }

  /** A deposit that is nobody's can be seen by whoever looks for it. */
  async deposit({ network, txHash }: ModelDeposit): Promise<void> {
    const { world } = this
    const html = await world.client.page(
      `${world.service.consoleUrl}/deposits?network=${network}&transaction=${txHash}`,
    )
    if (!hashesIn(html).includes(txHash)) world.violate(`the console does not show ${txHash}, which is nobody's`)
  }

  /** The newest deposits in the coin that it does not ask for that are nobody's. */
  private straysOf(invoice: ModelInvoice): readonly ModelDeposit[] {
    const { deposits, wallets } = this.world.model
    return deposits
      .filter(({ kind, coin, wallet, receivedAt, match }) => {
        const isOn = invoice.walletIds.includes(wallet.id) && wallets.get(wallet.id)?.owner === invoice.owner
        return match === null && kind !== 'dropped' && coin !== invoice.coin && isOn && receivedAt > invoice.createdAt
      })
      .sort((one, other) => other.receivedAt - one.receivedAt)
      .slice(0, STRAYS_SHOWN)
  }

  private coinOf({ coin, walletIds }: ModelInvoice): string {
    if (coin === 'USDT') return coin
    const network = this.world.model.wallets.get(walletIds[0] ?? '')?.network
    return this.world.chains.find(({ id }) => id === network)?.symbol ?? ''
  }

  private coinOn({ coin, network }: ModelDeposit): string {
    return coin === 'USDT' ? coin : (this.world.chains.find(({ id }) => id === network)?.symbol ?? '')
  }

  /** The newest of its own are shown. What came at one time is in either order, and either one is the last that is shown. */
  private newest(
    invoice: ModelInvoice,
    where: string,
    found: readonly string[],
    own: readonly ModelDeposit[],
    limit: number,
    nameOf = ({ txHash }: ModelDeposit) => txHash,
  ): void {
    const last = own[limit - 1]?.receivedAt ?? 0
    const certain = own.filter(({ receivedAt }) => receivedAt > last).map(nameOf)
    const possible = new Set(own.filter(({ receivedAt }) => receivedAt >= last).map(nameOf))
    const isRight =
      new Set(found).size === Math.min(limit, own.length) &&
      certain.every((name) => found.includes(name)) &&
      found.every((name) => possible.has(name))
    if (!isRight) this.world.violate(`${where} of ${named(invoice)}: ${found}, and it has ${own.map(nameOf)}`)
  }

  private same(invoice: ModelInvoice, where: string, found: unknown, wanted: unknown): void {
    const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)]
    if (one !== other) this.world.violate(`${where} says of ${named(invoice)} ${one}, and it is ${other}`)
  }
}

interface Shown {
  readonly id: string
  readonly payment: Readonly<Record<string, string>>
  readonly voided_at: number | null
  readonly accepted_at: number | null
  readonly orderNumber: string | null
  readonly returnUrl: string | null
  readonly metadata: { readonly cart: string } | null
}

function named({ id, orderNumber, owner }: ModelInvoice): string {
  return `${owner}'s ${orderNumber ?? 'order'} (${id})`
}

function shortened(hash: string): string {
  return `${hash.slice(0, HASH_START)}…${hash.slice(-HASH_END)}`
}

function stateOf({ voidedAt, expiresAt, acceptedAt }: ModelInvoice, { isPaid }: ModelPayment): string {
  if (voidedAt !== null) return voidedAt === expiresAt ? 'expired' : 'void'
  if (acceptedAt !== null) return 'accepted as paid'
  return isPaid ? 'paid' : 'unpaid'
}
