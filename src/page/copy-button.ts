import type { Language } from './language.js'
import { type Markup, markup } from './markup.js'

/** The style shows it where the script runs. */
export function copyButton({ texts }: Language, label: 'copyAddress' | 'copyAmount', text: string): Markup {
  return markup`<button type="button" class="copy" data-copy="${text}" data-label="${texts[label]}" data-done="${texts.copied}">${texts[label]}</button>`
}
