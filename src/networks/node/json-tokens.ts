/** The tokens of JSON, as bytes. */

import type { Scalar } from './json-shape.js'

export const QUOTE = 0x22
export const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
export const COLON = 0x3a
export const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
export const CLOSE_LIST = 0x5d
const LETTER_F = 0x66
export const LETTER_N = 0x6e
const LETTER_T = 0x74
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
export const SPACE = 0x20

/** Integers of this many digits always fit a double. */
const SAFE_DIGITS = 15
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const INTEGER = /^-?\d{1,100}$/

/** The text is not JSON. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson'
}

/** Where the text ends whose first byte is at `from`: at its closing quote; −1 when it is not there. */
export function endOfText(bytes: Buffer, from: number): number {
  let end = bytes.indexOf(QUOTE, from)
  while (end !== -1 && isEscapedAt(bytes, end, from)) end = bytes.indexOf(QUOTE, end + 1)
  return end
}

/** Whether an odd number of backslashes is before a place in a text that begins at `from`. */
export function isEscapedAt(bytes: Buffer, at: number, from: number): boolean {
  let first = at
  while (first > from && bytes[first - 1] === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}

export function hasEscape(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) if (bytes[i] === BACKSLASH) return true
  return false
}

/** The text between two quotes. */
export function textOf(bytes: Buffer, open: number, close: number): string {
  const text = bytes.toString('utf8', open + 1, close)
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    throw new MalformedJson('a text has a wrong escape')
  }
}

export function wordOf(word: string): Scalar {
  switch (word) {
    case 'null':
      return null
    case 'true':
      return true
    case 'false':
      return false
  }
  if (!NUMBER.test(word)) throw new MalformedJson('a word is neither a number nor a literal')
  const number = Number(word)
  return word.length <= SAFE_DIGITS || Number.isSafeInteger(number) || !INTEGER.test(word) ? number : BigInt(word)
}

export function isSpace(byte: number): boolean {
  return byte === SPACE || (byte >= 0x09 && byte <= 0x0d && byte !== 0x0b && byte !== 0x0c)
}

export function isStartOfWord(byte: number): boolean {
  const isNumber = byte === MINUS || (byte >= ZERO && byte <= NINE)
  return isNumber || byte === LETTER_N || byte === LETTER_T || byte === LETTER_F
}

export function isEndOfWord(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || isSpace(byte)
}
