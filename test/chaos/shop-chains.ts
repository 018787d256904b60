import assert from 'node:assert/strict'
import { addressOfAccount } from '../../src/networks/tron/address.js'
import { addressNumber, callData, EthereumChain, hex } from '../support/ethereum-chain.js'
import { EmulatedTronChain } from '../support/tron-chain.js'
import { type EmulatedToken, type EmulatedTronNode, openTronNode } from '../support/tron-node.js'
import { type EmulatedTransaction, emulatedAccount, tokenTransfer, trxTransfer } from '../support/tron-transactions.js'
import type { Coin } from './shop-model.js'

/** Of USDT on both networks, and of what payers send of a coin. */
export const DECIMALS = 6
/** Polls are due at every leap. */
const POLL_MS = 1000
const EVM_CONFIRMATIONS = 4
const SOLIDIFYING = 19
const COIN_DECIMALS = 18
const MS_PER_SECOND = 1000
/** So much older than now are blocks of whole seconds: nobody sees one within its second. */
const OLD_MS = 2000

/** What a payer sends, in millionths. */
export interface Payment {
  readonly toAddress: string
  readonly coin: Coin
  readonly units: bigint
}

/** A payment in a block. */
export interface Mined extends Payment {
  readonly network: string
  readonly txHash: string
  /** Of its block. */
  readonly height: number
  /** When the service has to say that it was received, Unix milliseconds. */
  readonly receivedAt: number
}

/** A chain of its own, whose blocks come when the run says so. */
export interface ShopChain {
  readonly id: string
  /** What its coin is called. */
  readonly symbol: string
  /** A few blocks more would confirm what is to stay pending. */
  readonly confirmsSoon: boolean
  readonly entry: Readonly<Record<string, unknown>>
  /** An address that nobody has a key of, different for each number. */
  addressOf(number: number): string
  /** Makes a block of these payments. */
  mine(nowMs: number, payments: readonly Payment[]): Promise<readonly Mined[]>
  /** Makes blocks until all before are confirmed. */
  confirm(nowMs: number): Promise<void>
  /** Replaces the newest block, which is that of the last `mine`, by an empty one. */
  replace(nowMs: number): Promise<void>
  /** Makes a block of the transactions that were in the replaced one and have these hashes. */
  mineAgain(nowMs: number, hashes: readonly string[]): Promise<readonly Mined[]>
  height(): Promise<number>
  /** How high it is confirmed. */
  confirmedHeight(): Promise<number>
  close(): Promise<void>
}

const TRON_TOKEN: EmulatedToken = {
  account: emulatedAccount(900),
  returns: {
    'decimals()': String(DECIMALS).padStart(64, '0'),
    // "USDT", ABI-encoded: where it begins, its length, its bytes.
    'symbol()': `${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${'55534454'.padEnd(64, '0')}`,
  },
}

/** TRON, emulated. */
export class ShopTron implements ShopChain {
  readonly id = 'TRON'
  readonly symbol = 'TRX'
  readonly confirmsSoon = false
  private readonly accounts = new Map<string, string>()
  private mined = new Map<string, { readonly transaction: EmulatedTransaction; readonly payment: Payment }>()

  private constructor(
    private readonly chain: EmulatedTronChain,
    private readonly node: EmulatedTronNode,
  ) {}

  static async start(startMs: number): Promise<ShopTron> {
    const chain = new EmulatedTronChain(startMs - SOLIDIFYING * 3 * MS_PER_SECOND)
    chain.produceEmpty(SOLIDIFYING)
    return new ShopTron(chain, await openTronNode(chain, TRON_TOKEN))
  }

  get entry() {
    const token = { symbol: 'USDT', contract: addressOfAccount(TRON_TOKEN.account), decimals: DECIMALS }
    const common = { id: this.id, kind: 'tron', name: 'Tron', claim: 'tron/trx', symbol: this.symbol, token }
    return { ...common, genesis: this.chain.blocks[0]?.hash, urls: [this.node.url], pollMs: POLL_MS }
  }

  addressOf(number: number): string {
    const account = emulatedAccount(number)
    const address = addressOfAccount(account)
    this.accounts.set(address, account)
    return address
  }

  async mine(nowMs: number, payments: readonly Payment[]): Promise<readonly Mined[]> {
    this.mined = new Map()
    for (const payment of payments) {
      const account = this.accounts.get(payment.toAddress) ?? assert.fail(payment.toAddress)
      const { units } = payment
      const transaction =
        payment.coin === 'USDT' ? tokenTransfer(TRON_TOKEN.account, account, units) : trxTransfer(account, units)
      this.mined.set(transaction.id, { transaction, payment })
    }
    return this.include(nowMs, [...this.mined.keys()])
  }

  async confirm(nowMs: number): Promise<void> {
    // A millisecond for each block: their times are all in the past.
    for (let left = SOLIDIFYING - 1; left > 0; left -= 1) this.chain.produceAt(nowMs - left)
  }

  async replace(nowMs: number): Promise<void> {
    this.chain.undo(1)
    this.chain.produceAt(nowMs)
  }

