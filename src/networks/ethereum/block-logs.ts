import type { ObservedBlock } from '../../domain/block.js'
import { demand } from '../node/answer.js'
import type { JsonRpc } from '../node/json-rpc.js'
import type { EthereumBlock, NativePayment } from './block.js'
import { proves } from './bloom.js'
import type { EthereumFilter } from './filter.js'
import { logsShape } from './logs.js'
import { Receipts } from './receipts.js'
import type { SingleReceipts } from './single-receipts.js'
import type { LoggedTransfer } from './told-log.js'
import { didSucceed, observed, transfersOf, UnexplainedFilter } from './transfers.js'
import { hashIn } from './values.js'

export const BY_LOGS = 'eth_getLogs'

/** A transaction that concerns us. */
interface Concerned {
  readonly payment?: NativePayment
  /** Its place in the block; behind all others when the block does not list it. */
  readonly txIndex: number
  /** How many logs of transfers to us it has. */
  readonly logs: number
}

/**
 * A block by all its logs, which its header's filter proves to be all, and the receipts of the transactions that concern us.
 * What logs and receipts both tell of counts, even if the header does not know of it. Throws `BadAnswer` for anything less.
 */
export async function observeByLogs(
  rpc: JsonRpc,
  singles: SingleReceipts,
  block: EthereumBlock,
  filter: EthereumFilter,
): Promise<ObservedBlock> {
  const { bloom } = block
  // A header without any entry says nothing on a chain without filters. Where there are no logs either, both agree.
  const isWithoutLogs = bloom?.isEmpty === true
  demand(isWithoutLogs || proves(bloom), 'the header does not say which logs the block has')
  const call = { method: BY_LOGS, params: [{ blockHash: block.hash }] }
  const [logs] = await rpc.all([call], logsShape(filter, 'own'), (answer) => answer)
  demand(logs !== null && logs !== undefined, 'logs of a block: not a list')
  const concerned = [...concernedIn(block, logs.transfers)]
  const receipts = new Receipts(filter, 'own')
  const hashes = concerned.map(([hash]) => hash)
  await singles.each(hashes, filter, 'own', (receipt, i) => receipts.take(receipt, i))
  const explained = logs.bloom()
  explained.addAll(receipts.bloom)
  if (isWithoutLogs ? !explained.isEmpty : !explained.covers(bloom))
    throw new UnexplainedFilter('the logs of a block are not those of its header')
  demand(receipts.areOf(block.hash), 'receipts are of another block')
  const logged = new Map(receipts.relevant.map(({ place, transfers }) => [place, transfers]))
  const found = concerned.map(([hash, { payment, logs: count, txIndex }], i) => {
    demand(!receipts.hashes.isKnown(i) || receipts.hashes.at(i) === hash, 'a receipt is of another transaction')
    if (!didSucceed(receipts, i)) return { txIndex, transfers: [] }
    const own = logged.get(i) ?? []
    demand(own.length === count, 'a receipt has other logs than its block')
    return { txIndex, transfers: transfersOf(hash, block.hash, payment, own) }
  })
  found.sort((a, b) => a.txIndex - b.txIndex)
  return observed(
    block,
    found.flatMap(({ transfers }) => transfers),
  )
}

/** The transactions of payments and of logs, by their hashes. */
function concernedIn(block: EthereumBlock, transfers: readonly LoggedTransfer[]): ReadonlyMap<string, Concerned> {
  const concerned = new Map<string, Concerned>()
  for (const payment of block.payments) {
    const hash = block.txHashes.at(payment.txIndex)
    demand(hash !== null, 'a transaction that pays us has no hash')
    concerned.set(hash, { payment, logs: 0, txIndex: payment.txIndex })
  }
  const find = block.txHashes.finder()
  for (const { txHash, blockHash, isRemoved } of transfers) {
    const hash = hashIn(txHash)
    demand(hash !== null && !isRemoved, 'a log of a transfer to us is of no transaction')
    demand(blockHash === undefined || hashIn(blockHash) === block.hash, 'a log is of another block')
    const known = concerned.get(hash) ?? { logs: 0, txIndex: find(hash) ?? block.txHashes.length }
    concerned.set(hash, { ...known, logs: known.logs + 1 })
  }
  return concerned
}
