import assert from 'node:assert/strict'
import type { Random } from '../simulation/random.js'
import { callData, EthereumChain, hex } from '../support/ethereum-chain.js'
import { TRANSFER_TOPIC } from '../support/tron-transactions.js'
import { decimalOf, POLL_MS, type ScannedDeposit, type ScriptedNetwork, type Trouble } from './scripted-network.js'
import { UnreliableProxy } from './unreliable-proxy.js'

const COIN_DECIMALS = 18
/** No chain of a run is so high. */
const NO_BLOCK = hex(2n ** 40n)
/** Of the other chain. A node takes much longer to make them all at once. */
const OTHER_BLOCKS = 3_000
const MINED_AT_ONCE = 100
const SCANNED_AT_ONCE = 200
/** Groups of blocks made at once. On a busy machine the chain then falls behind the time, and everything else goes on. */
const ADVANCED_AT_ONCE = 30
/** Many more than a reorganisation replaces. Those that the node writes to disk lack their contracts when it goes back. */
const STATES_IN_MEMORY = '256'

export interface EvmScript {
  readonly id: string
  readonly chainId: number
  readonly claim: string
  readonly symbol: string
  readonly decimals: number
  readonly confirmations: number
  /** Blocks of the same second, when there are several; else 1. */
  readonly blocksAtOnce: number
  /** Between such groups. */
  readonly everySeconds: number
  /** Of a payment in such a group. */
  readonly chance: number
  readonly addresses: readonly string[]
  /** The time of the first block, Unix milliseconds. */
  readonly startMs: number
  readonly random: Random
}

interface Sent {
  readonly hash: string
  readonly from: string
  readonly height: number
}

interface NodeTransaction {
  readonly hash: string
  readonly to: string | null
  readonly value: string
}

/** A chain on a real node. */
export class ScriptedEvm implements ScriptedNetwork {
  readonly id: string
  readonly decimals: number
  readonly addresses: readonly string[]
  reorganisations = 0
  readonly replaced = { gone: 0, back: 0 }
  private sent: Sent[] = []
  private lastSecond: number

  private constructor(
    private readonly script: EvmScript,
    private readonly chain: EthereumChain,
    private readonly other: EthereumChain,
    readonly proxy: UnreliableProxy,
    private readonly token: string,
  ) {
    this.id = script.id
    this.decimals = script.decimals
    this.addresses = script.addresses
    this.lastSecond = Math.floor(script.startMs / 1000)
  }

  static async start(script: EvmScript): Promise<ScriptedEvm> {
    const flags = ['--timestamp', String(Math.floor(script.startMs / 1000)), '--prune-history', STATES_IN_MEMORY]
    const chain = await EthereumChain.start(flags, String(script.chainId))
    const other = await EthereumChain.start(flags, String(script.chainId + 1))
    // Blocks of one second have one time, as on real chains.
    for (const one of [chain, other]) await one.node.call('anvil_setBlockTimestampInterval', 0)
    for (let height = 0; height < OTHER_BLOCKS; height += MINED_AT_ONCE) await other.mine(MINED_AT_ONCE)
    const token = await chain.deployToken(script.decimals, 10n ** BigInt(script.decimals + 12))
    // Every account pays, so that a reorganisation can leave out the payments of some.
    for (const account of chain.accounts.slice(1)) {
      await chain.sendCall(token, 'mint(address,uint256)', [account, 10n ** BigInt(script.decimals + 12)])
    }
    await chain.mine(script.confirmations)
    return new ScriptedEvm(script, chain, other, await UnreliableProxy.start(chain.node.url, script.random), token)
  }

  get entry() {
    const { id, chainId, claim, symbol, decimals, confirmations } = this.script
    const token = { symbol: 'USDT', contract: this.token, decimals }
    const common = { id, kind: 'evm', name: `Network ${id}`, claim, chainId, symbol, token, confirmations }
    return { ...common, urls: [this.proxy.url], pollMs: POLL_MS }
  }

  get newestMs(): number {
    return this.lastSecond * 1000
  }

  height(): Promise<number> {
    return this.chain.height()
  }

  async advance(toMs: number, isPaying: boolean): Promise<readonly string[]> {
    const { everySeconds, blocksAtOnce, chance, random } = this.script
    const paid: string[] = []
    const end = Math.min(Math.floor(toMs / 1000), this.lastSecond + ADVANCED_AT_ONCE * everySeconds)
    for (let second = this.lastSecond + everySeconds; second <= end; second += everySeconds) {
      if (isPaying && random.chance(chance)) paid.push(await this.pay((await this.height()) + 1))
      await this.chain.node.callAll([
        { method: 'evm_setNextBlockTimestamp', params: [second] },
        { method: 'anvil_mine', params: [hex(BigInt(blocksAtOnce))] },
      ])
      this.lastSecond = second
    }
    return paid
  }

