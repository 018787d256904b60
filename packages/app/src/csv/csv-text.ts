/** What begins a formula, and what may stand before it: spreadsheets trim it, or take the quotation mark for one of CSV. */
const BEGINNINGS = '=+-@＝＋－＠'
const PASSED_OVER = /[\s\p{Cf}"]/u
/** What begins another cell: in much of Europe spreadsheets split at the semicolon, and everywhere on request at the tab. */
const SEPARATORS = ';\t\n'
const PLAIN_NUMBER = /^\d+(?:\.\d+)?$/

/** Rows as CSV (RFC 4180), without anything that a spreadsheet would take for a formula. */
export function csvOf(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('')
}

function fieldOf(value: string | null): string {
  if (value === null) return ''
  const text = PLAIN_NUMBER.test(value) ? value : harmless(value)
  return /[",\r\n;\t]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}

/** An apostrophe goes before everything that would be a formula, wherever a spreadsheet splits the field. */
function harmless(text: string): string {
  let written = ''
  let isCellStart = true
  for (const character of text) {
    if (isCellStart && BEGINNINGS.includes(character)) written += "'"
    written += character
    isCellStart = SEPARATORS.includes(character) || (isCellStart && PASSED_OVER.test(character))
  }
  return written
}
