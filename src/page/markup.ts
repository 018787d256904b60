import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** HTML whose text has been escaped. */
export type Markup = HtmlEscapedString

/** What may stand in a template: text, which is escaped, or markup. Null leaves the place empty. */
type Piece = string | Markup | readonly Markup[] | null

/**
 * The template tag of every page: escapes interpolated text for both content and quoted attributes. There is no way
 * around the escaping for data; promises, which the library would also take, are left out so that a page is one string.
 */
export function markup(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const made = html(strings, ...pieces)
  if (made instanceof Promise) throw new Error('a page was made of something that is not there yet')
  return made
}
