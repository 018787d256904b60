import { parseFormattedAmount, parseInvoiceAmount } from '../domain/amount.js'
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

/** What a receipt says of a paid invoice. */
export interface PaidInvoice extends Transactions {
  readonly invoice: Invoice
  readonly order: Pick<OrderFields, 'orderNumber'>
  readonly payment: Payment
  /** When the merchant took what had come as enough, Unix ms; null for never. */
  readonly acceptedAt: number | null
  readonly networks: PageNetworks
}

/**
 * The receipt of a paid invoice, which only paper shows, and what prints it. The rest of the page says what was bought, for how
 * much, and in words that it is paid.
 */
export function receipt({ brand, language }: PageFrame, coin: string, paid: PaidInvoice): Markup {
  const { invoice, order, payment, deposits, hasMoreDeposits, networks } = paid
  const confirmed = deposits.filter(({ isConfirmed }) => isConfirmed)
  const paidAt = paidAtOf(paid) ?? paid.acceptedAt
  const transactions = confirmed.map((deposit) => transaction(language, invoice, deposit, networks))
  const count = String(deposits.length)
  const more = hasMoreDeposits ? markup`<p>${say(language, 'moreTransactions', { count })}</p>` : null
  return markup`<section class="receipt"><h2>${say(language, 'receipt')}</h2>
<dl>${[
    row(language, 'paidTo', brand.name === null ? null : markup`<bdi>${brand.name}</bdi>`),
    row(language, 'contactLabel', contactAddress(brand)),
    row(language, 'invoiceNumber', markup`<code dir="ltr">${invoice.id}</code>`),
    row(language, 'orderNumber', order.orderNumber === null ? null : markup`<bdi>${order.orderNumber}</bdi>`),
    row(language, 'paidOn', paidAt === null ? null : timeMark(language, paidAt)),
    row(language, 'amountReceived', markup`<bdi>${payment.received} ${coin}</bdi>`),
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
  { currency }: Invoice,
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
