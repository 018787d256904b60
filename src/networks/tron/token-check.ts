import { WrongNode } from '../network-reader.js'
import { demand, isMissingMethod, mayDoOtherwise, NodeFailure } from '../node/answer.js'
import { fields, scalar } from '../node/json-shape.js'
import { symbolOf } from '../token.js'
import type { TokenCheck } from '../token-checks.js'
import { accountOf, hexOfAccount } from './address.js'
import type { Side } from './side.js'
import type { TronApi } from './tron-api.js'
import { firstOf } from './values.js'

/** Constant calls need a caller; any account will do, and this one has no owner. */
const CALLER = '0'.repeat(40)
const RETURNED = /^(?:[0-9a-f]{2})*$/i
const WORD_BYTES = 32
/** A node as it comes makes no constant calls. */
const NO_CALLS = /does not support constant/i
const ALLOW_CALLS = 'set vm.supportConstant = true in the configuration of the node'
/** Either side makes the same calls. */
const SIDES: readonly Side[] = ['/wallet', '/walletsolidity']

/** What a method of the token returned, or why nobody made the call. */
type CallEnd = { readonly returned: Buffer } | { readonly refused: string }

/** A token of the network. */
export interface TronToken {
  readonly symbol: string
  readonly decimals: number
  /** That of its deposits. */
  readonly label: string
  /** The account of its contract, 40 lower-case hex digits. */
  readonly account: string
}

/** Checks a token at one node. */
export class TronTokenCheck implements TokenCheck {
  constructor(
    private readonly api: TronApi,
    readonly token: TronToken,
  ) {}

  get symbol(): string {
    return this.token.symbol
  }

  get decimals(): number {
    return this.token.decimals
  }

  /** Constant calls are closed at many nodes. */
  async check(): Promise<string | null> {
    const end = await this.call('decimals()')
    if ('refused' in end) {
      const unproven = await this.unprovenContract()
      return unproven === null ? end.refused : `${end.refused}; that it is a contract is believed, too: ${unproven}`
    }
    const { returned } = end
    const found = returned.length === WORD_BYTES ? BigInt(`0x${returned.toString('hex')}`) : null
    if (found !== BigInt(this.decimals)) {
      throw new WrongNode(`the token has ${found ?? 'no'} decimals, configured are ${this.decimals}`)
    }
    return null
  }

  async ownSymbol(): Promise<string | null> {
    try {
      const end = await this.call('symbol()')
      return 'refused' in end ? null : symbolOf(end.returned)
    } catch (error) {
      // A node with little time for calls ends one now and then. Nothing depends on the symbol.
      if (mayDoOtherwise(error)) return null
      throw error
    }
  }

  private async call(selector: string): Promise<CallEnd> {
    const refusals: string[] = []
    for (const side of SIDES) {
      try {
        const end = await this.callAt(side, selector)
        if ('returned' in end) return end
        refusals.push(end.refused)
      } catch (error) {
        if (!isClosed(error)) throw error
        refusals.push(error.message)
      }
    }
    // A node's own word tells more than that a port does not serve the other side.
    return { refused: refusals.find((refusal) => NO_CALLS.test(refusal)) ?? refusals[0] ?? '' }
  }

  private async callAt(side: Side, selector: string): Promise<CallEnd> {
    const answer = await this.api.object(
      `${side}/triggerconstantcontract`,
      {
        owner_address: hexOfAccount(CALLER),
        contract_address: hexOfAccount(this.token.account),
        function_selector: selector,
      },
      { result: fields({ result: scalar, code: scalar, message: scalar }), constant_result: firstOf(scalar) },
    )
    const { result, code, message } = answer.result ?? {}
    // The node writes its reason in hex.
    const reason = typeof message === 'string' ? Buffer.from(message, 'hex').toString() : 'no reason'
    const failure = `${selector} of the token: ${this.api.presentable(reason)}`
    if (NO_CALLS.test(reason)) return { refused: `${failure}: ${ALLOW_CALLS}` }
    if (code === 'CONTRACT_VALIDATE_ERROR') throw new WrongNode(failure)
    demand(result === true, failure)
    const returned = answer.constant_result
    demand(typeof returned === 'string' && RETURNED.test(returned), `${selector} of the token: nothing returned`)
    // A call that reverted returns an empty text.
    return { returned: Buffer.from(returned, 'hex') }
  }

  /** Rejects with `WrongNode` when the token is no contract. Returns why nobody says so; null when it is one. */
  private async unprovenContract(): Promise<string | null> {
    const shapes = { contract_address: scalar, bytecode: scalar }
    try {
      const answer = await this.api.object('/wallet/getcontract', { value: hexOfAccount(this.token.account) }, shapes)
      const isContract = accountOf(answer.contract_address) === this.token.account || answer.bytecode !== undefined
      if (!isContract) throw new WrongNode('the token: no contract is at its address')
      return null
    } catch (error) {
      if (!isClosed(error)) throw error
      return error.message
    }
  }
}

function isClosed(error: unknown): error is NodeFailure {
  return isMissingMethod(error) || (error instanceof NodeFailure && NO_CALLS.test(error.message))
}
