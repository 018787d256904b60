import { addressOfAccount } from '../../src/networks/tron/address.js'
import type { Random } from '../simulation/random.js'
import { EmulatedTronChain, truthOf } from '../support/tron-chain.js'
import { type EmulatedToken, type EmulatedTronNode, openTronNode } from '../support/tron-node.js'
import { emulatedAccount, tokenTransfer, trxTransfer } from '../support/tron-transactions.js'
import { POLL_MS, type ScannedDeposit, type ScriptedNetwork, type Trouble } from './scripted-network.js'
import { UnreliableProxy } from './unreliable-proxy.js'

const DECIMALS = 6
/** Solidified blocks cannot be undone, and 18 are not solidified. */
const UNDONE_MAX = 18
const SOLIDIFYING = 19
/** The other chain is higher than this one ever gets. */
const OTHER_BLOCKS = 5_000
const TOKEN: EmulatedToken = {
  account: emulatedAccount(900),
  returns: {
    'decimals()': String(DECIMALS).padStart(64, '0'),
    // "USDT", ABI-encoded: where it begins, its length, its bytes.
    'symbol()': `${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${'55534454'.padEnd(64, '0')}`,
  },
}

export interface TronScript {
  readonly id: string
  readonly claim: string
  /** Of a payment in a block. */
  readonly chance: number
  /** 40 hex digits each. */
  readonly accounts: readonly string[]
  /** The time of the first block, Unix milliseconds. */
  readonly startMs: number
  readonly random: Random
}

/** An emulated chain behind an emulated node. */
export class ScriptedTron implements ScriptedNetwork {
  readonly id: string
  readonly decimals = DECIMALS
  readonly addresses: readonly string[]
  reorganisations = 0
  readonly replaced = { gone: 0, back: 0 }

  private constructor(
    private readonly script: TronScript,
    private readonly chain: EmulatedTronChain,
    private readonly node: EmulatedTronNode,
    private readonly other: EmulatedTronNode,
    readonly proxy: UnreliableProxy,
  ) {
    this.id = script.id
    this.addresses = script.accounts.map(addressOfAccount)
  }

  static async start(script: TronScript): Promise<ScriptedTron> {
    const chain = new EmulatedTronChain(script.startMs)
    chain.produceEmpty(SOLIDIFYING)
    const stranger = new EmulatedTronChain(script.startMs)
    stranger.produceEmpty(OTHER_BLOCKS)
    const node = await openTronNode(chain, TOKEN)
    const other = await openTronNode(stranger, TOKEN)
    return new ScriptedTron(script, chain, node, other, await UnreliableProxy.start(node.url, script.random))
  }

  get entry() {
    const { id, claim } = this.script
    const token = { symbol: 'USDT', contract: addressOfAccount(TOKEN.account), decimals: DECIMALS }
    const common = { id, kind: 'tron', name: `Network ${id}`, claim, symbol: 'TRX', token }
    return { ...common, genesis: this.chain.blocks[0]?.hash, urls: [this.proxy.url], pollMs: POLL_MS }
  }

  get newestMs(): number {
    return this.chain.newestMs
  }

  async height(): Promise<number> {
    return this.chain.latest
  }

  async advance(toMs: number, isPaying: boolean): Promise<readonly string[]> {
    const { chance, accounts, random } = this.script
    const paid: string[] = []
    while (this.chain.newestMs < toMs) {
      if (!isPaying || !random.chance(chance)) {
        this.chain.produce()
        continue
      }
      const account = accounts[random.below(accounts.length)] ?? ''
      const units = BigInt(random.between(1, 5_000_000))
      const payment = random.chance(1 / 2) ? tokenTransfer(TOKEN.account, account, units) : trxTransfer(account, units)
      this.chain.produce(payment)
      paid.push(payment.id)
    }
    return paid
  }

  /** Each of the replaced transactions is on the new branch, or is not. */
  async reorganise(): Promise<void> {
    const { random } = this.script
    const undone = this.chain.undo(random.between(1, UNDONE_MAX - 1))
    for (const { transactions } of undone) {
      const back = transactions.filter(() => random.chance(1 / 2))
      this.chain.produce(...back)
      this.replaced.back += back.length
      this.replaced.gone += transactions.length - back.length
    }
    this.reorganisations += 1
  }

  async begin(trouble: Trouble): Promise<void> {
    if (trouble === 'stopped') this.proxy.isStopped = true
    else if (trouble === 'of another chain') this.proxy.target = this.other.url
    else this.node.view = this.chain.view()
  }

  async end(): Promise<void> {
    this.proxy.isStopped = false
    this.proxy.target = this.node.url
    this.node.view = this.chain
  }

  async scan(): Promise<readonly ScannedDeposit[]> {
    const ours = new Set(this.script.accounts)
    return this.chain.blocks
      .flatMap((block) => truthOf(block, ours).transfers)
      .map(({ txHash, toAddress, currency, amount }) => ({
        txHash,
        toAddress,
        currency: currency === 'Tether' ? 'Tether' : '#native',
        amount,
      }))
  }

  async close(): Promise<void> {
    await this.proxy.close()
    await this.node.close()
    await this.other.close()
  }
}
