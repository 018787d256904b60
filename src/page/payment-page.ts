import { createHash } from 'node:crypto'
import type { Invoice } from '../domain/invoice.js'
import type { OrderFields } from '../domain/order-fields.js'
import type { Payment, StrayDeposit } from '../domain/payment.js'
import { amountText } from './amount-text.js'
import { dueIn } from './due.js'
import { figure } from './figure.js'
import { footing, refreshSecondsOf } from './footing.js'
import { heading } from './heading.js'
import { instructions, type PageWallet } from './instructions.js'
import type { Language } from './language.js'
import { type PageFrame, page } from './layout.js'
import { type Markup, markup } from './markup.js'
import { coinsOf, decimalsOn, type PageNetwork, type PageNetworks } from './networks.js'
import { awaitedBy, isPaid, type PaymentState } from './payment-state.js'
import { invoiceReceipt } from './receipt.js'
import { asksInBox, type StatusFacts, statusBox, titleOf } from './status-box.js'
import { Sums } from './sums.js'
import { type Transactions, transactionList, transactionsShown } from './transactions.js'
import { walletScript } from './wallet-script.js'

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
    const { invoice, order } = this.view
    // The script brings a page to its next state child by child, so these are always there, in this order.
    const facts = this.statusFacts()
    const content = markup`
${heading(language, { ...invoice, orderNumber: order.orderNumber })}
<div>${this.figure()}</div>
${statusBox(frame, facts)}
<div>${this.instructions()}</div>
${footing(frame, {
  isPaid: isPaid(state),
  transactions: transactionList(language, () => invoice.currency, this.view, this.view.networks),
  receipt: isPaid(state) ? invoiceReceipt(frame, this.sums.coin, this.view) : null,
  awaited,
  isContactBelow: !asksInBox(facts),
})}`
    return page(frame, {
      title: titleOf(language, state, invoice.name),
      refreshSeconds: refreshSecondsOf(awaited),
      data: awaited === null ? null : this.data(),
      returnUrl: order.returnUrl ?? frame.brand.returnUrl,
      // Without a script the network is chosen by the address, and must not change with the language.
      kept: this.view.chosen === 0 ? '' : `&wallet=${this.view.chosen}`,
      content,
    })
  }

  /** What the script works with. Addresses are relative, so that it works behind a proxy that serves the page under another path. */
  private data(): Markup {
    const { invoice } = this.view
    const { shopPath } = this.frame
    const wallets = this.due === null ? null : markup` data-wallets="${shopPath}/${walletScript(this.language).path}"`
    return markup` data-events="${invoice.id}/events" data-version="${versionOf(this.view)}"${wallets}`
  }

  /** What is due, and of which amount; the amount itself when nothing is due. */
  private figure(): Markup {
    const { language, sums, due } = this
    const amount = amountText(this.view.invoice, this.decimals)
    return figure(language, {
      label: due === null ? 'invoiceAmount' : 'amountDue',
      sum: sums.sum(due ?? amount),
      length: `${due ?? amount} ${sums.coin}`.length,
      whole: this.state.kind === 'partly_seen' ? sums.sum(amount) : null,
      copied: this.hasOwnAmounts ? null : due,
    })
  }

  private statusFacts(): StatusFacts<string> {
    const { state, sums, awaited, view } = this
    const { deposits, strays, networks, voidedAt, expiresAt } = view
    const isExpired = voidedAt !== null && voidedAt === expiresAt
    const written = (amount: string) => sums.sum(amount)
    return { state, written, awaited, isExpired, deposits, strays, coin: sums.coin, networks, words: {} }
  }

  /** Null if nothing is left to send, so that no payer pays twice. */
  private instructions(): Markup | null {
    const { due, view } = this
    if (due === null) return null
    const { invoice } = view
    const dueOn = (network: PageNetwork) => this.dueOn(network) ?? due
    const order = {
      ...view,
      pageId: invoice.id,
      kept: '',
      endingText: 'payBefore' as const,
      currency: invoice.currency,
      dueOn,
    }
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
