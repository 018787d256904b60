import { createHash } from 'node:crypto'
import { parseFormattedAmount } from '../domain/amount.js'
import type { Invoice } from '../domain/invoice.js'
import type { Payment } from '../domain/payment.js'
import type { Wallet } from '../domain/wallet.js'
import { amountText } from './amount-text.js'
import { contactLine } from './brand.js'
import { type Language, listParts, listText, numberText, say, timeText } from './language.js'
import { type PageFrame, page } from './layout.js'
import { type Markup, markup } from './markup.js'
import { coinOn, coinsOf, type PageNetworks } from './networks.js'
import {
  asksMerchant,
  isAwaited,
  isPaid,
  leftToSend,
  type PaymentState,
  type Phrase,
  paymentStateOf,
  statusWords,
} from './payment-state.js'
import { receipt } from './receipt.js'
import { type Transactions, transactionList, transactionsShown } from './transactions.js'

/** Seconds between reloads while a payment is awaited. */
const REFRESH_SECONDS = 10

/** Longer amounts are shown in a smaller font. */
const LARGE_AMOUNT_LENGTH_MAX = 20

/** Characters of an address that stand together. They are set apart by a margin, so that copying yields one word. */
const ADDRESS_GROUP = 4

export type PageWallet = Pick<Wallet, 'id' | 'network' | 'address'>
type KnownWallet = { readonly [Field in keyof PageWallet]: NonNullable<PageWallet[Field]> }

export interface PaymentView extends Transactions {
  readonly invoice: Invoice
  readonly payment: Payment
  /** Void or expired: the payer must not send anything. */
  readonly isVoid: boolean
  /** Unix ms; null when it never expires. */
  readonly expiresAt: number | null
  /** The wallets of the invoice, in its order. */
  readonly wallets: readonly PageWallet[]
  /** Position of the wallet whose address is shown first. */
  readonly chosen: number
  readonly networks: PageNetworks
  /** Unix ms. */
  readonly nowMs: number
}

const VERSION_LENGTH = 16

