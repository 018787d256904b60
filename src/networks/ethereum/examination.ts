import type { BlockHead } from '../../domain/block.js'
import { demand, limitOf, NodeFailure } from '../node/answer.js'
import type { JsonRpc } from '../node/json-rpc.js'
import { fields, items, scalar } from '../node/json-shape.js'
import { factOf, headFact, type NodeFact } from '../node/node-fact.js'
import type { TokenCheck, TokenChecks } from '../token-checks.js'
import { blockShape, type EthereumBlock, headShape, readBlock, readHead } from './block.js'
import { LogsBloom } from './bloom.js'
import type { EthereumFilter } from './filter.js'
import type { Confirmation, HeadReader } from './head-reader.js'
import type { ReceiptReader, TriedWays } from './receipt-reader.js'
import type { TraceReader } from './trace-reader.js'
import { quantityText } from './values.js'

/** Blocks that an examination asks for at once, and first looks through for one with logs. */
const EXAMINED_BLOCKS = 20
/** Then it looks at single ones, each twice as far below the newest as the one before, so many times. */
const DOUBLED_STEPS = 12
/** Blocks whose state every node has. */
const TRACED_BLOCKS = 100

/** What is examined, and by what it is read. */
export interface Examined {
  readonly rpc: JsonRpc
  readonly heads: HeadReader
  readonly receipts: ReceiptReader
  readonly traces: TraceReader
  readonly tokens: Pick<TokenChecks<TokenCheck>, 'facts'>
  /** Of everybody's payments. */
  readonly filter: EthereumFilter
  readonly options: {
    readonly chainId: number
    readonly confirmation: Confirmation
    readonly batchMax: number
    readonly rangeMax: number
    readonly traces?: boolean
  }
}

const ADVICE = {
  tags: 'Use a node that has it, or a number of blocks for confirmations: without it no payment is ever confirmed.',
  receipts:
    'Payments in such blocks are not seen through this node. Name another one, or ask its operator for eth_getBlockReceipts and eth_getTransactionReceipt.',
  byBlock:
    'Payments are seen with a call for each transaction of a block that may pay you. Prefer a node that has eth_getBlockReceipts.',
  quiet: 'Examine it again when the network has transactions: whether payments are seen through it is not known.',
  batches: 'It works, with more requests. BILLHOOK_SEP_BATCH, or batch of the entry, saves those that are refused.',
  range: 'It works, and catching up takes more requests.',
  blocks: 'Payments are not seen through this node. Name another one, or ask its operator why it gives no blocks.',
  traces: 'Use a node with debug_traceBlockByHash, an archive node for old blocks, or no traces.',
} as const

/** Finds out what a node of the right chain offers, and what each thing that it lacks means for payments. */
export async function examine(examined: Examined, nowMs: number, headAgeMaxMs: number): Promise<readonly NodeFact[]> {
  const { rpc, heads, tokens, options } = examined
  const newest = readHead(await rpc.call('eth_getBlockByNumber', ['latest', false], headShape))
  const facts: NodeFact[] = [...(await tokens.facts(`is of chain ${options.chainId}`))]
  facts.push(
    await factOf(
      async () => headFact(await heads.read(), nowMs, headAgeMaxMs),
      (reason) => ({ verdict: 'failed', text: `does not report its newest block: ${reason}`, advice: ADVICE.tags }),
    ),
  )
  for (const tag of ['safe', 'finalized'] as const) facts.push(await tagFact(examined, tag, newest.height))
  const found = await busyBlock(examined, newest)
  if (typeof found === 'string') facts.push({ verdict: 'warning', text: found, advice: ADVICE.quiet })
  else facts.push(...(await receiptFacts(examined, found)))
  facts.push(await batchFact(examined), await rangeFact(examined, newest))
  // A node without an archive traces no older ones.
  const isTraceable = typeof found !== 'string' && found.behind < TRACED_BLOCKS
  if (options.traces === true) facts.push(await traceFact(examined, isTraceable ? found.height : newest.height))
  return facts
}

