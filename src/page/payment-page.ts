import { createHash } from 'node:crypto'
import type { Invoice } from '../domain/invoice.js'
import type { OrderFields } from '../domain/order-fields.js'
import type { Payment, StrayDeposit } from '../domain/payment.js'
import { amountText } from './amount-text.js'
import { contactLine } from './brand.js'
import { copyButton } from './copy-button.js'
import { dueIn } from './due.js'
import { instructions, type PageWallet } from './instructions.js'
import { type Language, minutesText, say } from './language.js'
import { type PageFrame, page } from './layout.js'
import { type Markup, markup } from './markup.js'
import { coinOn, coinsOf, decimalsOn, type PageNetwork, type PageNetworks } from './networks.js'
import { asksMerchant, awaitedBy, isPaid, type PaymentState, type Phrase, statusWords } from './payment-state.js'
import { receipt } from './receipt.js'
import { Sums } from './sums.js'
import { type Transactions, transactionList, transactionsShown } from './transactions.js'
import { walletScript } from './wallet-script.js'

/** Seconds between reloads while a payment is awaited, and while only something late may come. */
const REFRESH_SECONDS = { payment: 10, latecomer: 60 } as const

/** Longer amounts are shown in a smaller font. */
const LARGE_AMOUNT_LENGTH_MAX = 20

/** Amounts have no more decimal places. */
const DECIMALS_MAX = 18

export interface PaymentView extends Transactions {
  readonly invoice: Invoice
  readonly order: OrderFields
  readonly payment: Payment
  /** When the merchant took what had come as enough, Unix ms; null for never. */
  readonly acceptedAt: number | null
  /** When it became void or expired, Unix ms: the payer must not send anything. Null if it is not. */
  readonly voidedAt: number | null
  /** Unix ms; null when it never expires. */
  readonly expiresAt: number | null
  /** What came to its wallets in other coins, newest first. */
  readonly strays: readonly StrayDeposit[]
  /** The wallets of the invoice, in its order. */
  readonly wallets: readonly PageWallet[]
  /** Position of the wallet whose address is shown first. */
  readonly chosen: number
  readonly networks: PageNetworks
  /** Unix ms. */
  readonly nowMs: number
  /** How long it waits, when it is void, for what is sent too late. */
  readonly lateMs: number
}

const VERSION_LENGTH = 16

/** A short text that changes with everything that can change on the page of an invoice. */
export function versionOf(
  view: Omit<PaymentView, 'invoice' | 'order' | 'acceptedAt' | 'expiresAt' | 'chosen' | 'nowMs' | 'lateMs'>,
): string {
  const { payment, voidedAt, strays, wallets, networks } = view
  const addresses = wallets.map(({ address }) => address)
  const shown = JSON.stringify([payment, voidedAt !== null, strays, addresses, transactionsShown(view, networks)])
  return createHash('sha256').update(shown).digest('base64url').slice(0, VERSION_LENGTH)
}

/**
 * The page that a payer sees: the amount, the state of the payment and, while something is missing, what to send where.
 * It needs no script: without one it reloads itself while a payment is awaited. It does not show owner, reference and callback URL,
 * which concern the merchant only.
 *
 * Text from the merchant is in `<bdi>`, each in a block of its own. Characters that change the direction of text then
 * have no effect beyond it, even if they close more than they open.
 */
export function paymentPage(frame: PageFrame, view: PaymentView): string {
  return new PaymentPage(frame, view).html()
}

class PaymentPage {
  private readonly language: Language
  private readonly sums: Sums
  /** The networks of the wallets, as far as they are known. */
  private readonly networks: readonly PageNetwork[]
  /** The decimal places that each coin of the invoice has. */
  private readonly decimals: number
  private readonly state: PaymentState
  /** What is left to send, as people write it. Null if nothing. */
  private readonly due: string | null
  private readonly awaited: ReturnType<typeof awaitedBy>

  constructor(
    private readonly frame: PageFrame,
    private readonly view: PaymentView,
  ) {
    const { invoice, payment, voidedAt, wallets } = view
    this.language = frame.language
    this.networks = wallets.flatMap(({ network }) => (network === null ? [] : [view.networks(network)]))
    this.sums = new Sums(this.language, coinsOf(invoice.currency, this.networks))
    this.decimals = Math.min(DECIMALS_MAX, ...this.networks.map((network) => decimalsOn(invoice.currency, network)))
    const { state, left } = dueIn(this.decimals, invoice, payment, voidedAt !== null)
    this.state = state
    this.due = left
    this.awaited = awaitedBy(payment, voidedAt, view)
  }

  html(): string {
    const { frame, language, awaited, state } = this
    const { brand } = frame
    const { invoice, order } = this.view
    const refreshSeconds = awaited === null ? null : REFRESH_SECONDS[awaited]
    // The script brings a page to its next state child by child, so these are always there, in this order.
    const content = markup`
<h1><bdi>${invoice.name}</bdi></h1>
${invoice.description === null ? null : markup`<p class="description"><bdi>${invoice.description}</bdi></p>`}
${order.orderNumber === null ? null : this.orderLine(order.orderNumber)}
<div>${this.figure()}</div>
${this.statusBox()}
<div>${this.instructions()}</div>
<div${isPaid(state) ? markup` class="screen"` : null}>${transactionList(language, invoice.currency, this.view, this.view.networks)}</div>
<div>${isPaid(state) ? receipt(frame, this.sums.coin, this.view) : null}</div>
<div>${awaited === null ? null : markup`<p class="quiet"><a href="">${say(language, 'refreshNow')}</a></p>`}</div>
<div${isPaid(state) ? markup` class="screen"` : null}>${this.asksMerchant ? null : contactLine(brand, language)}</div>`
    return page(frame, {
      title: `${this.title()}: ${invoice.name}`,
      refreshSeconds,
      data: awaited === null ? null : this.data(),
      returnUrl: order.returnUrl ?? brand.returnUrl,
      // Without a script the network is chosen by the address, and must not change with the language.
      kept: this.view.chosen === 0 ? '' : `&wallet=${this.view.chosen}`,
      content,
    })
  }

