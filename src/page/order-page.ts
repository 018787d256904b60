import { figure } from './figure.js'
import { footing, refreshSecondsOf } from './footing.js'
import { heading } from './heading.js'
import { instructions } from './instructions.js'
import { type Language, listText, say } from './language.js'
import type { TextKey } from './languages/en.js'
import { type PageFrame, page } from './layout.js'
import { type Markup, markup } from './markup.js'
import { decimalsOn, type PageNetwork } from './networks.js'
import { OrderCoins } from './order-coins.js'
import { newestOf, OrderPayment, type OrderSums } from './order-payment.js'
import { priceMark, rateMark, termsList } from './order-terms.js'
import { type OptionView, type OrderView, orderVersionOf } from './order-view.js'
import { isPaid, leftToSend, NOTHING, type PaymentState } from './payment-state.js'
import { priceText } from './price.js'
import { receipt } from './receipt.js'
import { againButton } from './return-link.js'
import { asksInBox, type StatusFacts, statusBox, titleOf } from './status-box.js'
import { TRANSACTIONS_MAX, transactionList } from './transactions.js'
import { walletScript } from './wallet-script.js'

/**
 * The page of an order: its price, in which coins and on which networks it can be paid, and of the one that the payer chooses what the
 * page of an invoice has, with what is left of that coin. Like that page it needs no script, and shows nothing that concerns the merchant only.
 */
export function orderPage(frame: PageFrame, view: OrderView): string {
  return new OrderPage(frame, view).html()
}

/** Said of an order instead of an invoice. */
const WORDS: Readonly<Partial<Record<TextKey, TextKey>>> = { closed: 'orderClosed', strayArrived: 'orderStray' }

class OrderPage {
  private readonly language: Language
  private readonly payment: OrderPayment
  private readonly coins: OrderCoins
  private readonly state: PaymentState<OrderSums>
  /** The option that is shown. */
  private readonly chosen: number
  /** What is left of its coin, as people write it; null if nothing is left to send. */
  private readonly due: string | null

  constructor(
    private readonly frame: PageFrame,
    private readonly view: OrderView,
  ) {
    const { order, options, nowMs } = view
    this.language = frame.language
    this.payment = new OrderPayment(order, options, nowMs)
    this.coins = new OrderCoins(this.language, view)
    this.chosen = this.payment.chosen(view.option)
    const left = this.leftOf(this.chosen)
    this.state = this.payment.state({ option: this.chosen, amount: left })
    this.due = leftToSend(this.state) === null ? null : left
  }

  html(): string {
    const { frame, language, state, payment, view } = this
    const { order, networks } = view
    const awaited = payment.awaited(view.lateMs)
    const facts = this.statusFacts(awaited)
    const again = this.againUrl
    const transactions = newestOf(view.options, TRANSACTIONS_MAX)
    // The script brings a page to its next state child by child, so these are always there, in this order.
    const content = markup`
${heading(language, { ...order, orderNumber: order.fields.orderNumber })}
<div>${this.terms()}</div>
<div>${this.choice()}</div>
<div>${this.figure()}</div>
${statusBox(frame, facts)}
<div>${again === null ? null : againButton(frame.brand, again, language)}</div>
<div>${this.instructions()}</div>
${footing(frame, {
  isPaid: isPaid(state),
  transactions: transactionList(language, this.currencyOf, transactions, networks),
  receipt: isPaid(state) ? this.receipt(transactions) : null,
  awaited,
  isContactBelow: !asksInBox(facts),
})}`
    return page(frame, {
      title: titleOf(language, state, order.name),
      refreshSeconds: refreshSecondsOf(awaited),
      data: awaited === null ? null : this.data(),
      returnUrl: again === null ? this.returnUrl : null,
      // Without a script coin and network are chosen by the address, and must not change with the language.
      kept: `${this.kept}${view.wallet === 0 ? '' : `&wallet=${view.wallet}`}`,
      content,
    })
  }

  private statusFacts(awaited: StatusFacts<OrderSums>['awaited']): StatusFacts<OrderSums> {
    const { language, state, view, payment, coins } = this
    const { options, strays, networks } = view
    const asked = payment.payable.length > 0 ? payment.payable : options.map((_, option) => option)
    const coin = listText(language, [...new Set(asked.map((option) => coins.of(option).name))], 'disjunction')
    const { isExpired } = payment
    const words = isExpired ? { ...WORDS, closedUnpaid: 'orderExpired' as const } : WORDS
    const deposits = options.flatMap((option) => option.deposits)
    const written = (sums: OrderSums) => coins.list(sums)
    return { state, written, awaited, isExpired, deposits, strays, coin, networks, words }
  }

  /** What the script works with. The choice of the option is in the address of the page, and does not change what it is told of. */
  private data(): Markup {
    const { frame, view, due } = this
    const wallets = due === null ? null : markup` data-wallets="${frame.shopPath}/${walletScript(this.language).path}"`
    return markup` data-events="${view.order.id}/events" data-version="${orderVersionOf(view)}"${wallets}`
  }

