import { isUtf8 } from 'node:buffer'
import { WrongNode } from './network-reader.js'

const WORD_BYTES = 32
const SYMBOL_BYTES_MAX = 64
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]+$/u

/**
 * Throws `WrongNode` unless a token's contract has the configured decimals: with others every amount would be wrong. Its symbol
 * is not asked for, because nothing depends on it. `call` returns what a method of the contract returned, in the Solidity ABI.
 * `contract` names it in the error.
 */
export async function checkToken(
  contract: string,
  decimals: number,
  call: (method: 'decimals') => Promise<Buffer>,
): Promise<void> {
  const answer = await call('decimals')
  const found = answer.length === WORD_BYTES ? wordAt(answer, 0) : null
  if (found !== BigInt(decimals)) {
    throw new WrongNode(`${contract} has ${found ?? 'no'} decimals, configured are ${decimals}`)
  }
}

/** The readable text that a method returned: a string, or in old contracts 32 bytes padded with zeros. Null for others. */
export function symbolOf(answer: Buffer): string | null {
  const isWord = answer.length === WORD_BYTES
  const length = isWord ? answer.indexOf(0) : Number(wordAt(answer, WORD_BYTES))
  const start = isWord ? 0 : 2 * WORD_BYTES
  if (!isWord && wordAt(answer, 0) !== BigInt(WORD_BYTES)) return null
  const end = start + (length === -1 ? WORD_BYTES : length)
  if (end - start > SYMBOL_BYTES_MAX || end > answer.length) return null
  const bytes = answer.subarray(start, end)
  return isUtf8(bytes) && PRINTABLE.test(bytes.toString()) ? bytes.toString() : null
}

/** 0 beyond the end. */
function wordAt(bytes: Buffer, start: number): bigint {
  const word = bytes.subarray(start, start + WORD_BYTES)
  return word.length === WORD_BYTES ? BigInt(`0x${word.toString('hex')}`) : 0n
}
