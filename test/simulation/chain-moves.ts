import type { ChainStep, ObservedBlock, ObservedTransfer } from '../../src/domain/block.js'
import type { Network } from '../../src/domain/network.js'
import type { Facts } from './facts.js'
import type { Model } from './model/model.js'
import { kindOf } from './networks.js'
import { Random } from './random.js'
import type { ChainMove, TransferStep } from './steps.js'

/** Height of the first block of a chain. */
const FIRST_HEIGHT = 100
const BLOCKS_MIN = 1

/** What moves of a watcher mean at the moment at which they are made. */
export class ChainMoves {
  /** Blocks that were ever made up: each has another hash. */
  private made = 0

  constructor(
    private readonly model: Model,
    private readonly facts: Facts,
    private readonly now: () => number,
  ) {}

  stepOf(network: Network, move: ChainMove): ChainStep {
    switch (move.move) {
      case 'append':
        return {
          type: 'append',
          network,
          blocks: this.next(network, move),
          isConfirmed: move.isConfirmed,
          seenAtMs: this.now(),
        }
      case 'confirm':
        return { type: 'confirm', network, blocks: this.again(network, move) }
      case 'undo': {
        const tip = this.model.chains.position(network)?.tip.height ?? FIRST_HEIGHT
        return { type: 'undo', network, above: tip - move.depth }
      }
      case 'forget':
        return { type: 'forget', network }
    }
  }

  private next(network: Network, move: Extract<ChainMove, { move: 'append' }>): readonly ObservedBlock[] {
    const tip = this.model.chains.position(network)?.tip
    const first = (tip?.height ?? FIRST_HEIGHT) + (move.flaw === 'gap' ? 2 : 1)
    let parentHash = move.flaw === 'parent' ? 'another' : (tip?.hash ?? 'nothing')
    const isWholeSeconds = kindOf(network) === 'evm'
    return move.blocks.map(({ transfers, offsetMs }, i) => {
      this.made += 1
      const timeMs = Math.max(1, this.now() + offsetMs)
      const secondMs = timeMs - (timeMs % 1000)
      const block: ObservedBlock = {
        height: first + i,
        hash: `block-${this.made}`,
        parentHash,
        ...(isWholeSeconds ? { timeMs: secondMs, timeEndMs: secondMs + 999 } : { timeMs, timeEndMs: timeMs }),
        transfers: transfers.map((one) => this.transfer(network, one)),
      }
      parentHash = block.hash
      return block
    })
  }

  /** The first blocks that are not confirmed, as they were told or a little otherwise. */
  private again(network: Network, move: Extract<ChainMove, { move: 'confirm' }>): readonly ObservedBlock[] {
    const confirmed = this.model.chains.position(network)?.confirmed ?? 0
    const random = new Random(move.salt)
    return this.model.chains
      .blocks(network)
      .filter(({ height }) => height > confirmed)
      .slice(0, Math.max(BLOCKS_MIN, move.count))
      .map(({ height, hash, parentHash, timeMs, timeEndMs, told }, i) => {
        const isAnother = move.isAnother && i === 0
        const kept = told
          .filter(() => !random.chance(move.changes))
          .map((one) => this.changed(one, random, move.changes))
        const more = i === 0 ? move.more.map((one) => this.transfer(network, one)) : []
        return {
          height,
          hash: isAnother ? 'another' : hash,
          parentHash,
          timeMs,
          timeEndMs,
          transfers: [...kept, ...more],
        }
      })
  }

  private changed(transfer: ObservedTransfer, random: Random, changes: number): ObservedTransfer {
    return random.chance(changes) ? { ...transfer, amount: `${transfer.amount}0` } : transfer
  }

  private transfer(network: Network, step: TransferStep): ObservedTransfer {
    const { txHash, index, toAddress, currency, amount } = this.facts.transferOf(network, step)
    return { txHash, index, toAddress, currency, amount }
  }
}