  private get returnUrl(): string | null {
    return this.view.order.fields.returnUrl ?? this.frame.brand.returnUrl
  }

  /** Where the payer gets a new price: the rate of an order that has expired is never renewed here. Null while nobody needs to. */
  private get againUrl(): string | null {
    const { state, payment } = this
    const isUnpaid = state.kind === 'closed' && state.received === NOTHING && state.pending === NOTHING
    return isUnpaid && payment.isExpired ? this.returnUrl : null
  }

  private receipt(transactions: ReturnType<typeof newestOf>): Markup {
    const { frame, language, view, payment, coins } = this
    const { id, price, fields } = view.order
    const rates = view.options.flatMap((option, i) => {
      const rate = payment.hasMoney(i) ? rateMark(language, price, option, coins.of(i).name) : null
      return rate === null ? [] : [['rate', rate] as const]
    })
    return receipt(frame, {
      number: ['orderId', id],
      orderNumber: fields.orderNumber,
      paidAt: payment.paidAt,
      terms: [['price', priceMark(language, price)], ...rates],
      received: payment.received === NOTHING ? null : coins.list(payment.received),
      currencyOf: this.currencyOf,
      ...transactions,
      networks: view.networks,
    })
  }

  /** Beside what is due in a coin. Elsewhere the price is the one figure. */
  private terms(): Markup | null {
    const { language, chosen, due, payment, view } = this
    const { price } = view.order
    if (due === null) return null
    const rate = rateMark(language, price, this.option(chosen), this.coins.of(chosen).name)
    return termsList(language, priceMark(language, price), rate, payment.hasMoney(chosen))
  }

  /** A link for each way to pay. The script remembers the one that was followed last; a single one is no choice. */
  private choice(): Markup | null {
    const { language, chosen, coins } = this
    const { payable } = this.payment
    if (payable.length < 2) return null
    const links = payable.map((option) => {
      const coin = coins.of(option)
      const current = option === chosen ? markup` aria-current="true"` : null
      const link = `?lang=${language.code}&option=${option + 1}`
      const amount = coins.sum({ option, amount: this.leftOf(option) })
      return markup`<li><a href="${link}" data-choice="${coin.key}"${current}>${amount} <span>${coin.networkNames()}</span></a></li>
`
    })
    return markup`<nav class="choice" aria-labelledby="choice"><p id="choice">${say(language, 'payWith')}</p><ul>
${links}</ul></nav>`
  }

  /** What is due; the price when nothing is. */
  private figure(): Markup {
    const { language, due, chosen } = this
    const { price } = this.view.order
    if (due === null) {
      const { length } = priceText(language, price)
      return figure(language, { label: 'price', sum: priceMark(language, price), length, whole: null, copied: null })
    }
    return figure(language, {
      label: 'amountDue',
      sum: this.coins.sum({ option: chosen, amount: due }),
      length: `${due} ${this.coins.of(chosen).name}`.length,
      whole: null,
      copied: this.hasOwnAmounts ? null : due,
    })
  }

  private instructions(): Markup | null {
    const { due, chosen, view } = this
    if (due === null) return null
    const { order, networks, nowMs } = view
    const { invoice, wallets, rate } = this.option(chosen)
    const asked = {
      pageId: order.id,
      kept: this.kept,
      currency: invoice.currency,
      wallets,
      chosen: view.wallet < wallets.length ? view.wallet : 0,
      // What something has come for lives on.
      expiresAt: this.payment.hasMoney(chosen) ? null : order.expiresAt,
      endingText: rate === null ? ('payBefore' as const) : ('rateUntil' as const),
      nowMs,
      networks,
      dueOn: (network: PageNetwork) => this.dueOn(network),
      hasOwnAmounts: this.hasOwnAmounts,
    }
    return instructions(this.frame, asked, this.coins.of(chosen).sums)
  }

  private get kept(): string {
    return this.view.options.length < 2 ? '' : `&option=${this.chosen + 1}`
  }

  private readonly currencyOf = ({ option }: { readonly option: number }) => this.option(option).invoice.currency

  private dueOn(network: PageNetwork): string {
    return this.payment.left(this.chosen, decimalsOn(this.option(this.chosen).invoice.currency, network))
  }

  /** Whether an amount that not every coin can carry makes a difference between the networks. */
  private get hasOwnAmounts(): boolean {
    return this.coins.of(this.chosen).networks.some((network) => this.dueOn(network) !== this.due)
  }

  private leftOf(option: number): string {
    return this.payment.left(option, this.coins.of(option).decimals)
  }

  private option(option: number): OptionView {
    const found = this.view.options[option]
    if (found === undefined) throw new Error('an order does not have an option that is shown')
    return found
  }
}
