import assert from 'node:assert/strict'
import type { ObservedBlock, ObservedTransfer } from '../../../src/domain/block.js'
import type { EvmEntry } from '../../../src/networks/catalogue/entry.js'
import type { Random } from '../../simulation/random.js'
import { addressNumber, type EthereumChain, hex } from '../../support/ethereum-chain.js'
import type { EvmNode } from '../../support/evm-node.js'
import { ether, tether } from './fixture.js'

/** Fewer blocks than any of the entries takes for confirmed. */
export const REORGANISATION_MAX = 7
export const BLOCKS_AT_FIRST = 30
export const OURS = [addressNumber(1), addressNumber(2)] as const
const STRANGER = addressNumber(3)

/** A real chain that moves by chance: blocks are mined, and replaced by others with some of their transactions. */
export class RestlessChain {
  /** Every block that was ever part of the chain, by its hash. */
  readonly ever = new Map<string, ObservedBlock>()
  private readonly transfers = new Map<string, readonly ObservedTransfer[]>()
  private moving: Promise<void> = Promise.resolve()
  reorganisations = 0

  private constructor(
    readonly chain: EthereumChain<EvmNode>,
    readonly token: string,
    private readonly random: Random,
  ) {}

  /** Of a node whose chain has nothing but its first block. */
  static async on(chain: EthereumChain<EvmNode>, { tokens: [usdt] }: EvmEntry, random: Random): Promise<RestlessChain> {
    const { decimals } = usdt ?? assert.fail('a network has a token')
    const token = await chain.deployToken(decimals, 10n ** 30n)
    for (const account of chain.accounts.slice(1)) {
      await chain.sendCall(token, 'mint(address,uint256)', [account, 10n ** 30n])
    }
    await chain.mine()
    const restless = new RestlessChain(chain, token, random)
    await restless.remember(0)
    for (let n = 0; n < BLOCKS_AT_FIRST; n += 1) await restless.mine()
    return restless
  }

  /** One move after the other, whoever asks for them. */
  move(): Promise<void> {
    this.moving = this.moving.then(() => (this.random.below(3) === 0 ? this.reorganise() : this.mine()))
    return this.moving
  }

  /** The height of the newest block while nothing moves. */
  async height(): Promise<number> {
    await this.moving
    return await this.chain.height()
  }

  private async mine(): Promise<void> {
    const { chain, random } = this
    for (let n = random.below(4); n > 0; n -= 1) await this.pay()
    await chain.mine()
    await this.remember(await chain.height())
  }

  private async pay(): Promise<void> {
    const { chain, random, token } = this
    const from = chain.account(random.below(chain.accounts.length))
    const to = random.pick([...OURS, STRANGER] as const)
    const amount = BigInt(random.between(1, 20))
    const isOurs = to !== STRANGER
    switch (random.pick(['coin', 'token', 'many', 'failing'] as const)) {
      case 'coin': {
        const hash = await chain.send({ from, to, value: amount * 10n ** 18n })
        this.transfers.set(hash, isOurs ? [ether(hash, to, String(amount))] : [])
        break
      }
      case 'token': {
        const hash = await chain.sendCall(token, 'transfer(address,uint256)', [to, amount], { from })
        this.transfers.set(hash, isOurs ? [tether(hash, 1, to, amount)] : [])
        break
      }
      case 'many': {
        const receivers = [STRANGER, ...OURS]
        const hash = await chain.sendCall(token, 'transferToMany(address[],uint256)', [receivers, amount], { from })
        const told = OURS.map((one, i) => tether(hash, i + 2, one, amount))
        this.transfers.set(hash, told)
        break
      }
      case 'failing':
        this.transfers.set(await chain.sendCall(token, 'transferAndFail(address,uint256)', [to, amount], { from }), [])
    }
  }

  /** Of each sender all replaced transactions are included again, or none: their numbers follow each other. */
  private async reorganise(): Promise<void> {
    const { chain, random } = this
    const height = await chain.height()
    const depth = random.between(1, REORGANISATION_MAX)
    const bySender = new Map<string, string[]>()
    for (let at = height - depth + 1; at <= height; at += 1) {
      for (const { hash, from } of await this.transactionsAt(at)) {
        bySender.set(from, [...(bySender.get(from) ?? []), hash])
      }
    }
    const place = random.below(depth)
    const kept = [...bySender.values()].filter(() => !random.chance(1 / 2)).flat()
    await chain.node.replace(
      depth,
      kept.map((hash) => [hash, place]),
    )
    this.reorganisations += 1
    await this.remember(height - depth + 1)
  }

  private async transactionsAt(height: number) {
    const block = await this.chain.node.call('eth_getBlockByNumber', hex(BigInt(height)), true)
    return (block as { transactions: readonly { hash: string; from: string }[] }).transactions
  }

  private async remember(from: number): Promise<void> {
    for (let height = from; height <= (await this.chain.height()); height += 1) {
      const { hash, parentHash, timestamp } = (await this.chain.block(height)) ?? assert.fail()
      const transactions = await this.transactionsAt(height)
      const transfers = transactions.flatMap((one) => this.transfers.get(one.hash) ?? [])
      const timeMs = Number(timestamp) * 1000
      this.ever.set(hash, { height, hash, parentHash, timeMs, timeEndMs: timeMs + 999, transfers })
    }
  }

  /** What a block has to be: one that was part of the chain, and where it is confirmed, one that still is. */
  async assertTrue(block: ObservedBlock, confirmed: number): Promise<void> {
    await this.moving
    assert.deepEqual(block, this.ever.get(block.hash) ?? assert.fail(`never part of the chain: ${block.hash}`))
    if (block.height <= confirmed) assert.equal(block.hash, (await this.chain.block(block.height))?.hash)
  }
}
