import { type Markup, markup } from './markup.js'
import { STYLE } from './style.js'

export interface PageParts {
  readonly title: string
  /** The browser reloads the page after this many seconds, without a script; null for never. */
  readonly refreshSeconds: number | null
  readonly isSandbox: boolean
  readonly content: Markup
}

/** A whole HTML document, as text. */
export function page(parts: PageParts): string {
  const { refreshSeconds } = parts
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refreshSeconds === null ? null : markup`<meta http-equiv="refresh" content="${String(refreshSeconds)}">`}
<title>${withoutDirection(parts.title)}</title>
<style>${STYLE}</style>
</head>
<body>
${parts.isSandbox ? markup`<header class="sandbox">Sandbox: nothing here is real money</header>` : null}
<main>
${parts.content}
</main>
</body>
</html>
`.toString()
}

/** Characters that change the direction of the text after them (UAX 9, 2). */
const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A title cannot contain `<bdi>`, and must not reverse the text after it in the browser's own interface. */
function withoutDirection(text: string): string {
  return text.replace(DIRECTION_CONTROLS, '')
}
