import { WrongNode } from '../network-reader.js'
import { NodeFailure, RpcFailure } from '../node/answer.js'
import type { JsonRpc } from '../node/json-rpc.js'
import { checkToken, symbolOf } from '../token.js'
import { dataOf, quantityOf } from './values.js'

/** The code of nodes for a call that the contract itself refused, and how others word it. */
const EXECUTION_REVERTED = 3
const REVERTED = /revert|invalid opcode|(?:bad|invalid) jump|stack underflow/i
/** The first four bytes of keccak-256 of `decimals()` and of `symbol()`. */
const METHOD_IDS = { decimals: '0x313ce567', symbol: '0x95d89b41' }
const NOTHING = '0x'

export interface TokenOptions {
  readonly chainId: number
  readonly token: string
  readonly tokenDecimals: number
}

/** The token's contract, and the chain that it is on. */
export class TokenContract {
  constructor(
    private readonly rpc: JsonRpc,
    private readonly options: TokenOptions,
  ) {}

  /**
   * Throws `WrongNode` when the node is of another chain, or its contract has not the configured decimals, with which amounts
   * would be wrong. Nothing depends on the name of the token.
   */
  async check(): Promise<void> {
    const { chainId, token, tokenDecimals } = this.options
    const found = quantityOf(await this.rpc.call('eth_chainId', []), 'chain id')
    if (found !== BigInt(chainId)) throw new WrongNode(`the chain id is ${found}, configured is ${chainId}`)
    await checkToken(`the contract ${token}`, tokenDecimals, async (method) => {
      const answer = await this.call(method)
      if (answer.length > 0 || !(await this.hasNoCode())) return answer
      throw new WrongNode(`no contract is at the token's address ${token}`)
    })
  }

  /** What the token calls itself; null when it has no readable name. */
  async symbol(): Promise<string | null> {
    try {
      return symbolOf(await this.call('symbol'))
    } catch (error) {
      if (error instanceof WrongNode || error instanceof NodeFailure) return null
      throw error
    }
  }

  /** False when the node does not tell. */
  private async hasNoCode(): Promise<boolean> {
    try {
      return (await this.rpc.call('eth_getCode', [this.options.token, 'latest'])) === NOTHING
    } catch (error) {
      if (error instanceof RpcFailure) return false
      throw error
    }
  }

  /** What a method of the contract returns. */
  private async call(method: keyof typeof METHOD_IDS): Promise<Buffer> {
    const { token } = this.options
    try {
      const params = [{ to: token, data: METHOD_IDS[method] }, 'latest']
      return Buffer.from(dataOf(await this.rpc.call('eth_call', params), 'the answer of the token').slice(2), 'hex')
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      if (error.code !== EXECUTION_REVERTED && !REVERTED.test(error.message)) throw error
      throw new WrongNode(`the contract ${token} is no token: ${error.message}`)
    }
  }
}
