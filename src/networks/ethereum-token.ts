import { isUtf8 } from 'node:buffer'
import { dataOf } from './ethereum-values.js'
import type { JsonRpc } from './json-rpc.js'
import { WrongNode } from './network-reader.js'
import { RpcFailure } from './node-failure.js'

/** The first four bytes of keccak-256 of `decimals()` and of `symbol()`. */
const DECIMALS_CALL = '0x313ce567'
const SYMBOL_CALL = '0x95d89b41'

/** What nodes answer about a call that the contract itself refused. */
const EXECUTION_REVERTED = 3

const WORD_BYTES = 32
const SYMBOL_BYTES_MAX = 64
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]+$/u

/** The token whose transfers are observed. */
export interface EthereumToken {
  /** Of its contract. */
  readonly address: string
  readonly decimals: number
}

/** Rejects with `WrongNode` unless a contract is at the token's address, with its decimals and a readable symbol. */
export async function checkToken(rpc: JsonRpc, { address, decimals }: EthereumToken): Promise<void> {
  const code = dataOf(await rpc.call('eth_getCode', [address, 'latest']), 'code')
  if (code === '0x') throw new WrongNode(`no contract is at the token's address ${address}`)
  const told = await callContract(rpc, address, DECIMALS_CALL)
  if (told.length !== WORD_BYTES || wordAt(told, 0) !== BigInt(decimals)) {
    const text = told.length === WORD_BYTES ? `${wordAt(told, 0)} decimals` : 'no decimals'
    throw new WrongNode(`the contract ${address} has ${text}, configured are ${decimals}`)
  }
  if (symbolOf(await callContract(rpc, address, SYMBOL_CALL)) === null) {
    throw new WrongNode(`the contract ${address} has no readable symbol`)
  }
}

async function callContract(rpc: JsonRpc, to: string, data: string): Promise<Buffer> {
  try {
    const answer = dataOf(await rpc.call('eth_call', [{ to, data }, 'latest']), 'the answer of the token')
    return Buffer.from(answer.slice(2), 'hex')
  } catch (error) {
    if (!(error instanceof RpcFailure) || error.code !== EXECUTION_REVERTED) throw error
    throw new WrongNode(`the contract ${to} is no token: ${error.message}`)
  }
}

/** A symbol is an ABI string, or 32 bytes filled up with zeros in contracts of the first years. Null: neither. */
function symbolOf(answer: Buffer): string | null {
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

/** A word of the ABI; 0 behind the end. */
function wordAt(bytes: Buffer, start: number): bigint {
  const word = bytes.subarray(start, start + WORD_BYTES)
  return word.length === WORD_BYTES ? BigInt(`0x${word.toString('hex')}`) : 0n
}
