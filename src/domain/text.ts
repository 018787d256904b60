/**
 * Text from clients. Lone surrogates become U+FFFD, and "truncated to N characters" counts Unicode code points
 * (decisions 1), so a stored text is valid UTF-8 and never ends in half a character.
 */

export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** The first `limit` code points of `text`. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  for (let points = 0; points < limit && end < text.length; points += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** Whether `text` has more than `limit` code points. */
export function isLongerThan(text: string, limit: number): boolean {
  return text.length > limit && truncate(text, limit).length < text.length
}
