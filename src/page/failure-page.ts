import { contactLine } from './brand.js'
import { type Language, say } from './language.js'
import type { TextKey } from './languages/en.js'
import { type PageFrame, page } from './layout.js'
import { type Markup, markup } from './markup.js'

/** Minimum seconds before a page that came too early reloads. */
const REFRESH_SECONDS_MIN = 5

/** Seconds before a page that reports a defect reloads. */
const DEFECT_REFRESH_SECONDS = 10

/** Seconds before the page of an unknown invoice or order reloads. */
const NOT_FOUND_REFRESH_SECONDS = 30

/** What the page would have been about. */
export type Subject = 'invoice' | 'order'

export interface FailureView {
  readonly subject: Subject
  /** The HTTP status of the answer, 400 to 599. */
  readonly status: number
  /** From the answer's `Retry-After`; null if it has none. */
  readonly retryAfterSeconds: number | null
}

/** The page that a payer sees if the payment page cannot be shown. */
export function failurePage(frame: PageFrame, { subject, status, retryAfterSeconds }: FailureView): string {
  const { language } = frame
  const words = status === 404 ? NOT_FOUND[subject] : (WORDS[status] ?? (status >= 500 ? DEFECT : REJECTION))
  const title = language.texts[words.title]
  const refreshSeconds = refreshSecondsOf(status, retryAfterSeconds)
  return page(frame, {
    title,
    refreshSeconds,
    returnUrl: frame.brand.returnUrl,
    kept: '',
    data: refreshSeconds === null ? null : markup` data-retry="${String(refreshSeconds)}"`,
    content: markup`
<h1>${title}</h1>
<p>${say(language, words.text)}</p>
${contactLine(frame.brand, language)}
${refreshSeconds === null ? null : refreshHint(language, refreshSeconds)}`,
  })
}

interface Words {
  readonly title: TextKey
  readonly text: TextKey
}

const WORDS: Readonly<Record<number, Words>> = {
  429: { title: 'tooManyTitle', text: 'tooManyText' },
  503: { title: 'busyTitle', text: 'busyText' },
}

const NOT_FOUND: Readonly<Record<Subject, Words>> = {
  invoice: { title: 'notFoundTitle', text: 'notFoundText' },
  order: { title: 'orderNotFoundTitle', text: 'orderNotFoundText' },
}

const DEFECT: Words = { title: 'defectTitle', text: 'defectText' }

const REJECTION: Words = { title: 'rejectedTitle', text: 'rejectedText' }

/** Null if reloading would change nothing. */
function refreshSecondsOf(status: number, retryAfterSeconds: number | null): number | null {
  if (status === 404) return NOT_FOUND_REFRESH_SECONDS
  if (status === 429 || status === 503) return Math.max(retryAfterSeconds ?? 0, REFRESH_SECONDS_MIN)
  return status >= 500 ? DEFECT_REFRESH_SECONDS : null
}

/** An empty reference is the address of the page itself. */
function refreshHint(language: Language, seconds: number): Markup {
  return markup`<p class="quiet">${say(language, 'triesAgain', { seconds: String(seconds) })} <a href="">${say(language, 'tryNow')}</a></p>`
}
