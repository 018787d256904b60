import { parseInvoiceAmount } from '../domain/amount.js'
import { truncate } from '../domain/text.js'

/** Characters of a search that are read. No name that is looked for is longer. */
const SEARCH_LENGTH_MAX = 128
/** Ids and hashes are long and random: fewer characters would name too many of them. */
const HEX_LENGTH_MIN = 4

const HEX = /^(?:0x)?([0-9a-f]+)$/i
const AMOUNT = /^([0-9]*\.?[0-9]+)(?:\s+\S{1,12})?$/

/** What a text may be the beginning of. */
export interface SearchTerms {
  /** The text itself. */
  readonly text: string
  /** As it is written and in one case, since people do not copy the case of what they read. */
  readonly names: readonly string[]
  /** Of invoices; their ids are lower-case, imported ones may not be. */
  readonly ids: readonly string[]
  /** Of transactions: in any case, with `0x` and without it. */
  readonly hashes: readonly string[]
  readonly addresses: readonly string[]
  /** Atoms, if it is an amount; a currency behind it is ignored. */
  readonly amount: bigint | null
}

/** Reads what somebody typed or pasted into the search box; null for nothing. */
export function searchTerms(typed: string): SearchTerms | null {
  const text = truncate(typed.toWellFormed().trim(), SEARCH_LENGTH_MAX)
  if (text === '') return null
  const digits = HEX.exec(text)?.[1] ?? ''
  const hex = digits.length >= HEX_LENGTH_MIN ? digits.toLowerCase() : null
  const isLong = text.length >= HEX_LENGTH_MIN
  return {
    text,
    names: distinct([text, text.toUpperCase(), text.toLowerCase()]),
    ids: hex === null ? [] : distinct([hex, hex.toUpperCase(), digits]),
    hashes: distinct([...(isLong ? [text] : []), ...(hex === null ? [] : [hex, `0x${hex}`, hex.toUpperCase()])]),
    addresses: distinct([...(isLong ? [text] : []), ...(hex === null ? [] : [`0x${hex}`])]),
    amount: parseInvoiceAmount(AMOUNT.exec(text)?.[1] ?? ''),
  }
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