  async mineAgain(nowMs: number, hashes: readonly string[]): Promise<readonly Mined[]> {
    return this.include(nowMs, hashes)
  }

  async height(): Promise<number> {
    return this.chain.latest
  }

  async confirmedHeight(): Promise<number> {
    return this.chain.solidified
  }

  close(): Promise<void> {
    return this.node.close()
  }

  private include(nowMs: number, hashes: readonly string[]): readonly Mined[] {
    const included = hashes.map((txHash) => ({ txHash, ...(this.mined.get(txHash) ?? assert.fail(txHash)) }))
    this.chain.produceAt(nowMs, ...included.map(({ transaction }) => transaction))
    const about = { network: this.id, height: this.chain.latest, receivedAt: nowMs }
    return included.map(({ txHash, payment }) => ({ ...payment, ...about, txHash }))
  }
}

/** An Ethereum of a real node. */
export class ShopEvm implements ShopChain {
  readonly id = 'EVM'
  readonly symbol = 'ETH'
  readonly confirmsSoon = true
  private mined = new Map<string, { readonly raw: string; readonly payment: Payment }>()
  private snapshot: unknown
  private sent = 0
  private lastSecond = 0

  private constructor(
    private readonly chain: EthereumChain,
    private readonly token: string,
  ) {}

  static async start(startMs: number): Promise<ShopEvm> {
    const second = Math.floor(startMs / MS_PER_SECOND)
    const chain = await EthereumChain.start(['--timestamp', String(second - 100)], '73001')
    await chain.node.call('anvil_setBlockTimestampInterval', 0)
    const token = await chain.deployToken(DECIMALS, 10n ** 15n)
    for (const account of chain.accounts.slice(1)) {
      await chain.sendCall(token, 'mint(address,uint256)', [account, 10n ** 15n])
    }
    await chain.mine(EVM_CONFIRMATIONS)
    return new ShopEvm(chain, token)
  }

  get entry() {
    const token = { symbol: 'USDT', contract: this.token, decimals: DECIMALS }
    const common = {
      id: this.id,
      kind: 'evm',
      name: 'Ether',
      claim: 'evm/eth',
      chainId: 73_001,
      symbol: this.symbol,
      token,
    }
    return { ...common, confirmations: EVM_CONFIRMATIONS, urls: [this.chain.node.url], pollMs: POLL_MS }
  }

  addressOf(number: number): string {
    return addressNumber(number)
  }

  async mine(nowMs: number, payments: readonly Payment[]): Promise<readonly Mined[]> {
    this.snapshot = await this.chain.node.call('evm_snapshot')
    this.mined = new Map()
    for (const payment of payments) {
      const { toAddress, coin, units } = payment
      // Another sender each time, so that one that is left out is in nobody's way.
      this.sent += 1
      const from = this.chain.account(this.sent % this.chain.accounts.length)
      const value = units * 10n ** BigInt(COIN_DECIMALS - DECIMALS)
      const data = callData('transfer(address,uint256)', [toAddress, units])
      const hash = await this.chain.send(
        coin === 'USDT' ? { from, to: this.token, data } : { from, to: toAddress, value },
      )
      const raw = String(await this.chain.node.call('eth_getRawTransactionByHash', hash))
      this.mined.set(hash, { raw, payment })
    }
    return this.include(nowMs, [...this.mined.keys()])
  }

  async confirm(nowMs: number): Promise<void> {
    await this.block(nowMs, EVM_CONFIRMATIONS - 1)
  }

  async replace(nowMs: number): Promise<void> {
    await this.chain.node.call('evm_revert', this.snapshot)
    await this.block(nowMs)
  }

  async mineAgain(nowMs: number, hashes: readonly string[]): Promise<readonly Mined[]> {
    for (const hash of hashes) await this.chain.node.call('eth_sendRawTransaction', this.mined.get(hash)?.raw)
    return this.include(nowMs, hashes)
  }

  height(): Promise<number> {
    return this.chain.height()
  }

  async confirmedHeight(): Promise<number> {
    return (await this.height()) - EVM_CONFIRMATIONS + 1
  }

  close(): Promise<void> {
    return this.chain.stop()
  }

  private async include(nowMs: number, hashes: readonly string[]): Promise<readonly Mined[]> {
    const second = await this.block(nowMs)
    // Nobody has seen it in that second, so its end counts.
    const receivedAt = (second + 1) * MS_PER_SECOND - 1
    const about = { network: this.id, height: await this.height(), receivedAt }
    return hashes.map((txHash) => {
      const { payment } = this.mined.get(txHash) ?? assert.fail(txHash)
      return { ...payment, ...about, txHash }
    })
  }

  private async block(nowMs: number, count = 1): Promise<number> {
    this.lastSecond = Math.max(this.lastSecond, Math.floor((nowMs - OLD_MS) / MS_PER_SECOND))
    await this.chain.node.callAll([
      { method: 'evm_setNextBlockTimestamp', params: [this.lastSecond] },
      { method: 'anvil_mine', params: [hex(BigInt(count))] },
    ])
    return this.lastSecond
  }
}
