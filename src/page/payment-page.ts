import { formatAmount, parseInvoiceAmount } from '../domain/amount.js'
import type { Invoice } from '../domain/invoice.js'
import { isTestNetwork, type Network } from '../domain/network.js'
import type { Payment } from '../domain/payment.js'
import type { Wallet } from '../domain/wallet.js'
import { coinName, coinsOf, NETWORK_TITLES } from './coin.js'
import { page } from './layout.js'
import { type Markup, markup } from './markup.js'
import { isAwaited, leftToSend, type PaymentState, paymentStateOf, statusWords } from './payment-state.js'

/** Seconds between reloads while a payment is awaited. */
const REFRESH_SECONDS = 10

/** Longer amounts are shown in a smaller font. */
const LARGE_AMOUNT_LENGTH_MAX = 20

export interface PaymentView {
  readonly invoice: Invoice
  readonly payment: Payment
  /** Void or expired: the payer must not send anything. */
  readonly isVoid: boolean
  /** Unix ms; null when it never expires. */
  readonly expiresAt: number | null
  /** The wallets of the invoice, in its order. */
  readonly wallets: readonly Pick<Wallet, 'network' | 'address'>[]
  readonly isSandbox: boolean
}

/**
 * The page that a payer sees: the amount, the state of the payment and, while something is missing, what to send where.
 * It has no script; while a payment is awaited it reloads itself. It does not show owner, reference and callback URL,
 * which concern the merchant only.
 *
 * Text from the merchant is in `<bdi>`, each in a block of its own. Characters that change the direction of text then
 * have no effect beyond it, even if they close more than they open.
 */
export function paymentPage(view: PaymentView): string {
  const { invoice, payment, isVoid, wallets } = view
  const coin = coinName(invoice.currency, networksOf(wallets))
  const amount = `${amountText(invoice)} ${coin}`
  const state = paymentStateOf(payment, isVoid)
  const refreshSeconds = isAwaited(payment, isVoid) ? REFRESH_SECONDS : null
  const content = markup`
<h1><bdi>${invoice.name}</bdi></h1>
${invoice.description === null ? null : markup`<p class="description"><bdi>${invoice.description}</bdi></p>`}
<p class="${amount.length > LARGE_AMOUNT_LENGTH_MAX ? 'amount long' : 'amount'}">${amount}</p>
${statusBox(state, coin)}
${instructions(view, state)}
${refreshSeconds === null ? null : refreshHint(invoice.id, refreshSeconds)}`
  return page({ title: `${titleOf(state)}: ${invoice.name}`, refreshSeconds, isSandbox: view.isSandbox, content })
}

function titleOf(state: PaymentState): string {
  if (state.kind === 'closed') return 'No longer payable'
  return state.kind === 'paid' || state.kind === 'overpaid' ? 'Paid' : 'Payment'
}

function networksOf(wallets: PaymentView['wallets']): Network[] {
  return wallets.flatMap(({ network }) => (network === null ? [] : [network]))
}

/** An amount as people write it: no leading zeros, a digit before the point, and a bounded number after it. */
const PLAIN_AMOUNT = /^(0|[1-9][0-9]*)(\.[0-9]{1,18})?$/

/**
 * The amount as the merchant wrote it, so that 25.00 stays 25.00. Unusual spellings are shown in their shortest form:
 * `.5` could be read as 5, and trailing zeros have no bound.
 */
function amountText(invoice: Invoice): string {
  if (PLAIN_AMOUNT.test(invoice.amount)) return invoice.amount
  const atoms = parseInvoiceAmount(invoice.amount)
  if (atoms === null) throw new Error('the amount of an invoice is not valid')
  return formatAmount(atoms)
}

function statusBox(state: PaymentState, coin: string): Markup {
  const { tone, headline, details } = statusWords(state, coin)
  return markup`<div class="status ${tone}" role="status"><p>${headline}</p>${details.map(
    (detail) => markup`<p class="detail">${detail}</p>`,
  )}</div>`
}

/** What to send where. Null if nothing is left to send, so that no payer pays twice. */
function instructions({ invoice, wallets, expiresAt }: PaymentView, state: PaymentState): Markup | null {
  const missing = leftToSend(state)
  if (missing === null) return null
  const figure = state.kind === 'nothing_seen' ? amountText(invoice) : missing
  const networks = networksOf(wallets)
  const coin = coinName(invoice.currency, networks)
  const coins = coinsOf(invoice.currency, networks)
  const hasSeveralCoins = coins.length > 1
  const sumOn = (network: Network | null): string | null =>
    hasSeveralCoins && network !== null ? `${figure} ${coinName(invoice.currency, [network])} on ` : null
  return markup`<h2>Send ${figure} ${coin} to ${wallets.length === 1 ? 'this address' : 'one of these addresses'}</h2>
${expiresAt === null ? null : markup`<p>Pay before ${timeText(expiresAt)}.</p>`}
${hasSeveralCoins ? markup`<p class="caution">${differentCoins(coins)}</p>` : null}
${networks.length === 0 ? null : markup`<p class="quiet">${sendingHint(coin, wallets.length)}</p>`}
<dl class="wallets">
${wallets.map((wallet) => walletEntry(wallet, sumOn(wallet.network)))}
</dl>`
}

/** In UTC: a page without a script does not know the payer's time zone. Rounded down to minutes, so never too late. */
function timeText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** An invoice adds up different coins as plain numbers (specification); a payer must not take them for equal offers. */
function differentCoins(coins: readonly string[]): string {
  return `${coins.join(' and ')} are different coins with different values. This invoice asks for the same number of either: \
ask the merchant which one is meant if you are not sure.`
}

function sendingHint(coin: string, count: number): string {
  const where = count === 1 ? 'on the network named with the address' : 'on the network named with each address'
  return `Send only ${coin}, and only ${where}. Anything else does not count for this invoice.`
}

/** `sum` precedes the network's name if the networks differ in what to send. */
function walletEntry({ network, address }: PaymentView['wallets'][number], sum: string | null): Markup {
  if (network === null || address === null) {
    return markup`<dt>Network not known yet</dt>
<dd>The address of this wallet is not known yet. Come back in a moment.</dd>
`
  }
  const label = isTestNetwork(network) ? markup` <span class="test">Test network</span>` : null
  return markup`<dt>${sum}${NETWORK_TITLES[network]}${label}</dt>
<dd><code class="address"><bdi>${address}</bdi></code></dd>
`
}

/** The address is relative, so it works behind a proxy that serves the page under another path. */
function refreshHint(id: string, seconds: number): Markup {
  return markup`<p class="quiet">This page refreshes itself every ${String(seconds)} seconds.
<a href="${id}">Refresh now</a></p>`
}