/** A short text that changes with everything that can change on the page of an invoice. */
export function versionOf(view: Omit<PaymentView, 'invoice' | 'expiresAt' | 'chosen' | 'nowMs'>): string {
  const { payment, isVoid, wallets, networks } = view
  const addresses = wallets.map(({ address }) => address)
  const shown = JSON.stringify([payment, isVoid, addresses, transactionsShown(view, networks)])
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
  private readonly state: PaymentState
  /** What each amount is called: `USDT`, `ETH`, or `ETH or TRX` if the wallets have different coins. */
  private readonly coin: string
  private readonly coins: readonly string[]

  constructor(
    private readonly frame: PageFrame,
    private readonly view: PaymentView,
  ) {
    const { invoice, payment, isVoid, wallets } = view
    this.language = frame.language
    this.state = paymentStateOf(payment, isVoid)
    const networks = wallets.flatMap(({ network }) => (network === null ? [] : [view.networks(network)]))
    this.coins = coinsOf(invoice.currency, networks)
    const { nativeCoin } = this.language.texts
    this.coin = this.coins.length === 0 ? nativeCoin : listText(this.language, this.coins, 'disjunction')
  }

  html(): string {
    const { invoice, payment, isVoid } = this.view
    const refreshSeconds = isAwaited(payment, isVoid) ? REFRESH_SECONDS : null
    const isLive = refreshSeconds !== null
    // The script brings a page to its next state child by child, so these are always there, in this order.
    const content = markup`
<h1><bdi>${invoice.name}</bdi></h1>
${invoice.description === null ? null : markup`<p class="description"><bdi>${invoice.description}</bdi></p>`}
<div>${this.figure()}</div>
${this.statusBox()}
<div>${this.instructions()}</div>
<div${isPaid(this.state) ? markup` class="screen"` : null}>${transactionList(this.language, invoice.currency, this.view, this.view.networks)}</div>
<div>${isPaid(this.state) ? receipt(this.frame, this.coin, this.view) : null}</div>
<div>${isLive ? markup`<p class="quiet"><a href="">${say(this.language, 'refreshNow')}</a></p>` : null}</div>`
    // Relative, so that it works behind a proxy that serves the page under another path.
    const data = isLive ? markup` data-events="${invoice.id}/events" data-version="${versionOf(this.view)}"` : null
    return page(this.frame, { title: `${this.title()}: ${invoice.name}`, refreshSeconds, data, content })
  }

  private title(): string {
    const { texts } = this.language
    if (this.state.kind === 'closed') return texts.titleClosed
    return isPaid(this.state) ? texts.titlePaid : texts.titlePayment
  }

  /** What is left to send, as people write it. Null if nothing. */
  private get due(): string | null {
    return this.state.kind === 'nothing_seen' ? amountText(this.view.invoice) : leftToSend(this.state)
  }

  /** The one figure: what is due, and of which amount; the amount itself when nothing is due. Its label is spoken only. */
  private figure(): Markup {
    const amount = amountText(this.view.invoice)
    const { due } = this
    const label = say(this.language, due === null ? 'invoiceAmount' : 'amountDue')
    const figure = markup`<span class="unseen">${label}</span> ${this.sum(due ?? amount)}`
    const isLong = `${due ?? amount} ${this.coin}`.length > LARGE_AMOUNT_LENGTH_MAX
    const isPart = this.state.kind === 'partly_seen'
    return markup`<p class="${isLong ? 'amount long' : 'amount'}">${figure}</p>
${due === null ? null : this.copyButton('copyAmount', due)}
${isPart ? markup`<p class="quiet">${say(this.language, 'ofAmount', { amount: this.sum(amount) })}</p>` : null}`
  }

  /** The style shows it where the script runs. */
  private copyButton(label: 'copyAddress' | 'copyAmount', text: string): Markup {
    const { texts } = this.language
    return markup`<button type="button" class="copy" data-copy="${text}" data-label="${texts[label]}" data-done="${texts.copied}">${texts[label]}</button>`
  }

  private sum(decimal: string, coin?: string): Markup {
    const number = numberText(this.language, decimal)
    if (coin !== undefined || this.coins.length < 2) return markup`<bdi>${number} ${coin ?? this.coin}</bdi>`
    // Each coin by itself: the word between them may run the other way.
    const parts = listParts(this.language, this.coins, 'disjunction')
    return markup`${parts.map(({ type, value }, i) => {
      if (type === 'literal') return markup`${value}`
      return markup`<bdi>${i === 0 ? `${number} ${value}` : value}</bdi>`
    })}`
  }

  private statusBox(): Markup {
    const { tone, headline, details } = statusWords(this.state)
    const lines = details.map((detail) => markup`<p class="detail">${this.phrase(detail)}</p>`)
    const contact = asksMerchant(this.state) ? contactLine(this.frame.brand, this.language) : null
    return markup`<div class="status ${tone}" id="status" role="status" tabindex="-1"><p>${this.phrase(headline)}</p>${lines}${contact}</div>`
  }

  private phrase({ text, amounts = {} }: Phrase): Markup {
    const sums = Object.entries(amounts).map(([name, decimal]) => [name, this.sum(decimal)] as const)
    return say(this.language, text, Object.fromEntries(sums))
  }

  /** What to send where. Null if nothing is left to send, so that no payer pays twice. */
  private instructions(): Markup | null {
    const { language, coins, due } = this
    if (due === null) return null
    const { wallets, expiresAt } = this.view
    const labels = wallets.map((wallet) => this.label(wallet))
    const panels = wallets.map((wallet) => this.panel(wallet, due))
    return markup`${expiresAt === null ? null : this.ending(expiresAt)}
${coins.length > 1 ? markup`<p class="caution">${say(language, 'differentCoins', { coins: listText(language, coins, 'conjunction') })}</p>${contactLine(this.frame.brand, language)}` : null}
${panels.length === 1 ? markup`<p class="network">${labels}</p>${panels}` : this.tabs(labels, panels)}`
  }

  /** Until when to pay, and how long that is, which the script counts down. */
  private ending(timeMs: number): Markup {
    const time = markup`<time datetime="${new Date(timeMs).toISOString()}">${timeText(this.language, timeMs)}</time>`
    const timer = markup`<bdi id="timer" role="timer" data-left="${String(Math.max(0, timeMs - this.view.nowMs))}"></bdi>`
    return markup`<p>${say(this.language, 'payBefore', { time })}</p>
<p class="script">${say(this.language, 'timeLeft', { time: timer })}</p>`
  }

  /**
   * One panel at a time, without a script: the style shows the panel behind the chosen radio button. A panel follows its
   * button in the document too, so that a screen reader comes to it next. Where no script runs, links choose instead: the page
   * refreshes itself there, and the choice has to be in its address.
   */
  private tabs(labels: readonly Markup[], panels: readonly Markup[]): Markup {
    const { wallets, chosen } = this.view
    return markup`<fieldset class="tabs">
<legend>${say(this.language, 'network')}</legend>
${panels.map((panel, index) => {
  const id = `wallet-${index}`
  const isChosen = index === chosen
  const label = labels[index] ?? null
  const link = `?lang=${this.language.code}&wallet=${index}`
  return markup`<input type="radio" name="network" id="${id}" value="${wallets[index]?.network ?? ''}"${isChosen ? markup` checked` : null}>
<label for="${id}"><span class="script">${label}</span><a class="scriptless" href="${link}"${isChosen ? markup` aria-current="true"` : null}>${label}</a></label>
${panel}`
})}
</fieldset>`
  }

  /** The network's name; of several wallets on one network, each with the end of its address. */
  private label(wallet: PageWallet): Markup {
    const { language } = this
    if (!isKnown(wallet)) return say(language, 'unknownNetwork')
    const { network, address } = wallet
    const isAlone = this.view.wallets.filter((other) => other.network === network).length === 1
    const { name, isTest } = this.view.networks(network)
    const mark = isTest ? markup` <span class="test">${say(language, 'testNetwork')}</span>` : null
    const end = isAlone ? null : markup` <bdi>…${address.slice(-ADDRESS_GROUP)}</bdi>`
    return markup`<bdi>${name}</bdi>${end}${mark}`
  }

  private panel(wallet: PageWallet, due: string): Markup {
    const { language } = this
    if (!isKnown(wallet))
      return markup`<div class="panel"><p>${say(language, 'unknownAddress')}</p></div>
`
    const { id: walletId, address } = wallet
    const network = this.view.networks(wallet.network)
    const { invoice } = this.view
    const coin = coinOn(invoice.currency, network)
    const title = markup`<bdi>${network.name}</bdi>`
    const link = this.walletLink(wallet, due)
    const contract = invoice.currency === 'USDT' ? network.token : null
    return markup`<div class="panel">
<h2>${say(language, 'sendToAddress', { amount: this.sum(due, coin) })}</h2>
<img class="qr" src="${invoice.id}/qr/${encodeURIComponent(walletId.toWellFormed())}.svg" alt="${language.texts.qrCode}" width="176" height="176" loading="lazy">
<p>${addressCode(address)}</p>
${this.copyButton('copyAddress', address)}
<p>${say(language, 'sendOnly', { coin: markup`<strong>${coin}</strong>`, network: markup`<strong>${title}</strong>` })}</p>
${link === null ? null : markup`<p><a href="${link}">${say(language, 'openInWallet')}</a></p>`}
${
  contract === null
    ? null
    : markup`<details><summary>${say(language, 'tokenContract', { coin, network: title })}</summary><p>${addressCode(contract)}</p></details>`
}
</div>
`
  }

  /** A payment request that wallets open (EIP-681): native coins only, whose amounts have 18 decimals everywhere. */
  private walletLink({ network, address }: KnownWallet, due: string): string | null {
    const { kind, chainId } = this.view.networks(network)
    if (this.view.invoice.currency !== 'native' || kind !== 'evm' || chainId === null) return null
    return `ethereum:${address}@${chainId}?value=${parseFormattedAmount(due)}`
  }
}

function isKnown(wallet: PageWallet): wallet is KnownWallet {
  return wallet.network !== null && wallet.address !== null
}

function addressCode(address: string): Markup {
  const groups = address.match(new RegExp(`^0x.{${ADDRESS_GROUP}}|.{1,${ADDRESS_GROUP}}`, 'gsu')) ?? []
  return markup`<code class="address" dir="ltr" translate="no">${groups.map((group) => markup`<span>${group}</span>`)}</code>`
}
