import assert from 'node:assert/strict'
import type { WatchedAddresses } from '../../../src/domain/block.js'
import type { NetworkReader } from '../../../src/networks/network-reader.js'
import { addressNumber, EthereumChain } from '../../support/ethereum-chain.js'
import { FaultyProxy } from '../../support/faulty-proxy.js'
import { byRanges, ethereumReader, oneByOne, transfersOf, watching } from './fixture.js'

/** How large a history is read. */
export interface CatchUpExtent {
  readonly blocks: number
  readonly wallets: number
  /** At most as many as blocks: half in ether and half in tokens, each in a block of its own. */
  readonly deposits: number
  /** Blocks that are read one by one besides, as at the head of the chain. */
  readonly headBlocks: number
}

export interface CatchUpFigures {
  readonly blocks: number
  readonly deposits: number
  readonly seconds: number
  readonly requestsPerBlock: number
  readonly callsPerBlock: number
  readonly headRequestsPerBlock: number
  /** Of this process when all was read. */
  readonly residentBytes: number
}

/** A history on a real node, and what more may be done with it while it is there. */
export type AfterReading = (nodeUrl: string, token: string, to: number) => Promise<void>

/** Makes a history on a real node and reads it from the first block to the last. */
export async function measureCatchUp(
  extent: CatchUpExtent,
  afterReading: AfterReading = async () => {},
): Promise<CatchUpFigures> {
  const chain = await EthereumChain.start()
  const token = await chain.deployToken()
  const proxy = await FaultyProxy.start(chain.node.url)
  const direct = ethereumReader([chain.node.url], { token })
  const counted = ethereumReader([proxy.url], { token })
  try {
    const wallets = Array.from({ length: extent.wallets }, (_, i) => addressNumber(i))
    const [named, unnamed] = watching(wallets)
    await makeHistory(chain, token, wallets, extent)
    const to = await chain.height()

    await direct.verify()
    const requestsBefore = requestsOf(direct)
    const startedMs = performance.now()
    const deposits = await readAll(direct, to, named)
    const seconds = (performance.now() - startedMs) / 1000
    const residentBytes = process.memoryUsage.rss()
    const requests = requestsOf(direct) - requestsBefore
    assert.equal(deposits, extent.deposits)

    await counted.verify()
    proxy.calls.clear()
    assert.equal(transfersOf(await byRanges(counted, 0, to, unnamed)).length, extent.deposits)
    const calls = [...proxy.calls.values()].reduce((sum, each) => sum + each, 0)

    const headBefore = requestsOf(direct)
    await oneByOne(direct, to - extent.headBlocks + 1, to, named)
    await afterReading(chain.node.url, token, to)
    const blocks = to + 1
    return {
      blocks,
      deposits,
      seconds,
      requestsPerBlock: requests / blocks,
      callsPerBlock: calls / blocks,
      headRequestsPerBlock: (requestsOf(direct) - headBefore) / extent.headBlocks,
      residentBytes,
    }
  } finally {
    await direct.close()
    await counted.close()
    await proxy.close()
    await chain.stop()
  }
}

/** Reads as a watcher does: of the blocks nothing is kept. Answers the number of transfers. */
async function readAll(reader: NetworkReader, to: number, watched: WatchedAddresses): Promise<number> {
  let transfers = 0
  let next = 0
  while (next <= to) {
    const blocks = await reader.blocks(next, to, watched)
    transfers += transfersOf(blocks).length
    next += blocks.length
  }
  return transfers
}

async function makeHistory(
  chain: EthereumChain,
  token: string,
  wallets: readonly string[],
  { blocks, deposits }: CatchUpExtent,
): Promise<void> {
  const width = Math.floor(blocks / deposits)
  for (let i = 0; i < deposits; i += 1) {
    const to = wallets[i % wallets.length] ?? assert.fail('no wallet')
    if (i % 2 === 0) await chain.send({ to, value: BigInt(i + 1) })
    else await chain.sendCall(token, 'transfer(address,uint256)', [to, BigInt(i + 1)])
    await chain.mine(width)
  }
}

function requestsOf(reader: NetworkReader): number {
  return reader.endpoints()[0]?.requests ?? 0
}