function tagFact({ heads, options }: Examined, tag: Exclude<Confirmation, number>, latest: number): Promise<NodeFact> {
  return factOf(
    async () => {
      const behind = Math.max(0, latest - (await heads.taggedHead(tag)).height)
      return { verdict: 'ok', text: `has a ${tag} block, ${behind} blocks behind the newest` }
    },
    (reason) =>
      options.confirmation === tag
        ? { verdict: 'failed', text: `has no ${tag} block: ${reason}`, advice: ADVICE.tags }
        : { verdict: 'ok', text: `has no ${tag} block` },
  )
}

/** What is read of a header to know whether its block has anything to show. */
const contentShape = fields({
  logsBloom: scalar,
  transactions: items(scalar, () => {
    let count = 0
    return {
      take: () => {
        count += 1
      },
      end: () => count,
    }
  }),
})

/** A block to examine receipts on. */
interface BusyBlock {
  readonly height: number
  /** Blocks below the newest one. */
  readonly behind: number
}

/**
 * The newest block with logs, or else with transactions, among those that are looked at; a sentence when there is none. A node
 * that gives receipts of empty blocks has shown nothing.
 */
async function busyBlock({ rpc }: Examined, { height: newest }: BlockHead): Promise<BusyBlock | string> {
  let withTransactions: BusyBlock | null = null
  const doubled = Array.from({ length: DOUBLED_STEPS }, (_, i) => EXAMINED_BLOCKS * 2 ** i)
  const looked = [...Array(EXAMINED_BLOCKS).keys(), ...doubled].filter((behind) => behind <= newest)
  let reason = ''
  for (const behind of looked) {
    const height = newest - behind
    // Far below there may be one with logs; one with transactions is enough to see how it goes.
    if (behind >= EXAMINED_BLOCKS && withTransactions !== null) break
    try {
      const content = await rpc.call('eth_getBlockByNumber', [quantityText(height), false], contentShape)
      const bloom = LogsBloom.of(content?.logsBloom)
      const count = content?.transactions ?? 0
      if (count > 0 && bloom !== null && !bloom.isEmpty) return { height, behind }
      if (count > 0) withTransactions ??= { height, behind }
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      reason = `: ${error.message}`
      if (limitOf(error) !== null) break
    }
  }
  const where = `has no transaction in its newest ${Math.min(EXAMINED_BLOCKS, newest + 1)} blocks`
  return withTransactions ?? `${where}, nor in others that were looked at: receipts were not tried${reason}`
}

/** Whether payments of a block would be seen, and by how many calls. */
async function receiptFacts(examined: Examined, { height, behind }: BusyBlock): Promise<readonly NodeFact[]> {
  const { receipts, filter } = examined
  const where = behind === 0 ? 'its newest block' : `its newest busy block, ${behind} blocks behind`
  const block = await wholeBlock(examined, height)
  if (block instanceof NodeFailure) {
    return [{ verdict: 'failed', text: `has blocks that cannot be used: ${block.message}`, advice: ADVICE.blocks }]
  }
  try {
    return factsOfWays(await receipts.tried(asPaying(block), filter), where, block)
  } catch (error) {
    if (limitOf(error) === null) throw error
    const text = `could not be asked for the receipts of ${where}`
    const untried = (reason: string): NodeFact => ({ verdict: 'warning', text: `${text}: ${reason}` })
    return [await factOf(() => Promise.reject(error), untried)]
  }
}

/** The block as if its first transaction paid, where none does: then its receipt has to say whether it succeeded. */
function asPaying(block: EthereumBlock): EthereumBlock {
  if (block.payments.length > 0) return block
  return { ...block, payments: [{ txIndex: 0, from: null, toAddress: '', amount: 1n }] }
}

/** What the ways that work on a block, and those that do not, mean for payments. */
function factsOfWays({ byBlock, each, byLogs }: TriedWays, where: string, block: EthereumBlock): readonly NodeFact[] {
  const isRead = byBlock === null || each === null || byLogs === null
  const reasons = [byBlock, each, byLogs].flatMap((failure) => failure?.message ?? [])
  const read = isRead ? readFact(where, block) : unreadFact(where, [...new Set(reasons)].join('; '))
  if (byBlock === null) return [{ verdict: 'ok', text: 'returns all receipts of a block at once' }, read]
  const others = [
    ...(each === null ? ['the receipts of its transactions one by one'] : []),
    ...(byLogs === null ? ['its logs, with the receipts of the transactions that pay'] : []),
  ]
  const text = `does not return all receipts of a block at once: ${byBlock.message}`
  if (others.length === 0) return [{ verdict: 'failed', text, advice: ADVICE.receipts }, read]
  return [{ verdict: 'warning', text: `${text}; what works is ${others.join(', and ')}`, advice: ADVICE.byBlock }, read]
}

