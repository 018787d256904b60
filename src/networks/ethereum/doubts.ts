import type { Clock } from '../../clock.js'
import { isMissingMethod, limitOf, NodeFailure } from '../node/answer.js'
import type { JsonRpc } from '../node/json-rpc.js'
import { Shortcomings } from '../node/shortcomings.js'
import { type Doubt, type EthereumBlock, type ToldTransaction, transactionShape, withoutDoubt } from './block.js'
import type { EthereumFilter } from './filter.js'
import { quantityText } from './values.js'

const BY_PLACE = 'eth_getTransactionByBlockHashAndIndex'
/** Transactions that are asked for together: some nodes tell nothing but hashes of a whole block. */
const TOGETHER_MAX = 500

/** Asks one node again about transactions that its block does not tell in a form that says whether they pay us. */
export class Doubts {
  private readonly shortcomings: Shortcomings<typeof BY_PLACE>

  constructor(
    private readonly rpc: JsonRpc,
    clock: Clock,
  ) {
    this.shortcomings = new Shortcomings(clock)
  }

  /** The block without doubts. Rejects with `NodeFailure` where nothing is told of a transaction. */
  async settled(block: EthereumBlock, filter: EthereumFilter): Promise<EthereumBlock> {
    const { doubtful } = block
    if (doubtful.length === 0) return block
    const mayBeLeft = doubtful.every(({ isUntold }) => !isUntold)
    if (mayBeLeft && this.shortcomings.has(BY_PLACE)) return { ...block, doubtful: [] }
    try {
      const told: ToldTransaction[] = []
      for (let from = 0; from < doubtful.length; from += TOGETHER_MAX) {
        told.push(...(await this.tell(block, doubtful.slice(from, from + TOGETHER_MAX))))
      }
      return withoutDoubt(block, told, filter.isWatched)
    } catch (error) {
      if (!(error instanceof NodeFailure) || limitOf(error) !== null) throw error
      if (isMissingMethod(error)) this.shortcomings.note(BY_PLACE)
      // What names no address and cannot be asked again is none of ours.
      if (mayBeLeft) return { ...block, doubtful: [] }
      throw error
    }
  }

  private tell({ hash }: EthereumBlock, doubts: readonly Doubt[]): Promise<readonly ToldTransaction[]> {
    const calls = doubts.map(({ txIndex }) => ({ method: BY_PLACE, params: [hash, quantityText(txIndex)] }))
    return this.rpc.all(calls, transactionShape, (told) => told)
  }
}
