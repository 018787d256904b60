import { formatAmount, parseInvoiceAmount } from '../domain/amount.js'
import type { Currency } from '../domain/currency.js'
import type { Invoice } from '../domain/invoice.js'
import type { Payment } from '../domain/payment.js'
import type { Wallet } from '../domain/wallet.js'
import { coinName, NETWORK_TITLES } from './coin.js'
import { page } from './layout.js'
import { type Markup, markup } from './markup.js'

/** How often an unpaid page is asked for again. */
const REFRESH_SECONDS = 10

/** Longer amounts are written smaller, so that they do not fill the page. */
const LARGE_AMOUNT_LENGTH_MAX = 20

export interface PaymentView {
  readonly invoice: Invoice
  readonly payment: Payment
  /** The wallets of the invoice, in its order. */
  readonly wallets: readonly Pick<Wallet, 'network' | 'address'>[]
  readonly isSandbox: boolean
}

/**
 * The page that a payer sees: what is asked, where to pay it, and what has come in. It has no script; an unpaid page
 * refreshes itself. What is the merchant's own (owner, reference, callback URL) is not shown.
 *
 * Text of the merchant stands in `<bdi>`, each in a block of its own: characters that turn the direction of text around
 * then reach no further, not even when they close more than they open.
 */
export function paymentPage(view: PaymentView): string {
  const { invoice, payment, wallets } = view
  const networks = wallets.flatMap(({ network }) => (network === null ? [] : [network]))
  const coin = coinName(invoice.currency, networks)
  const amount = `${amountText(invoice)} ${coin}`
  const isPaid = payment.status === 'paid'
  const content = markup`
<h1><bdi>${invoice.name}</bdi></h1>
${invoice.description === null ? null : markup`<p class="description"><bdi>${invoice.description}</bdi></p>`}
<p class="${amount.length > LARGE_AMOUNT_LENGTH_MAX ? 'amount long' : 'amount'}">${amount}</p>
<p class="${isPaid ? 'status paid' : 'status waiting'}" role="status">${statusText(payment)}</p>
${isPaid ? null : refreshHint(invoice.id)}
<h2>Payment</h2>
<dl class="sums">
${sum('Amount', amount)}
${sum('Currency', currencyText(invoice.currency, coin))}
${sum('Received', `${payment.received} ${coin}`)}
${sum('Pending', `${payment.pending} ${coin}`)}
${sum('Remaining', `${payment.remaining} ${coin}`)}
${payment.overpaid === '0' ? null : sum('Overpaid', `${payment.overpaid} ${coin}`)}
</dl>
<h2>${walletsTitle(isPaid, wallets.length)}</h2>
${isPaid || networks.length === 0 ? null : markup`<p class="quiet">${walletsHint(coin, wallets.length)}</p>`}
<dl class="wallets">
${wallets.map(walletEntry)}
</dl>`
  return page({
    title: `${isPaid ? 'Paid' : 'Payment'}: ${invoice.name}`,
    refreshSeconds: isPaid ? null : REFRESH_SECONDS,
    isSandbox: view.isSandbox,
    content,
  })
}

/** The page of an invoice that does not exist. */
export function unknownInvoicePage(isSandbox: boolean): string {
  return page({
    title: 'Invoice not found',
    refreshSeconds: null,
    isSandbox,
    content: markup`
<h1>Invoice not found</h1>
<p>There is no invoice at this address. Check the link, or ask whoever sent it to you for a new one.</p>`,
  })
}

/** The currency as the invoice names it, and the coin that it means here. */
function currencyText(currency: Currency, coin: string): string {
  return currency === coin || coin.startsWith(currency) ? currency : `${currency} (${coin})`
}

/** How people write an amount: no zeros in front, a digit before the point, and a bounded number behind it. */
const PLAIN_AMOUNT = /^(0|[1-9][0-9]*)(\.[0-9]{1,18})?$/

/**
 * The amount as the merchant wrote it, so that 25.00 stays 25.00. Other spellings are shown in their shortest form: `.5`
 * could be read as 5, and zeros behind a number have no end.
 */
function amountText(invoice: Invoice): string {
  if (PLAIN_AMOUNT.test(invoice.amount)) return invoice.amount
  const atoms = parseInvoiceAmount(invoice.amount)
  if (atoms === null) throw new Error('an invoice has an amount that is none')
  return formatAmount(atoms)
}

function statusText(payment: Payment): string {
  if (payment.status === 'paid') return 'Paid. Nothing more is due.'
  if (payment.pending !== '0') return 'Payment seen, waiting for confirmation'
  return payment.received === '0' ? 'Waiting for payment' : 'Partly paid, waiting for the rest'
}

/** The address is relative, so it also holds behind a proxy that serves the page under another path. */
function refreshHint(id: string): Markup {
  return markup`<p class="quiet">This page refreshes itself every ${String(REFRESH_SECONDS)} seconds.
<a href="${id}">Refresh now</a></p>`
}

function sum(title: string, text: string): Markup {
  return markup`<div><dt>${title}</dt><dd>${text}</dd></div>
`
}

function walletsTitle(isPaid: boolean, count: number): string {
  if (isPaid) return count === 1 ? 'Address of this invoice' : 'Addresses of this invoice'
  return count === 1 ? 'Pay to this address' : 'Pay to any of these addresses'
}

function walletsHint(coin: string, count: number): string {
  const where = count === 1 ? 'on the network named with the address' : 'on the network named with each address'
  return `Send only ${coin}, and only ${where}. Anything else does not count for this invoice.`
}

function walletEntry(wallet: PaymentView['wallets'][number]): Markup {
  if (wallet.network === null || wallet.address === null) {
    return markup`<dt>Network not known yet</dt>
<dd>The address of this wallet is not known yet. Come back in a moment.</dd>
`
  }
  return markup`<dt>${NETWORK_TITLES[wallet.network]}</dt>
<dd><code class="address"><bdi>${wallet.address}</bdi></code></dd>
`
}