/** A block that is read. What it has nothing of was not tried. */
function readFact(where: string, { bloom }: EthereumBlock): NodeFact {
  const text = `has receipts that fit ${where}`
  if (bloom?.isEmpty === false) return { verdict: 'ok', text: `${text}: payments in the coin and in tokens are seen` }
  const untried =
    'payments in the coin are seen, and those in tokens were not tried, because its header announces no logs'
  return { verdict: 'warning', text: `${text}: ${untried}`, advice: ADVICE.quiet }
}

function unreadFact(where: string, reason: string): NodeFact {
  const meaning = 'so NO payment in such a block is seen, neither in the coin nor in tokens'
  const text = `has receipts that cannot be used in ${where}, ${meaning}: ${reason}`
  return { verdict: 'failed', text, advice: ADVICE.receipts }
}

async function wholeBlock({ rpc, filter }: Examined, height: number): Promise<EthereumBlock | NodeFailure> {
  try {
    const shape = blockShape(filter.isWatched)
    return readBlock(
      await rpc.call('eth_getBlockByNumber', [quantityText(height), true], shape),
      height,
      filter.isWatched,
    )
  } catch (error) {
    if (error instanceof NodeFailure) return error
    throw error
  }
}

async function batchFact({ rpc, options: { batchMax } }: Examined): Promise<NodeFact> {
  const width = batchMax === 1 ? 1 : await rpc.largestBatch({ method: 'eth_chainId', params: [] }, batchMax)
  const batches = width === 1 ? 'takes no batches' : `takes batches of ${width} calls`
  return width < batchMax
    ? { verdict: 'warning', text: `${batches}, fewer than ${batchMax}`, advice: ADVICE.batches }
    : { verdict: 'ok', text: batches }
}

/** How many of its newest blocks the node gives at once, up to a number. */
async function rangeFact({ rpc, filter, options }: Examined, { height: newest }: BlockHead): Promise<NodeFact> {
  const wanted = Math.min(options.rangeMax, EXAMINED_BLOCKS, newest + 1)
  let reason = 'no block'
  for (let width = wanted; width >= 1; width = Math.floor(width / 2)) {
    try {
      const calls = Array.from({ length: width }, (_, i) => {
        return { method: 'eth_getBlockByNumber', params: [quantityText(newest - width + 1 + i), true] }
      })
      await rpc.all(calls, blockShape(filter.isWatched), (told, i) => {
        demand(told !== null, 'a block is missing')
        return readBlock(told, newest - width + 1 + i, filter.isWatched).height
      })
      const text = `gives ${width} blocks for one question`
      if (width === wanted) return { verdict: 'ok', text }
      return { verdict: 'warning', text: `${text}, fewer than ${wanted}: ${reason}`, advice: ADVICE.range }
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      reason = error.message
    }
  }
  return { verdict: 'failed', text: `gives no whole block: ${reason}`, advice: ADVICE.blocks }
}

/** Whether the node traces a block. One without transactions proves only what the node offers for whole blocks. */
async function traceFact(examined: Examined, height: number): Promise<NodeFact> {
  const block = await wholeBlock(examined, height)
  const isEmpty = !(block instanceof NodeFailure) && block.txHashes.length === 0
  return await factOf(
    async () => {
      if (block instanceof NodeFailure) throw block
      await examined.traces.demandTraces(block, examined.filter)
      return { verdict: 'ok', text: `traces block ${height}` }
    },
    (reason) =>
      isEmpty
        ? {
            verdict: 'warning',
            text: `has no transaction to trace in block ${height}: ${reason}`,
            advice: ADVICE.quiet,
          }
        : { verdict: 'failed', text: `refuses traces: ${reason}`, advice: ADVICE.traces },
  )
}
