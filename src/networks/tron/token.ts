import { integerReturned, symbolReturned } from '../ethereum/abi.js'
import { WrongNode } from '../network-reader.js'
import { demand, objectOf, textOf } from '../node/values.js'
import { hexOfAccount } from './address.js'
import type { TronNode } from './node.js'
import { repeatedOf } from './values.js'

/** Nobody's account: constant calls need a caller, and any will do. */
const CALLER = '0'.repeat(40)
const RETURNED = /^(?:[0-9a-f]{2})*$/

/**
 * Asks a node for the token's `decimals()` and `symbol()`. Throws `WrongNode` unless the account (40 hex digits) is a
 * contract that has both and the decimals are those configured; also when the node is set up to refuse such questions.
 */
export async function checkToken(node: TronNode, account: string, decimals: number): Promise<void> {
  const told = integerReturned(await callConstant(node, account, 'decimals()'))
  if (told !== BigInt(decimals)) {
    throw new WrongNode(`the token has ${told ?? 'no'} decimals, configured are ${decimals}`)
  }
  if (symbolReturned(await callConstant(node, account, 'symbol()')) === null) {
    throw new WrongNode('the token has no readable symbol')
  }
}

async function callConstant(node: TronNode, account: string, selector: string): Promise<Buffer> {
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
  return Buffer.from(textOf(repeatedOf(answer['constant_result'], selector)[0], RETURNED, selector), 'hex')
}

/** Why a node did not make a call, which it writes in hex. */
function reasonOf(node: TronNode, message: unknown): string {
  return node.presentable(typeof message === 'string' ? Buffer.from(message, 'hex').toString() : 'no reason')
}
