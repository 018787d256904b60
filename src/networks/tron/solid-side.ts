import type { Clock } from '../../clock.js'
import type { BlockHead } from '../../domain/block.js'
import { BadAnswer, demand, mayDoOtherwise, type NodeFailure, UnfitNode } from '../node/answer.js'
import { scalar } from '../node/json-shape.js'
import type { TronBlock } from './block.js'
import type { BlockReader } from './block-reader.js'
import { ChainEnd } from './chain-end.js'
import type { FirstBlocks } from './first-blocks.js'
import { isNotServed, type Ladder } from './ladder.js'
import type { Side } from './side.js'
import type { TronApi } from './tron-api.js'

/** The newest solidified block of a sound node is some 19 slots old: it is looked for by itself when it is older. */
const SOLID_AGE_MAX_MS = 75_000
/** `Num:411,ID:…` */
const NUMBERED = /^\s*Num:\s*(\d{1,15})\s*,\s*ID:\s*([0-9a-f]{64})\s*$/i

/** Where a node tells which blocks are final, and gives them. */
export interface SolidSide {
  readonly side: Side
  /** The newest final block, asked anew. */
  look(): Promise<BlockHead>
  /** Rejects unless blocks up to a height are final. */
  demandFinal(height: number): Promise<void>
  /** Final blocks from a height on that came with the last look. */
  take(from: number, max: number): readonly TronBlock[]
  /** Final blocks up to a height are no longer needed. */
  pass(height: number): void
}

/** The interface of its own that java-tron has for final blocks, on a port of its own. It has no others. */
export class SolidityInterface implements SolidSide {
  readonly side = '/walletsolidity'
  private readonly end: ChainEnd

  constructor(blocks: BlockReader, ladder: Ladder, clock: Pick<Clock, 'now'>) {
    this.end = new ChainEnd(blocks, ladder, this.side, clock, SOLID_AGE_MAX_MS)
  }

  look(): Promise<BlockHead> {
    return this.end.look()
  }

  async demandFinal(): Promise<void> {}

  take(from: number, max: number): readonly TronBlock[] {
    return this.end.take(from, max)
  }

  pass(height: number): void {
    this.end.pass(height)
  }
}

/** The full interface alone: `getnodeinfo` says how far its blocks are final, and with which id. */
class NodeInfo implements SolidSide {
  readonly side = '/wallet'
  /** The last final block, whose id was compared; null before the first. */
  private final: BlockHead | null = null

  constructor(
    private readonly api: TronApi,
    private readonly blocks: BlockReader,
  ) {}

  async look(): Promise<BlockHead> {
    const first = await this.told()
    // A java-tron that is just writing its newest solidified block names the first one of all.
    const isOdd = first.height === 0 && this.final !== null && this.final.height > 0
    const { height, id } = isOdd ? await this.told() : first
    if (this.final?.height === height) return this.final
    const block = await this.blocks.at(this.side, height)
    const isSame = block !== null && block.hash === id
    demand(isSame, `/wallet/getnodeinfo: the solidified block ${height} is another one`)
    const { hash, parentHash, timeMs } = block
    this.final = { height, hash, parentHash, timeMs }
    return this.final
  }

  /** What the node says of its newest solidified block. */
  private async told(): Promise<{ readonly height: number; readonly id: string | undefined }> {
    const { solidityBlock } = await this.api.object('/wallet/getnodeinfo', {}, { solidityBlock: scalar })
    const [, digits, id] = NUMBERED.exec(String(solidityBlock)) ?? []
    demand(digits !== undefined, '/wallet/getnodeinfo: it does not say which block is solidified')
    return { height: Number(digits), id: id?.toLowerCase() }
  }

  async demandFinal(height: number): Promise<void> {
    if (this.final !== null && height <= this.final.height) return
    demand(height <= (await this.look()).height, `block ${height}: not solidified here yet`)
  }

  take(): readonly TronBlock[] {
    return []
  }

  pass(): void {}
}

/**
 * Where a node of the right network tells what is final: by the interface of its own where that answers, and else by
 * `getnodeinfo`. Rejects with `WrongNode` when its first block is another one, and with `UnfitNode` when it tells nowhere.
 */
export async function findSolidSide(
  api: TronApi,
  blocks: BlockReader,
  ladder: Ladder,
  firsts: FirstBlocks,
  clock: Pick<Clock, 'now'>,
): Promise<SolidSide> {
  const path = '/walletsolidity/getblockbynum'
  let why = `${path} is not served`
  /** How the interface failed without saying that it is not there. */
  let failure: NodeFailure | null = null
  let isServed = false
  if (!ladder.isClosed(path)) {
    const solidity = new SolidityInterface(blocks, ladder, clock)
    try {
      await firsts.demand(solidity.side)
      isServed = true
    } catch (error) {
      if (!mayDoOtherwise(error) || error instanceof UnfitNode) throw error
      why = error.message
      if (!isNotServed(error)) failure = error
    }
    if (isServed) {
      await demandFullSide(blocks, firsts)
      return solidity
    }
  }
  const nodeInfo = new NodeInfo(api, blocks)
  await firsts.demand(nodeInfo.side)
  if (failure === null) ladder.close(path)
  try {
    await nodeInfo.look()
  } catch (error) {
    if (!isNotServed(error)) throw error
    if (failure !== null) throw failure
    const advice = 'name the address of its solidity port as well'
    throw new UnfitNode('no_finality', `${why}; ${error.message}: ${advice}`)
  }
  return nodeInfo
}

/** The full side may be another node, which an operator has named beside the first, or not be there at all. */
async function demandFullSide(blocks: BlockReader, firsts: FirstBlocks): Promise<void> {
  try {
    await firsts.demand('/wallet')
  } catch (error) {
    if (!isNotServed(error)) throw error
    await blocks.newest('/wallet').catch((failure: unknown) => {
      if (!isNotServed(failure)) throw failure
      throw new BadAnswer(`${error.message}: name the address of its full port as well`)
    })
  }
}
