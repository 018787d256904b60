import { type Currency, parseFormattedAmount, parseInvoiceAmount } from '../domain/amount.js'
import type { Invoice } from '../domain/invoice.js'
import type { OrderFields } from '../domain/order-fields.js'
import type { Payment, QualifyingDeposit } from '../domain/payment.js'
import { contactAddress } from './brand.js'
import { type Language, say, timeMark } from './language.js'
import type { TextKey } from './languages/en.js'
import type { PageFrame } from './layout.js'
import { type Markup, markup } from './markup.js'
import { coinOn, nameOn, type PageNetworks } from './networks.js'
import type { Transactions } from './transactions.js'

/** What a receipt says. `Deposit`: what the payment is the sum of. */
export interface ReceiptFacts<Deposit> extends Transactions<Deposit> {
  /** The number under which the service has what was paid, and what it is called. */
  readonly number: readonly [label: TextKey, id: string]
  readonly orderNumber: string | null
  /** Unix ms; null if it is not known. */
  readonly paidAt: number | null
  /** What was to be paid, where another currency says so. */
  readonly terms: readonly (readonly [label: TextKey, value: Markup])[]
  /** Null for nothing, where the merchant asked for no more. */
  readonly received: Markup | null
  readonly currencyOf: (deposit: Deposit) => Currency
  readonly networks: PageNetworks
}

/** A paid invoice. */
export interface PaidInvoice extends Transactions {
  readonly invoice: Invoice
  readonly order: Pick<OrderFields, 'orderNumber'>
  readonly payment: Payment
  /** When the merchant took what had come as enough, Unix ms; null for never. */
  readonly acceptedAt: number | null
  readonly networks: PageNetworks
}

/** The receipt of an invoice. `coin`: what it was paid in. */
export function invoiceReceipt(frame: PageFrame, coin: string, paid: PaidInvoice): Markup {
  const { invoice, order, payment, acceptedAt, deposits, hasMoreDeposits, networks } = paid
  return receipt(frame, {
    number: ['invoiceNumber', invoice.id],
    orderNumber: order.orderNumber,
    paidAt: paidAtOf(paid) ?? acceptedAt,
    terms: [],
    received: markup`<bdi>${payment.received} ${coin}</bdi>`,
    currencyOf: () => invoice.currency,
    deposits,
    hasMoreDeposits,
    networks,
  })
}

/**
 * The receipt of what is paid, which only paper shows, and what prints it. The rest of the page says what was bought, for how
 * much, and in words that it is paid.
 */
export function receipt<Deposit extends QualifyingDeposit>(
  { brand, language }: PageFrame,
  {
    number,
    orderNumber,
    paidAt,
    terms,
    received,
    currencyOf,
    deposits,
    hasMoreDeposits,
    networks,
  }: ReceiptFacts<Deposit>,
): Markup {
  const confirmed = deposits.filter(({ isConfirmed }) => isConfirmed)
  const transactions = confirmed.map((deposit) => transaction(language, currencyOf(deposit), deposit, networks))
  const count = String(deposits.length)
  const more = hasMoreDeposits ? markup`<p>${say(language, 'moreTransactions', { count })}</p>` : null
  const [label, id] = number
  return markup`<section class="receipt"><h2>${say(language, 'receipt')}</h2>
<dl>${[
    row(language, 'paidTo', brand.name === null ? null : markup`<bdi>${brand.name}</bdi>`),
    row(language, 'contactLabel', contactAddress(brand)),
    row(language, label, markup`<code dir="ltr">${id}</code>`),
    row(language, 'orderNumber', orderNumber === null ? null : markup`<bdi>${orderNumber}</bdi>`),
    row(language, 'paidOn', paidAt === null ? null : timeMark(language, paidAt)),
    ...terms.map(([term, value]) => row(language, term, value)),
    row(language, 'amountReceived', received),
    row(language, 'transactions', transactions.length === 0 ? null : markup`${transactions}${more}`),
  ]}</dl></section>
<p class="script"><button type="button" data-print>${say(language, 'printReceipt')}</button></p>
<p class="quiet scriptless">${say(language, 'printHint')}</p>`
}

/**
 * When the deposit came that completed the payment, Unix ms; null if it is not among those that are listed.
 */
export function paidAtOf({
  invoice,
  payment,
  deposits,
}: Pick<PaidInvoice, 'invoice' | 'payment' | 'deposits'>): number | null {
  const amount = parseInvoiceAmount(invoice.amount)
  if (amount === null) return null
  let before = parseFormattedAmount(payment.received)
  for (const { isConfirmed, amount: part, receivedAt } of deposits) {
    if (!isConfirmed) continue
    before -= parseFormattedAmount(part)
    if (before < amount) return receivedAt
  }
  return null
}

function row(language: Language, label: TextKey, value: Markup | null): Markup {
  return value === null ? markup`` : markup`<div><dt>${say(language, label)}</dt><dd>${value}</dd></div>`
}

function transaction(
  language: Language,
  currency: Currency,
  deposit: QualifyingDeposit,
  networks: PageNetworks,
): Markup {
  const { txHash, amount, receivedAt } = deposit
  const network = networks(deposit.network)
  const sum = markup`<bdi>${amount} ${coinOn(currency, network)}</bdi>`
  const mark = network.isTest ? markup` <span class="test">${say(language, 'testNetwork')}</span>` : null
  return markup`<p>${sum} · <bdi>${nameOn(currency, network)}</bdi>${mark}<br>
${timeMark(language, receivedAt)}<br>
<code dir="ltr" translate="no">${txHash.toWellFormed()}</code></p>`
}
