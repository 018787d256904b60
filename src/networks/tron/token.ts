import { integerReturned, symbolReturned } from '../ethereum/abi.js'
import { WrongNode } from '../network-reader.js'
import { demand, objectOf, textOf } from '../node/values.js'
import { hexOfAccount } from './address.js'
import type { TronNode } from './node.js'
import { repeatedOf } from './values.js'

/** Constant calls need a caller; any account will do, and this one has no owner. */
const CALLER = '0'.repeat(40)
const RETURNED = /^(?:[0-9a-f]{2})*$/

/**
 * Queries the token's `decimals()` and `symbol()`. Throws `WrongNode` unless the account (40 hex digits) is a contract
 * that has both, with the configured decimals; also when the node is configured to refuse such calls.
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
    await node.query('/wallet/triggerconstantcontract', {
      owner_address: hexOfAccount(CALLER),
      contract_address: hexOfAccount(account),
      function_selector: selector,
    }),
    selector,
  )
  const { result, code, message } = objectOf(answer['result'], selector)
  if (code === 'CONTRACT_VALIDATE_ERROR') throw new WrongNode(`${selector} of the token: ${reasonOf(node, message)}`)
  demand(result === true, `${selector} of the token: ${reasonOf(node, message)}`)
  // A call that reverted returns an empty text.
  return Buffer.from(textOf(repeatedOf(answer['constant_result'], selector)[0], RETURNED, selector), 'hex')
}

/** Why a node did not make a call. The node writes it in hex. */
function reasonOf(node: TronNode, message: unknown): string {
  return node.presentable(typeof message === 'string' ? Buffer.from(message, 'hex').toString() : 'no reason')
}
