import { copyButton } from './copy-button.js'
import { type Language, say } from './language.js'
import type { TextKey } from './languages/en.js'
import { type Markup, markup } from './markup.js'

/** Longer amounts are shown in a smaller font. */
const LARGE_AMOUNT_LENGTH_MAX = 20

/** The one figure of a page. */
export interface Figure {
  /** Spoken only. */
  readonly label: TextKey
  readonly sum: Markup
  /** Characters of it. */
  readonly length: number
  /** What it is a part of; null if it is the whole. */
  readonly whole: Markup | null
  /** What a button copies; null for none. */
  readonly copied: string | null
}

export function figure(language: Language, { label, sum, length, whole, copied }: Figure): Markup {
  const shown = markup`<span class="unseen">${say(language, label)}</span> ${sum}`
  return markup`<p class="${length > LARGE_AMOUNT_LENGTH_MAX ? 'amount long' : 'amount'}">${shown}</p>
${whole === null ? null : markup`<p class="quiet">${say(language, 'ofAmount', { amount: whole })}</p>`}
${copied === null ? null : copyButton(language, 'copyAmount', copied)}`
}
