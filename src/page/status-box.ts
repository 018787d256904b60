import type { QualifyingDeposit, StrayDeposit } from '../domain/payment.js'
import { contactLine } from './brand.js'
import { type Language, minutesText, say } from './language.js'
import type { TextKey } from './languages/en.js'
import type { PageFrame } from './layout.js'
import { type Markup, markup } from './markup.js'
import { coinOn, type PageNetworks } from './networks.js'
import { asksMerchant, type awaitedBy, isPaid, type PaymentState, type Phrase, statusWords } from './payment-state.js'

/** What the box says that tells how a payment stands. */
export interface StatusFacts<Amount> {
  readonly state: PaymentState<Amount>
  /** How an amount is written. */
  readonly written: (amount: Amount) => Markup
  readonly awaited: ReturnType<typeof awaitedBy>
  /** Whether it is closed because its time is over. */
  readonly isExpired: boolean
  readonly deposits: readonly QualifyingDeposit[]
  readonly strays: readonly StrayDeposit[]
  /** The coins that are asked for, in words. */
  readonly coin: string
  readonly networks: PageNetworks
  /** What is said of an order in other words than of an invoice. */
  readonly words: Readonly<Partial<Record<TextKey, TextKey>>>
}

export function statusBox<Amount>(frame: PageFrame, facts: StatusFacts<Amount>): Markup {
  return new StatusBox(frame, facts).html()
}

/** The title of a page. */
export function titleOf<Amount>({ texts }: Language, state: PaymentState<Amount>, name: string): string {
  const title = state.kind === 'closed' ? texts.titleClosed : isPaid(state) ? texts.titlePaid : texts.titlePayment
  return `${title}: ${name}`
}

/** Whether the payer is told to ask the merchant, in the box itself. */
export function asksInBox<Amount>({ state, strays }: Pick<StatusFacts<Amount>, 'state' | 'strays'>): boolean {
  return asksMerchant(state) || strays.length > 0
}

class StatusBox<Amount> {
  constructor(
    private readonly frame: PageFrame,
    private readonly facts: StatusFacts<Amount>,
  ) {}

  html(): Markup {
    const { frame, facts } = this
    const { tone, headline, details } = statusWords(facts.state, facts.strays.length > 0)
    const said = details.map((detail) => this.phrase(detail))
    // How long the wait is follows what is waited for.
    const end = facts.state.kind === 'all_seen' ? 1 : said.length
    const lines = [...this.expiry(), ...said.slice(0, end), ...this.outlook(), ...said.slice(end), ...this.strays()]
    const contact = asksInBox(facts) ? contactLine(frame.brand, frame.language) : null
    return markup`<div class="status ${tone}" id="status" role="status" tabindex="-1"><p>${this.phrase(headline)}</p>${lines.map((line) => markup`<p class="detail">${line}</p>`)}${contact}</div>`
  }

  /** Why it is closed, where nobody has closed it. */
  private expiry(): readonly Markup[] {
    return this.facts.isExpired ? [say(this.frame.language, 'closedExpired')] : []
  }

  /** What is still to come: how long a confirmation takes, and that a closed page shows what is late. */
  private outlook(): readonly Markup[] {
    const { state, awaited, deposits, networks } = this.facts
    const { language } = this.frame
    if (state.kind === 'closed') return awaited === 'latecomer' ? [say(language, 'closedWatching')] : []
    if (state.kind !== 'all_seen') return []
    const minutes = deposits.flatMap(({ isConfirmed, network }) => {
      const { confirmationMinutes } = networks(network)
      return isConfirmed || confirmationMinutes === null ? [] : [confirmationMinutes]
    })
    if (minutes.length === 0) return []
    return [say(language, 'confirmationTakes', { time: minutesText(language, Math.max(...minutes)) })]
  }

  /** What came that does not count, so that nobody waits for it. */
  private strays(): readonly Markup[] {
    const { strays, networks, coin: asked } = this.facts
    return strays.map(({ network: id, currency, amount }) => {
      const network = networks(id)
      const sum = markup`<bdi>${amount} ${coinOn(currency, network)}</bdi>`
      const coin = markup`<bdi>${asked}</bdi>`
      return say(this.frame.language, this.word('strayArrived'), {
        sum,
        network: markup`<bdi>${network.name}</bdi>`,
        coin,
      })
    })
  }

  private phrase({ text, amounts = {} }: Phrase<Amount>): Markup {
    const sums = Object.entries(amounts).map(([name, amount]) => [name, this.facts.written(amount)] as const)
    return say(this.frame.language, this.word(text), Object.fromEntries(sums))
  }

  private word(text: TextKey): TextKey {
    return this.facts.words[text] ?? text
  }
}
