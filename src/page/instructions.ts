import { type Currency, NATIVE, parseFormattedAmount } from '../domain/amount.js'
import type { Wallet } from '../domain/wallet.js'
import { copyButton } from './copy-button.js'
import { type Language, listText, minutesText, say, timeMark } from './language.js'
import type { PageFrame } from './layout.js'
import { type Markup, markup } from './markup.js'
import { coinOn, nameOn, type PageNetwork, type PageNetworks, tokenOn } from './networks.js'
import { LAST_CALL_MS } from './payment-state.js'
import type { Sums } from './sums.js'
import { walletPayment } from './wallet-payment.js'

/** Characters of an address that stand together. They are set apart by a margin, so that copying yields one word. */
const ADDRESS_GROUP = 4

export type PageWallet = Pick<Wallet, 'id' | 'network' | 'address'>
type KnownWallet = { readonly [Field in keyof PageWallet]: NonNullable<PageWallet[Field]> }

/** What the payer is told to do. */
export interface Order {
  /** The id in the address of the page: of the invoice, or of the order. */
  readonly pageId: string
  readonly currency: Currency
  /** In the order of the invoice. */
  readonly wallets: readonly PageWallet[]
  /** Position of the wallet whose address is shown first. */
  readonly chosen: number
  /** What else the query of the page has that its links keep; begins with `&` unless empty. */
  readonly kept: string
  /** Unix ms; null when it never expires. */
  readonly expiresAt: number | null
  /** Unix ms. */
  readonly nowMs: number
  readonly networks: PageNetworks
  /** How it is said when it expires. */
  readonly endingText: 'payBefore' | 'rateUntil'
  /** What is due on a network. */
  readonly dueOn: (network: PageNetwork) => string
  /** Whether that differs between the networks, so that each has its own button to copy it. */
  readonly hasOwnAmounts: boolean
}

/** What to send where. */
export function instructions(frame: PageFrame, order: Order, sums: Sums): Markup {
  return new Instructions(frame, order, sums).html()
}

class Instructions {
  private readonly language: Language

  constructor(
    private readonly frame: PageFrame,
    private readonly order: Order,
    private readonly sums: Sums,
  ) {
    this.language = frame.language
  }

  html(): Markup {
    const { language, order, sums } = this
    const { wallets, expiresAt } = order
    const { coins } = sums
    const labels = wallets.map((wallet) => this.label(wallet))
    const panels = wallets.map((wallet) => this.panel(wallet))
    return markup`${expiresAt === null ? null : this.ending(expiresAt)}
${coins.length > 1 ? markup`<p class="caution">${say(language, 'differentCoins', { coins: listText(language, coins, 'conjunction') })}</p>` : null}
${panels.length === 1 ? markup`<p class="network">${labels}</p>${panels}` : this.tabs(labels, panels)}`
  }

  /**
   * Until when to pay, how long that is, which the script counts down, and the last call, which it shows in time. The style then
   * hides what tells to send, the class `send` and the buttons that copy. The address stays, for those who are comparing it.
   */
  private ending(timeMs: number): Markup {
    const leftMs = Math.max(0, timeMs - this.order.nowMs)
    const timer = markup`<bdi id="timer" role="timer" data-left="${String(leftMs)}"></bdi>`
    return markup`<p>${say(this.language, this.order.endingText, { time: timeMark(this.language, timeMs) })}</p>
<p class="script">${say(this.language, 'timeLeft', { time: timer })}</p>
<p id="last-call" role="alert" data-text="${this.language.texts.lastCall}">${leftMs > LAST_CALL_MS ? null : say(this.language, 'lastCall')}</p>`
  }

  /**
   * One panel at a time, without a script: the style shows the panel behind the chosen radio button. A panel follows its
   * button in the document too, so that a screen reader comes to it next. Where no script runs, links choose instead: the page
   * refreshes itself there, and the choice has to be in its address.
   */
  private tabs(labels: readonly Markup[], panels: readonly Markup[]): Markup {
    const { wallets, chosen } = this.order
    return markup`<fieldset class="tabs">
<legend>${say(this.language, 'network')}</legend>
${panels.map((panel, index) => {
  const id = `wallet-${index}`
  const isChosen = index === chosen
  const label = labels[index] ?? null
  const link = `?lang=${this.language.code}${this.order.kept}&wallet=${index}`
  return markup`<input type="radio" name="network" id="${id}" value="${wallets[index]?.network ?? ''}"${isChosen ? markup` checked` : null}>
<label for="${id}"><span class="script">${label}</span><a class="scriptless" href="${link}"${isChosen ? markup` aria-current="true"` : null}>${label}</a></label>
${panel}`
})}
</fieldset>`
  }

  /** The network's name; of several wallets on one network, each with the end of its address. */
  private label(wallet: PageWallet): Markup {
    const { language, order } = this
    if (!isKnown(wallet)) return say(language, 'unknownNetwork')
    const { network, address } = wallet
    const isAlone = order.wallets.filter((other) => other.network === network).length === 1
    const facts = order.networks(network)
    const mark = facts.isTest ? markup` <span class="test">${say(language, 'testNetwork')}</span>` : null
    const end = isAlone ? null : markup` <bdi>…${address.slice(-ADDRESS_GROUP)}</bdi>`
    return markup`<bdi>${nameOn(order.currency, facts)}</bdi>${end}${mark}`
  }

