import { type Brand, brandMark, brandStyle } from './brand.js'
import { LANGUAGES, type Language, say } from './language.js'
import { Markup, markup } from './markup.js'
import { backLink } from './return-link.js'
import { SCRIPT } from './script.js'
import { STYLE } from './style.js'

/** What a page has of the service and of the request, whatever it shows. */
export interface PageFrame {
  readonly isSandbox: boolean
  readonly brand: Brand
  readonly language: Language
  /** Scripts and styles that carry it take effect, others do not (Content-Security-Policy). Each answer has its own. */
  readonly nonce: string
  /** Where the logo and the script for wallets are, relative to the page, so that it works behind a proxy under another path. */
  readonly shopPath: string
}

export interface PageParts {
  readonly title: string
  /** Without a script the browser reloads the page after this many seconds; null for never. */
  readonly refreshSeconds: number | null
  /** What the script has to know, as attributes of `<main>`. */
  readonly data: Markup | null
  /** Where the link back to the shop leads; null for none. */
  readonly returnUrl: string | null
  /** What the links to other languages keep of the query, after `lang`. */
  readonly kept: string
  readonly content: Markup
}

/** A whole HTML document, as text. */
export function page(
  { isSandbox, brand, language, nonce, shopPath }: PageFrame,
  { title, refreshSeconds, data, returnUrl, kept, content }: PageParts,
): string {
  const mark = brandMark(brand, shopPath)
  const sandbox = isSandbox ? markup`<p class="sandbox">${say(language, 'sandbox')}</p>` : null
  const wholeTitle = brand.name === null ? title : `${title} · ${brand.name}`
  return markup`<!doctype html>
<html lang="${language.code}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
${refreshSeconds === null ? null : markup`<noscript><meta http-equiv="refresh" content="${String(refreshSeconds)}"></noscript>`}
<title>${withoutDirection(wholeTitle)}</title>
<style nonce="${nonce}">${STYLE}${brandStyle(brand)}</style>
</head>
<body>
${sandbox === null && mark === null ? null : markup`<header>${sandbox}${mark}</header>`}
${data === null ? null : markup`<p id="lost" role="alert" data-text="${language.texts.connectionLost}" hidden></p>`}
<main${data}>
${content}
${backLink(brand, returnUrl, language)}
</main>
<footer>${languageLinks(language, kept)}</footer>
<p id="said" class="unseen" role="status"></p>
<script nonce="${nonce}">${Markup.constant(SCRIPT)}</script>
</body>
</html>
`.toString()
}

/** Links, so that they work without a script. They leave out whatever else the query holds. */
function languageLinks(chosen: Language, kept: string): Markup {
  const links = LANGUAGES.map(({ code, name }) => {
    const current = code === chosen.code ? markup` aria-current="true"` : null
    return markup`<a href="?lang=${code}${kept}" lang="${code}" hreflang="${code}"${current}>${name}</a>
`
  })
  return markup`<nav class="languages" aria-label="${chosen.texts.language}">
${links}</nav>`
}

/** Characters that change the direction of the text after them (UAX 9, 2). */
const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A title cannot contain `<bdi>`, and must not reverse the text after it in the browser's own interface. */
function withoutDirection(text: string): string {
  return text.replace(DIRECTION_CONTROLS, '')
}
