import { contactLine } from './brand.js'
import { say } from './language.js'
import type { PageFrame } from './layout.js'
import { type Markup, markup } from './markup.js'
import type { awaitedBy } from './payment-state.js'

/** Seconds between reloads while a payment is awaited, and while only something late may come. */
const REFRESH_SECONDS = { payment: 10, latecomer: 60 } as const

/** Seconds after which a page reloads itself where no script runs; null for never. */
export function refreshSecondsOf(awaited: ReturnType<typeof awaitedBy>): number | null {
  return awaited === null ? null : REFRESH_SECONDS[awaited]
}

/** What stands below what is to be paid. */
export interface Footing {
  readonly isPaid: boolean
  readonly transactions: Markup | null
  readonly receipt: Markup | null
  readonly awaited: ReturnType<typeof awaitedBy>
  /** Whether it says whom to ask: not where another part of the page does. */
  readonly isContactBelow: boolean
}

/** Its parts are always there, as the script expects. What a receipt says itself is on the screen only. */
export function footing(frame: PageFrame, { isPaid, transactions, receipt, awaited, isContactBelow }: Footing): Markup {
  const { brand, language } = frame
  const onScreen = isPaid ? markup` class="screen"` : null
  return markup`<div${onScreen}>${transactions}</div>
<div>${receipt}</div>
<div>${awaited === null ? null : markup`<p class="quiet"><a href="">${say(language, 'refreshNow')}</a></p>`}</div>
<div${onScreen}>${isContactBelow ? contactLine(brand, language) : null}</div>`
}
