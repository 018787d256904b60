import { escaped } from './terminal-text.js'

/** What begins a formula. */
const BEGINNINGS = '=+-@＝＋－＠'
/** What begins another cell: in much of Europe spreadsheets split at the semicolon, and everywhere on request at the tab. */
const SEPARATORS = ';\t\n'
/** What may stand before a formula: spreadsheets trim it, or take the quotation mark for one of CSV. */
const PASSED_OVER = /[\s\p{Cf}"]/u

/**
 * Text that others chose, for a field of CSV. An apostrophe goes before everything that a spreadsheet would take for a formula,
 * wherever it splits the field. What a terminal obeys is written as an escape of JSON. The rest stays as it is.
 */
export function csvText(text: string): string {
  let written = ''
  let isCellStart = true
  for (const character of escaped(text)) {
    if (isCellStart && BEGINNINGS.includes(character)) written += "'"
    written += character
    isCellStart = SEPARATORS.includes(character) || (isCellStart && PASSED_OVER.test(character))
  }
  return written
}
