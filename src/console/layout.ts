import { type Markup, markup } from '../page/markup.js'
import { STYLE } from '../page/style.js'
import { CONSOLE_STYLE } from './style.js'

/** The pages that every page links to, in order. */
const SECTIONS = {
  '': 'Overview',
  orders: 'Orders',
  invoices: 'Invoices',
  deposits: 'Deposits',
  deliveries: 'Deliveries',
  wallets: 'Wallets',
  keys: 'Keys',
  networks: 'Networks',
  rates: 'Rates',
  reports: 'Reports',
} as const
/** Where a page is; `search` is none of the sections that are linked. */
export type Section = keyof typeof SECTIONS | 'search'

/** Where the console is. Links begin with it. */
export const CONSOLE_PATH = '/console'

/** What a page has of the service and of the request, whatever it shows. */
export interface ConsoleFrame {
  readonly isSandbox: boolean
  /** Styles that carry it take effect, others do not (Content-Security-Policy). Each answer has its own. */
  readonly nonce: string
  /** The form that ends the session; null where nobody signs in. */
  readonly signOut: Markup | null
}

export interface ConsolePage {
  readonly title: string
  /** Null for a page outside of the sections, which links to none of them. */
  readonly section: Section | null
  /** What an action has done, or why it was refused. */
  readonly notice?: Notice | null
  /** What was searched for, for the box that it stands in. */
  readonly searched?: string
  readonly content: Markup
}

export interface Notice {
  readonly text: string
  readonly tone: 'paid' | 'waiting'
}

/** A whole HTML document, as text. It needs no script, and has none. */
export function consolePage(
  { isSandbox, nonce, signOut }: ConsoleFrame,
  { title, section, notice = null, searched = '', content }: ConsolePage,
): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Billhook console</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}${CONSOLE_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
${isSandbox ? markup`<p class="sandbox">Sandbox: nothing here is worth anything.</p>` : null}
${
  section === null
    ? null
    : markup`${navigation(section)}
${searchBox(searched)}`
}
</header>
<main id="content">
<h1>${title}</h1>
${notice === null ? null : markup`<div class="status ${notice.tone}" role="status"><p>${notice.text}</p></div>`}
${content}
</main>
<footer><p class="quiet">Times are in UTC.</p>${signOut}</footer>
</body>
</html>
`.toString()
}

/** One box for whatever somebody has of a payment. */
function searchBox(searched: string): Markup {
  return markup`<form class="search" method="get" action="${CONSOLE_PATH}/search" role="search" aria-label="Everything">
<label class="unseen" for="q">Order number, reference, id, hash, address or amount</label>
<input id="q" name="q" type="search" value="${searched}" placeholder="Order number, id, hash, address, amount" autocomplete="off" spellcheck="false">
<button>Search</button>
</form>`
}

function navigation(current: Section): Markup {
  const links = Object.entries(SECTIONS).map(([path, title]) => {
    const mark = path === current ? markup` aria-current="page"` : null
    return markup`<li><a href="${CONSOLE_PATH}${path === '' ? '' : `/${path}`}"${mark}>${title}</a></li>
`
  })
  return markup`<nav aria-label="Console"><ul>
${links}</ul></nav>`
}
