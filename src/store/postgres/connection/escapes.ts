/*
 * PostgreSQL has no text with a NUL, and a client may send one in a name. So U+0001 begins an escape: `U+0001 0` stands for a NUL, and
 * `U+0001 1` for itself.
 */

export function escaped(text: string): string {
  return text.includes('\u0000') || text.includes('\u0001')
    ? text.replaceAll('\u0001', '\u00011').replaceAll('\u0000', '\u00010')
    : text
}

export function original(text: string): string {
  return text.includes('\u0001') ? text.replaceAll('\u00010', '\u0000').replaceAll('\u00011', '\u0001') : text
}