  /** What the payer's order is called. */
  private orderLine(orderNumber: string): Markup {
    return markup`<p class="quiet">${say(this.language, 'orderNumber')} <bdi>${orderNumber}</bdi></p>`
  }

  /** What the script works with. Addresses are relative, so that it works behind a proxy that serves the page under another path. */
  private data(): Markup {
    const { invoice } = this.view
    const wallets = this.due === null ? null : markup` data-wallets="${walletScript(this.language).path}"`
    return markup` data-events="${invoice.id}/events" data-version="${versionOf(this.view)}"${wallets}`
  }

  private title(): string {
    const { texts } = this.language
    if (this.state.kind === 'closed') return texts.titleClosed
    return isPaid(this.state) ? texts.titlePaid : texts.titlePayment
  }

  /** The one figure: what is due, and of which amount; the amount itself when nothing is due. Its label is spoken only. */
  private figure(): Markup {
    const { language, sums, due } = this
    const amount = amountText(this.view.invoice, this.decimals)
    const label = say(language, due === null ? 'invoiceAmount' : 'amountDue')
    const figure = markup`<span class="unseen">${label}</span> ${sums.sum(due ?? amount)}`
    const isLong = `${due ?? amount} ${sums.coin}`.length > LARGE_AMOUNT_LENGTH_MAX
    const isPart = this.state.kind === 'partly_seen'
    return markup`<p class="${isLong ? 'amount long' : 'amount'}">${figure}</p>
${isPart ? markup`<p class="quiet">${say(language, 'ofAmount', { amount: sums.sum(amount) })}</p>` : null}
${due === null || this.hasOwnAmounts ? null : copyButton(language, 'copyAmount', due)}`
  }

  private statusBox(): Markup {
    const { tone, headline, details } = statusWords(this.state, this.view.strays.length > 0)
    const said = details.map((detail) => this.phrase(detail))
    // How long the wait is follows what is waited for.
    const end = this.state.kind === 'all_seen' ? 1 : said.length
    const lines = [...this.expiry(), ...said.slice(0, end), ...this.outlook(), ...said.slice(end), ...this.strays()]
    const contact = this.asksMerchant ? contactLine(this.frame.brand, this.language) : null
    return markup`<div class="status ${tone}" id="status" role="status" tabindex="-1"><p>${this.phrase(headline)}</p>${lines.map((line) => markup`<p class="detail">${line}</p>`)}${contact}</div>`
  }

  /** Why it is closed, where nobody has closed it. */
  private expiry(): readonly Markup[] {
    const { voidedAt, expiresAt } = this.view
    return voidedAt !== null && voidedAt === expiresAt ? [say(this.language, 'closedExpired')] : []
  }

  /** What is still to come: how long a confirmation takes, and that a closed page shows what is late. */
  private outlook(): readonly Markup[] {
    const { language, state, awaited } = this
    if (state.kind === 'closed') return awaited === 'latecomer' ? [say(language, 'closedWatching')] : []
    if (state.kind !== 'all_seen') return []
    const minutes = this.view.deposits.flatMap(({ isConfirmed, network }) => {
      const { confirmationMinutes } = this.view.networks(network)
      return isConfirmed || confirmationMinutes === null ? [] : [confirmationMinutes]
    })
    if (minutes.length === 0) return []
    return [say(language, 'confirmationTakes', { time: minutesText(language, Math.max(...minutes)) })]
  }

  /** What came that does not count, so that nobody waits for it. */
  private strays(): readonly Markup[] {
    const { language, sums, view } = this
    return view.strays.map(({ network: id, currency, amount }) => {
      const network = view.networks(id)
      const sum = sums.sum(amount, coinOn(currency, network))
      const coin = markup`<bdi>${sums.coin}</bdi>`
      return say(language, 'strayArrived', { sum, network: markup`<bdi>${network.name}</bdi>`, coin })
    })
  }

  private get asksMerchant(): boolean {
    return asksMerchant(this.state) || this.view.strays.length > 0
  }

  private phrase({ text, amounts = {} }: Phrase): Markup {
    const sums = Object.entries(amounts).map(([name, decimal]) => [name, this.sums.sum(decimal)] as const)
    return say(this.language, text, Object.fromEntries(sums))
  }

  /** Null if nothing is left to send, so that no payer pays twice. */
  private instructions(): Markup | null {
    const { due, view } = this
    if (due === null) return null
    const { invoice } = view
    const dueOn = (network: PageNetwork) => this.dueOn(network) ?? due
    const order = { ...view, invoiceId: invoice.id, currency: invoice.currency, dueOn }
    return instructions(this.frame, { ...order, hasOwnAmounts: this.hasOwnAmounts }, this.sums)
  }

  private dueOn(network: PageNetwork): string | null {
    const { invoice, payment, voidedAt } = this.view
    return dueIn(decimalsOn(invoice.currency, network), invoice, payment, voidedAt !== null).left
  }

  /** Whether an amount that not every coin can carry makes a difference between the networks. */
  private get hasOwnAmounts(): boolean {
    return this.networks.some((network) => this.dueOn(network) !== this.due)
  }
}
