import { page } from './layout.js'
import { type Markup, markup } from './markup.js'

/** Minimum seconds before a page that came too early reloads. */
const REFRESH_SECONDS_MIN = 5

/** Seconds before a page that reports a defect reloads. */
const DEFECT_REFRESH_SECONDS = 10

/** Seconds before the page of an unknown invoice reloads. */
const NOT_FOUND_REFRESH_SECONDS = 30

export interface FailureView {
  /** The HTTP status of the answer, 400 to 599. */
  readonly status: number
  /** From the answer's `Retry-After`; null if it has none. */
  readonly retryAfterSeconds: number | null
  readonly isSandbox: boolean
}

/** The page that a payer sees if the payment page cannot be shown. */
export function failurePage({ status, retryAfterSeconds, isSandbox }: FailureView): string {
  const { title, text } = WORDS[status] ?? (status >= 500 ? DEFECT : REJECTION)
  const refreshSeconds = refreshSecondsOf(status, retryAfterSeconds)
  return page({
    title,
    refreshSeconds,
    isSandbox,
    content: markup`
<h1>${title}</h1>
<p>${text}</p>
${refreshSeconds === null ? null : refreshHint(refreshSeconds)}`,
  })
}

const WORDS: Readonly<Record<number, { readonly title: string; readonly text: string }>> = {
  404: {
    title: 'Invoice not found',
    text: 'There is no invoice at this address. Check the link, or ask the merchant for a new one.',
  },
  429: {
    title: 'Too many requests',
    text: 'Your network has asked for too many pages. A payment that you have sent is not affected.',
  },
  503: {
    title: 'This page is busy',
    text: 'The page cannot be shown at the moment. A payment that you have sent is not affected.',
  },
}

const DEFECT = {
  title: 'Something went wrong',
  text: 'The page cannot be shown. A payment that you have sent is not affected.',
}

const REJECTION = {
  title: 'This request cannot be answered',
  text: 'Open the link of the invoice again.',
}

/** Null if reloading would change nothing. */
function refreshSecondsOf(status: number, retryAfterSeconds: number | null): number | null {
  if (status === 404) return NOT_FOUND_REFRESH_SECONDS
  if (status === 429 || status === 503) return Math.max(retryAfterSeconds ?? 0, REFRESH_SECONDS_MIN)
  return status >= 500 ? DEFECT_REFRESH_SECONDS : null
}

/** An empty reference is the address of the page itself. */
function refreshHint(seconds: number): Markup {
  return markup`<p class="quiet">This page tries again by itself after ${String(seconds)} seconds. <a href="">Try again now</a></p>`
}
