import { WrongNode } from '../network-reader.js'
import type { JsonRpc } from '../node/json-rpc.js'
import { RpcFailure } from '../node/node-failure.js'
import { integerReturned, symbolReturned } from './abi.js'
import { dataOf } from './values.js'

/** The first four bytes of keccak-256 of `decimals()` and of `symbol()`. */
const DECIMALS_CALL = '0x313ce567'
const SYMBOL_CALL = '0x95d89b41'

/** The code of nodes for a call that the contract itself refused. */
const EXECUTION_REVERTED = 3

/** The observed token. */
export interface EthereumToken {
  /** The address of its contract. */
  readonly address: string
  readonly decimals: number
}

/** Rejects with `WrongNode` unless a contract is at the token's address, with its decimals and a readable symbol. */
export async function checkToken(rpc: JsonRpc, { address, decimals }: EthereumToken): Promise<void> {
  const code = dataOf(await rpc.call('eth_getCode', [address, 'latest']), 'code')
  if (code === '0x') throw new WrongNode(`no contract is at the token's address ${address}`)
  const told = integerReturned(await callContract(rpc, address, DECIMALS_CALL))
  if (told !== BigInt(decimals)) {
    const text = told === null ? 'no decimals' : `${told} decimals`
    throw new WrongNode(`the contract ${address} has ${text}, configured are ${decimals}`)
  }
  if (symbolReturned(await callContract(rpc, address, SYMBOL_CALL)) === null) {
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