  private panel(wallet: PageWallet): Markup {
    const { language, order, sums } = this
    if (!isKnown(wallet))
      return markup`<div class="panel"><p>${say(language, 'unknownAddress')}</p></div>
`
    const { id: walletId, address } = wallet
    const { currency, pageId } = order
    const network = order.networks(wallet.network)
    const coin = coinOn(currency, network)
    const due = order.dueOn(network)
    const amount = sums.sum(due, coin)
    const title = markup`<bdi>${nameOn(currency, network)}</bdi>`
    const link = this.walletLink(network, address, due)
    // The style draws the first letter as a logo. A screen reader reads only the name of the coin, which follows.
    return markup`<div class="panel">
${this.browserWallets(network, address, due)}
<h2 class="coin send" data-letter="${[...coin][0] ?? ''}">${say(language, 'sendToAddress', { amount })}</h2>
${order.hasOwnAmounts ? copyButton(language, 'copyAmount', due) : null}
<p class="send">${say(language, 'sendOnly', { coin: markup`<strong>${coin}</strong>`, network: markup`<strong>${title}</strong>` })}</p>
${this.alias(network, coin)}
<img class="qr send" src="${pageId}/qr/${encodeURIComponent(walletId.toWellFormed())}.svg" alt="${language.texts.qrCode}" width="176" height="176" loading="lazy">
<p>${addressCode(address)}</p>
${copyButton(language, 'copyAddress', address)}
<p class="send">${say(language, 'fullAmount', { amount: markup`<strong>${amount}</strong>` })}</p>
${link === null ? null : markup`<p class="send"><a href="${link}">${say(language, 'openInWallet')}</a></p>`}
${this.hints(network)}
${this.contract(network, coin, title)}
</div>
`
  }

  /** A token that calls itself otherwise than payers find it on an exchange. */
  private alias(network: PageNetwork, coin: string): Markup | null {
    const { currency } = this.order
    if (coin === currency || contractOn(currency, network) === null) return null
    return markup`<p>${say(this.language, 'tokenAlias', { coin: markup`<bdi>${coin}</bdi>` })}</p>`
  }

  /** What sending takes beside the amount, and how long it waits. */
  private hints({ symbol, confirmationMinutes }: PageNetwork): Markup {
    const { language } = this
    const fee =
      this.order.currency === NATIVE
        ? null
        : markup`<p class="quiet send">${say(language, 'feeCoin', { coin: markup`<bdi>${symbol}</bdi>` })}</p>`
    const takes =
      confirmationMinutes === null
        ? null
        : markup`<p class="quiet">${say(language, 'confirmationTakes', { time: minutesText(language, confirmationMinutes) })}</p>`
    return markup`${fee}${takes}`
  }

  private contract(network: PageNetwork, coin: string, title: Markup): Markup | null {
    const contract = contractOn(this.order.currency, network)
    if (contract === null) return null
    const summary = say(this.language, 'tokenContract', { coin, network: title })
    return markup`<details><summary>${summary}</summary><p>${addressCode(contract)}</p></details>`
  }

  /**
   * The script fills it with a button for each wallet that the browser has. There is none in a sandbox, whose networks no
   * wallet reaches, nor when it is too late to send.
   */
  private browserWallets(network: PageNetwork, address: string, due: string): Markup | null {
    const { currency, expiresAt, nowMs } = this.order
    if (this.frame.isSandbox || (expiresAt !== null && expiresAt - nowMs <= LAST_CALL_MS)) return null
    const payment = walletPayment(currency, network, address, due)
    return payment === null ? null : markup`<div class="wallets" data-pay="${JSON.stringify(payment)}"></div>`
  }

  /** A payment request that wallets open (EIP-681): native coins only, whose amounts have 18 decimals everywhere. */
  private walletLink({ kind, chainId }: PageNetwork, address: string, due: string): string | null {
    if (this.order.currency !== NATIVE || kind !== 'evm' || chainId === null) return null
    return `ethereum:${address}@${chainId}?value=${parseFormattedAmount(due)}`
  }
}

/** The contract of the token that a currency is on a network; null for the coin, and when it is not configured. */
function contractOn(currency: Currency, network: PageNetwork): string | null {
  return tokenOn(currency, network)?.contract ?? null
}

function isKnown(wallet: PageWallet): wallet is KnownWallet {
  return wallet.network !== null && wallet.address !== null
}

function addressCode(address: string): Markup {
  const groups = address.match(new RegExp(`^0x.{${ADDRESS_GROUP}}|.{1,${ADDRESS_GROUP}}`, 'gsu')) ?? []
  return markup`<code class="address" dir="ltr" translate="no">${groups.map((group) => markup`<span>${group}</span>`)}</code>`
}
