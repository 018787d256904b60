import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { Anvil } from './anvil.js'
import type { EvmNode, TransactionRequest } from './evm-node.js'
import { projectRoot } from './project-root.js'

/** What `eth_sendTransaction` takes, with amounts as bigints. */
export interface Transaction {
  readonly from?: string
  readonly to?: string
  readonly value?: bigint
  readonly data?: string
  readonly gas?: bigint
  /** The type of EIP-2718; the oldest one when absent. */
  readonly type?: number
}

/** The contracts of `test/solidity`. */
export type Contract = 'token' | 'fee-token' | 'payer' | 'spender'

type Argument = string | bigint | readonly string[]

/** Enough gas for every transaction of the tests. Without it a node rejects transactions that will fail. */
const GAS = 5_000_000n
const GAS_PRICE = 2_000_000_000n
const WORD_DIGITS = 64

/** A chain on a node of its own, and the few things that tests do with it. */
export class EthereumChain<Node extends EvmNode = Anvil> {
  private constructor(
    readonly node: Node,
    /** Accounts that the node signs for, each with plenty of ether. */
    readonly accounts: readonly string[],
  ) {}

  static async start(flags: readonly string[] = [], chainId?: string): Promise<EthereumChain> {
    return EthereumChain.on(await Anvil.start(flags, chainId))
  }

  /** The chain of a node that was started. */
  static async on<Node extends EvmNode>(node: Node): Promise<EthereumChain<Node>> {
    return new EthereumChain(node, await node.accounts())
  }

  /** An account of the node. */
  account(i: number): string {
    return this.accounts[i] ?? assert.fail(`no account ${i}`)
  }

  /** Submits a transaction for the next block and returns its hash. The default sender is the first account. */
  async send(transaction: Transaction): Promise<string> {
    return this.node.submit(this.request(transaction))
  }

  /** The parameter of `eth_sendTransaction`. */
  request({ from = this.account(0), to, value = 0n, data = '0x', gas = GAS, type }: Transaction): TransactionRequest {
    const numbers = { value: hex(value), gas: hex(gas), gasPrice: hex(GAS_PRICE) }
    const kind = type === undefined ? {} : { type: hex(BigInt(type)) }
    return { from, ...(to === undefined ? {} : { to }), ...numbers, ...kind, data }
  }

  /** Sends a call of the token's contract. */
  sendCall(token: string, signature: string, args: readonly Argument[], more: Transaction = {}): Promise<string> {
    return this.send({ ...more, to: token, data: callData(signature, args) })
  }

  async mine(blocks = 1): Promise<void> {
    await this.node.mine(blocks)
  }

  async height(): Promise<number> {
    return Number(await this.node.call('eth_blockNumber'))
  }

  /** Hash and time of a block, as the node reports them. */
  async block(height: number): Promise<{ hash: string; parentHash: string; timestamp: string } | null> {
    const block = await this.node.call('eth_getBlockByNumber', hex(BigInt(height)), false)
    return block as { hash: string; parentHash: string; timestamp: string } | null
  }

  /** Deploys a token in a block of its own, gives the first account a balance, and returns the token's address. */
  async deployToken(decimals = 6, balance = 10n ** 15n): Promise<string> {
    const token = await this.deploy('token', [BigInt(decimals)])
    await this.sendCall(token, 'mint(address,uint256)', [this.account(0), balance])
    await this.mine()
    return token
  }

  /** Deploys a contract of `test/solidity` in a block of its own, and returns its address. */
  async deploy(contract: Contract, args: readonly bigint[] = []): Promise<string> {
    const hash = await this.send({ data: creationOf(contract, args) })
    await this.mine()
    return await this.created(hash)
  }

  /** The address of the contract that a transaction created. */
  async created(hash: string): Promise<string> {
    const receipt = (await this.node.call('eth_getTransactionReceipt', hash)) as { contractAddress: string }
    return receipt.contractAddress
  }

  async stop(): Promise<void> {
    await this.node.stop()
  }
}

/** An address without a known key, different for each small number. */
export function addressNumber(n: number): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(`address ${n}`)))
    .toString('hex')
    .slice(0, 40)}`
}

/** The data that call a function: its selector and its arguments, an address as text, an amount as bigint. */
export function callData(signature: string, args: readonly Argument[]): string {
  const selector = Buffer.from(keccak_256(Buffer.from(signature)))
    .toString('hex')
    .slice(0, 8)
  let tail = ''
  const head = args.map((arg) => {
    if (typeof arg === 'bigint') return word(arg)
    if (typeof arg === 'string') return word(BigInt(arg))
    const offset = word(BigInt((args.length * WORD_DIGITS + tail.length) / 2))
    tail += [BigInt(arg.length), ...arg.map(BigInt)].map(word).join('')
    return offset
  })
  return `0x${selector}${head.join('')}${tail}`
}

export function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}

function word(value: bigint): string {
  return value.toString(16).padStart(WORD_DIGITS, '0')
}

/** The data of a transaction that creates a contract. `test/solidity/token.test.ts` compares the code with its source. */
export function creationOf(contract: Contract, args: readonly bigint[]): string {
  const code = readFileSync(join(projectRoot, `test/solidity/${contract}.hex`), 'utf8').trim()
  return `0x${code}${args.map(word).join('')}`
}
