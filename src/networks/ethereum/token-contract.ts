import type { Clock } from '../../clock.js'
import { WrongNode } from '../network-reader.js'
import { isMissingMethod, mayDoOtherwise, NodeFailure, RpcFailure } from '../node/answer.js'
import type { JsonRpc } from '../node/json-rpc.js'
import { Shortcomings } from '../node/shortcomings.js'
import { checkToken, symbolOf } from '../token.js'
import type { TokenCheck } from '../token-checks.js'
import type { ReadToken } from './filter.js'
import { dataIn, dataOf } from './values.js'

/** The code of nodes for a call that the contract itself refused, and how others word it. */
const EXECUTION_REVERTED = 3
const REVERTED = /revert|invalid opcode|(?:bad|invalid) jump|stack underflow/i
/** The first four bytes of keccak-256 of `decimals()` and of `symbol()`. */
const METHOD_IDS = { decimals: '0x313ce567', symbol: '0x95d89b41' }
const NOTHING = '0x'
const CALL = 'eth_call'
const CODE = 'eth_getCode'

/** A token of the network. */
export interface EvmToken extends ReadToken {
  readonly symbol: string
  readonly decimals: number
}

/** The contract of a token at one node. */
export class TokenContract implements TokenCheck {
  private readonly shortcomings: Shortcomings<typeof CALL>
  private refusal: string | null = null

  constructor(
    private readonly rpc: JsonRpc,
    readonly token: EvmToken,
    clock: Clock,
  ) {
    this.shortcomings = new Shortcomings(clock)
  }

  get symbol(): string {
    return this.token.symbol
  }

  get decimals(): number {
    return this.token.decimals
  }

  /** Some nodes run no contracts for their clients. Nothing depends on the name of the token. */
  async check(): Promise<string | null> {
    const { contract, decimals } = this.token
    if (this.refusal !== null && this.shortcomings.has(CALL)) return await this.believed(this.refusal)
    try {
      await checkToken(`the contract ${contract}`, decimals, async (method) => {
        const answer = await this.call(method)
        if (answer.length === 0) await this.unprovenContract()
        return answer
      })
      this.refusal = null
      this.shortcomings.succeeded(CALL)
      return null
    } catch (error) {
      if (!mayDoOtherwise(error)) throw error
      return await this.otherwise(error)
    }
  }

  get isToBeAsked(): boolean {
    return this.refusal !== null && !this.shortcomings.has(CALL)
  }

  async ownSymbol(): Promise<string | null> {
    try {
      return symbolOf(await this.call('symbol'))
    } catch (error) {
      if (error instanceof WrongNode || error instanceof NodeFailure) return null
      throw error
    }
  }

  /** What is believed after a call that failed. Throws its error when the node may succeed the next time. */
  private async otherwise(error: NodeFailure): Promise<string> {
    const refusal = `${CALL}: ${error.message}`
    const believed = await this.believed(refusal).catch((failure: unknown) => {
      // Then the node fails altogether.
      if (mayDoOtherwise(failure)) throw error
      throw failure
    })
    if (isMissingMethod(error) || this.refusal !== null) this.shortcomings.note(CALL)
    else if (believed !== refusal) throw error
    else this.shortcomings.failed(CALL)
    if (!this.shortcomings.has(CALL)) throw error
    this.refusal = refusal
    return believed
  }

  /** Why the decimals are believed, and that the token is a contract, where that is believed too. */
  private async believed(refusal: string): Promise<string> {
    const unproven = await this.unprovenContract()
    return unproven === null ? refusal : `${refusal}; that it is a contract is believed, too: ${unproven}`
  }

  /** Throws `WrongNode` when the token is no contract. Returns why nobody says so; null when it is one. */
  private async unprovenContract(): Promise<string | null> {
    const { contract } = this.token
    try {
      const code = await this.rpc.call(CODE, [contract, 'latest'])
      if (code === NOTHING) throw new WrongNode(`no contract is at the token's address ${contract}`)
      return dataIn(code) === null ? `${CODE}: no code` : null
    } catch (error) {
      if (error instanceof RpcFailure || isMissingMethod(error)) return `${CODE}: ${error.message}`
      throw error
    }
  }

  /** What a method of the contract returns. */
  private async call(method: keyof typeof METHOD_IDS): Promise<Buffer> {
    const { contract } = this.token
    try {
      const params = [{ to: contract, data: METHOD_IDS[method] }, 'latest']
      return Buffer.from(dataOf(await this.rpc.call(CALL, params), 'the answer of the token').slice(2), 'hex')
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      if (error.code !== EXECUTION_REVERTED && !REVERTED.test(error.message)) throw error
      throw new WrongNode(`the contract ${contract} is no token: ${error.message}`)
    }
  }
}
