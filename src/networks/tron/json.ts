import { parse } from 'lossless-json'

/** Where a number of 16 digits or more may stand: such a one need not fit a double. Also found in some strings, at no harm. */
const LONG_NUMBER = /[\s:,[-]\d{16}/
const INTEGER = /^-?\d{1,40}$/

/**
 * JSON whose integers are exact: numbers up to 15 digits, `bigint`s above. The exact parser takes about five times as
 * long, so it reads only texts that need it. Throws when the text is no JSON or is nested without end.
 */
export function parseTronJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? parse(text, null, parseNumber) : JSON.parse(text)
}

function parseNumber(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) || !INTEGER.test(text) ? number : BigInt(text)
}
