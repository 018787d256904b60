import { type Markup, markup } from '../page/markup.js'

/** A link to a page of payers, which are below `pages`, in a tab of its own: that page has no way back. Null while nobody listens there. */
export function payersPage(pages: string, path: string): Markup | null {
  if (pages === '') return null
  const url = `${pages.replace(/\/+$/, '')}${path}`
  return markup`<a href="${url}" target="_blank" rel="noopener noreferrer">${url}<span class="unseen"> in a new tab</span></a>`
}
