import { WrongNode } from './network-reader.js'
import { hexOfAccount } from './tron-address.js'
import { demand, listOf, objectOf, textOf } from './tron-answer.js'
import type { TronNode } from './tron-node.js'

/** Nobody's account: constant calls need a caller, and any will do. */
const CALLER = '0'.repeat(40)
const RETURNED = /^(?:[0-9a-f]{2})*$/
const WORD = /^[0-9a-f]{64}$/
const WORD_BYTES = 32
const WORD_DIGITS = 2 * WORD_BYTES
/** Symbols are a few letters; what is longer is none. */
const SYMBOL_BYTES_MAX = 64
/** Control characters and what is not UTF-8. */
const UNREADABLE = /[\p{Cc}\uFFFD]/u

/**
 * Asks a node for the token's `decimals()` and `symbol()`. Throws `WrongNode` unless the account (40 hex digits) is a
 * contract that has both and the decimals are those configured; also when the node is set up to refuse such questions.
 */
export async function checkToken(node: TronNode, account: string, decimals: number): Promise<void> {
  const told = await callConstant(node, account, 'decimals()')
  if (!WORD.test(told) || BigInt(`0x${told}`) !== BigInt(decimals)) {
    throw new WrongNode(`the token's decimals() is not ${decimals}`)
  }
  const symbol = textOfReturned(await callConstant(node, account, 'symbol()'))
  if (symbol === '' || UNREADABLE.test(symbol)) throw new WrongNode('the token has no readable symbol()')
}

async function callConstant(node: TronNode, account: string, selector: string): Promise<string> {
  const answer = objectOf(
    await node.ask('/wallet/triggerconstantcontract', {
      owner_address: hexOfAccount(CALLER),
      contract_address: hexOfAccount(account),
      function_selector: selector,
    }),
    selector,
  )
  const { result, code, message } = objectOf(answer['result'], selector)
  if (code === 'CONTRACT_VALIDATE_ERROR') throw new WrongNode(`${selector} of the token: ${reasonOf(node, message)}`)
  demand(result === true, `${selector} of the token: ${reasonOf(node, message)}`)
  // A call that reverted returned an empty text.
  return textOf(listOf(answer['constant_result'], selector)[0], RETURNED, selector)
}

/** Why a node did not make a call, which it writes in hex. */
function reasonOf(node: TronNode, message: unknown): string {
  return node.presentable(typeof message === 'string' ? Buffer.from(message, 'hex').toString() : 'no reason')
}

/** The text that a method returned, as `string` or, in old contracts, as `bytes32` (Solidity ABI); empty when it is neither. */
function textOfReturned(returned: string): string {
  const bytes = Buffer.from(returned, 'hex')
  if (returned.length === WORD_DIGITS) return bytes.toString().replace(/\0+$/, '')
  const [offset, length] = [0, 1].map((word) =>
    BigInt(`0x0${returned.slice(word * WORD_DIGITS, (word + 1) * WORD_DIGITS)}`),
  )
  if (offset !== 32n || length === undefined || length > SYMBOL_BYTES_MAX) return ''
  return bytes.subarray(2 * WORD_BYTES, 2 * WORD_BYTES + Number(length)).toString()
}
