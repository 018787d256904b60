/** Return values of contracts in the Solidity ABI. */

import { isUtf8 } from 'node:buffer'

const WORD_BYTES = 32
const SYMBOL_BYTES_MAX = 64
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]+$/u

/** The unsigned integer that a method returned; null when the answer is not one word. */
export function integerReturned(answer: Buffer): bigint | null {
  return answer.length === WORD_BYTES ? wordAt(answer, 0) : null
}

/** A token's symbol: a string, or in old contracts 32 bytes padded with zeros. Null for anything else. */
export function symbolReturned(answer: Buffer): string | null {
  const isWord = answer.length === WORD_BYTES
  const length = isWord ? answer.indexOf(0) : Number(wordAt(answer, WORD_BYTES))
  const start = isWord ? 0 : 2 * WORD_BYTES
  if (!isWord && wordAt(answer, 0) !== BigInt(WORD_BYTES)) return null
  const end = start + (length === -1 ? WORD_BYTES : length)
  if (end - start > SYMBOL_BYTES_MAX || end > answer.length) return null
  const bytes = answer.subarray(start, end)
  const text = bytes.toString()
  return isUtf8(bytes) && PRINTABLE.test(text) ? text : null
}

/** 0 beyond the end. */
function wordAt(bytes: Buffer, start: number): bigint {
  const word = bytes.subarray(start, start + WORD_BYTES)
  return word.length === WORD_BYTES ? BigInt(`0x${word.toString('hex')}`) : 0n
}