  /** A transaction for the next block. */
  private async pay(height: number): Promise<string> {
    const { random, addresses, decimals } = this.script
    const to = addresses[random.below(addresses.length)] ?? ''
    const from = this.chain.account(random.below(this.chain.accounts.length))
    const isToken = random.chance(1 / 2)
    const units = BigInt(random.between(1, 5_000_000)) * 10n ** BigInt((isToken ? decimals : COIN_DECIMALS) - 6)
    const data = callData('transfer(address,uint256)', [to, units])
    const hash = await this.chain.send(isToken ? { from, to: this.token, data } : { from, to, value: units })
    this.sent.push({ hash, from, height })
    return hash
  }

  /** Of the replaced transactions those of some senders are on the new branch, one block earlier or later. */
  async reorganise(): Promise<void> {
    const { confirmations, random } = this.script
    const depth = random.between(1, confirmations - 1)
    const above = (await this.height()) - depth
    const undone = this.sent.filter(({ height }) => height > above)
    const kept = new Set(undone.filter(() => random.chance(1 / 2)).map(({ from }) => from))
    const back = undone.filter(({ from }) => kept.has(from))
    const included: (readonly [unknown, number])[] = []
    const place = random.below(depth)
    for (const { hash } of back) included.push([await this.chain.node.call('eth_getRawTransactionByHash', hash), place])
    await this.chain.node.call('anvil_reorg', depth, included)
    const code = await this.chain.node.call('eth_getCode', this.token, 'latest')
    assert.notEqual(code, '0x', 'the node lost its contracts')
    this.sent = [
      ...this.sent.filter(({ height }) => height <= above && height > above - confirmations),
      ...back.map((one) => ({ ...one, height: above + 1 + place })),
    ]
    this.reorganisations += 1
    this.replaced.back += back.length
    this.replaced.gone += undone.length - back.length
  }

  async begin(trouble: Trouble): Promise<void> {
    if (trouble === 'stopped') this.proxy.isStopped = true
    else if (trouble === 'of another chain') this.proxy.target = this.other.node.url
    else {
      const height = await this.height()
      this.proxy.rewrite = (body) => JSON.stringify(lagging(JSON.parse(body), height))
    }
  }

  async end(): Promise<void> {
    this.proxy.isStopped = false
    this.proxy.target = this.chain.node.url
    this.proxy.rewrite = (body) => body
  }

  async scan(): Promise<readonly ScannedDeposit[]> {
    const { addresses } = this.script
    const ours = new Map(addresses.map((address) => [address.toLowerCase(), address]))
    const found: ScannedDeposit[] = []
    const height = await this.height()
    for (let from = 0; from <= height; from += SCANNED_AT_ONCE) {
      const heights = Array.from({ length: Math.min(SCANNED_AT_ONCE, height - from + 1) }, (_, i) => from + i)
      const blocks = (await this.chain.node.callAll(
        heights.map((one) => ({ method: 'eth_getBlockByNumber', params: [hex(BigInt(one)), true] })),
      )) as readonly { readonly transactions: readonly NodeTransaction[] }[]
      for (const { hash, to, value } of blocks.flatMap(({ transactions }) => transactions)) {
        const receipt = (await this.chain.node.call('eth_getTransactionReceipt', hash)) as {
          readonly status: string
          readonly logs: readonly {
            readonly address: string
            readonly topics: readonly string[]
            readonly data: string
          }[]
        }
        if (receipt.status !== '0x1') continue
        const wallet = ours.get(to?.toLowerCase() ?? '')
        if (wallet !== undefined && BigInt(value) > 0n) {
          const amount = decimalOf(BigInt(value), COIN_DECIMALS)
          found.push({ txHash: hash, toAddress: wallet, currency: '#native', amount })
        }
        for (const { address, topics, data } of receipt.logs) {
          const receiver = ours.get(`0x${topics[2]?.slice(26)}`)
          if (address !== this.token || topics[0] !== `0x${TRANSFER_TOPIC}` || receiver === undefined) continue
          found.push({ txHash: hash, toAddress: receiver, currency: 'Tether', amount: String(BigInt(data)) })
        }
      }
    }
    return found
  }

  async close(): Promise<void> {
    await this.proxy.close()
    await this.chain.stop()
    await this.other.stop()
  }
}

interface Call {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What is asked of a node whose newest block is that of a height. */
function lagging(request: Call | readonly Call[], height: number): unknown {
  if (Array.isArray(request)) return request.map((call: Call) => lagging(call, height))
  const { params, ...call } = request as Call
  if (call.method !== 'eth_getBlockByNumber' && call.method !== 'eth_getBlockReceipts') return request
  const [block, ...others] = params
  if (block === 'latest') return { ...call, params: [hex(BigInt(height)), ...others] }
  return typeof block === 'string' && Number(block) > height ? { ...call, params: [NO_BLOCK, ...others] } : request
}
