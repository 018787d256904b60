import type { Accent } from './accent.js'
import { type Language, say } from './language.js'
import type { Logo } from './logo.js'
import { type Markup, markup } from './markup.js'

/** What makes the pages those of a shop. Each part may be missing. */
export interface Brand {
  readonly name: string | null
  readonly logo: Logo | null
  readonly accent: Accent | null
  /** Where the link back to the shop leads. */
  readonly returnUrl: string | null
  /** A `mailto:`, `tel:` or `https:` URL. */
  readonly support: string | null
}

export const NO_BRAND: Brand = { name: null, logo: null, accent: null, returnUrl: null, support: null }

/** The logo, or without one the name. `shopPath`: as of a `PageFrame`. */
export function brandMark({ name, logo }: Brand, shopPath: string): Markup | null {
  if (name === null) return null
  if (logo === null) return markup`<p class="brand"><bdi>${name}</bdi></p>`
  return markup`<p class="brand"><img src="${shopPath}/logo/${logo.file}" alt="${name}"></p>`
}

/** The colours for the style. A line in the shop's very colour carries no text, so it may have any contrast. */
export function brandStyle({ accent }: Brand): string {
  if (accent === null) return ''
  return `:root { --accent: ${accent.light}; }
@media screen and (prefers-color-scheme: dark) { :root { --accent: ${accent.dark}; } }
main { border-top: 0.25rem solid ${accent.given}; }
`
}

/** Whom to ask, for the places where the payer is told to ask. */
export function contactLine(brand: Brand, language: Language): Markup | null {
  const contact = contactAddress(brand)
  return contact === null ? null : markup`<p class="contact">${say(language, 'contact', { contact })}</p>`
}

/** A link with the address that it leads to as its text. */
export function contactAddress({ support }: Brand): Markup | null {
  if (support === null) return null
  const shown = support.replace(/^(mailto:|tel:|https:\/\/)/, '')
  return markup`<a href="${support}" target="_top"><bdi dir="ltr">${shown}</bdi></a>`
}
