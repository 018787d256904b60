import type { Brand } from './brand.js'
import { type Language, say } from './language.js'
import { type Markup, markup } from './markup.js'

/**
 * What the link back is called; null for the shop, whichever it is. An invoice may come from anyone, so a service with a name lends it
 * only to links that lead to its own site, and calls others by the host to which they lead.
 */
export function returnName({ name, returnUrl: ofShop }: Brand, url: string): string | null {
  if (name === null || !URL.canParse(url)) return null
  const { origin, host } = new URL(url)
  return ofShop !== null && new URL(ofShop).origin === origin ? name : host
}

/** The button to the shop, for what has to be ordered again. */
export function againButton(brand: Brand, returnUrl: string, language: Language): Markup {
  const name = returnName(brand, returnUrl)
  const again =
    name === null ? say(language, 'orderAgain') : say(language, 'orderAgainAt', { name: markup`<bdi>${name}</bdi>` })
  return markup`<p><a class="button" href="${returnUrl}" target="_top">${again}</a></p>`
}

/** In a frame the shop replaces the page around it, not the frame. */
export function backLink(brand: Brand, returnUrl: string | null, language: Language): Markup | null {
  if (returnUrl === null) return null
  const name = returnName(brand, returnUrl)
  const back =
    name === null ? say(language, 'backToShop') : say(language, 'backTo', { name: markup`<bdi>${name}</bdi>` })
  return markup`<p class="back"><a href="${returnUrl}" target="_top">${back}</a></p>`
}
