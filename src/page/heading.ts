import { type Language, say } from './language.js'
import { type Markup, markup } from './markup.js'

/** What is paid for. */
export interface Purchase {
  readonly name: string
  readonly description: string | null
  /** What the payer's order is called. */
  readonly orderNumber: string | null
}

/**
 * Text from the merchant is in `<bdi>`, each in a block of its own. Characters that change the direction of text then
 * have no effect beyond it, even if they close more than they open.
 */
export function heading(language: Language, { name, description, orderNumber }: Purchase): Markup {
  return markup`<h1><bdi>${name}</bdi></h1>
${description === null ? null : markup`<p class="description"><bdi>${description}</bdi></p>`}
${orderNumber === null ? null : markup`<p class="quiet">${say(language, 'orderNumber')} <bdi>${orderNumber}</bdi></p>`}`
}
