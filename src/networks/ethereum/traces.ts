/** Ether that contracts send, from the traces of a block or of its transactions (`callTracer`). */

import { formatAmount, NATIVE_LABEL } from '../../domain/amount.js'
import type { ObservedBlock, ObservedTransfer } from '../../domain/block.js'
import { demand } from '../node/answer.js'
import { either, fields, items, lazily, type Shape, scalar } from '../node/json-shape.js'
import type { EthereumBlock } from './block.js'
import type { EthereumFilter } from './filter.js'
import { HashList } from './hash-list.js'
import { addressIn, presence, quantityIn, type Value } from './values.js'

/**
 * The `index` of the first transfer that a contract makes within a transaction. The indexes of logs, which count from
 * 1, never come near: the gas of a block pays for a few hundred thousand logs.
 */
export const TRACE_INDEX_BASE = 0x8000_0000
/** The types of frames that move ether from one account to another. `CALLCODE` and `DELEGATECALL` move none. */
const MOVING: ReadonlySet<string> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])
const CREATING: ReadonlySet<string> = new Set(['CREATE', 'CREATE2'])
const TYPE = /^[A-Z0-9]{1,20}$/

/** Ether that a call moves to a watched address. */
interface Moved {
  /** Its position among all movements of the frames that it was found in, from 0. */
  readonly position: number
  readonly toAddress: string
  readonly amount: bigint
}

/** Movements within a call, in the order of execution. */
interface Movements {
  /** All of them, to whomever they go and whether or not they were undone. */
  readonly count: number
  /** Those to watched addresses that were not undone. */
  readonly found: readonly Moved[]
  readonly isReadable: boolean
}

const NO_MOVEMENTS: Movements = { count: 0, found: [], isReadable: true }

/** A call of the traced execution, as a node tells it. */
interface ToldFrame {
  readonly type: Value
  readonly from: Value
  readonly to: Value
  readonly value: Value
  /** Any value but null is an error. */
  readonly error: unknown
  readonly calls: Movements | null | undefined
}

/** The calls that a call makes. What they are is told after the calls that they make themselves. */
class Calls implements Movements {
  count = 0
  readonly found: Moved[] = []
  isReadable = true

  constructor(private readonly filter: EthereumFilter) {}

  take(frame: ToldFrame | null | undefined): void {
    const own = frame === null || frame === undefined ? null : movementOf(frame)
    if (frame === null || frame === undefined || own === null) {
      this.isReadable = false
      return
    }
    const below = frame.calls ?? NO_MOVEMENTS
    this.isReadable &&= below.isReadable
    const isUndone = isFailed(frame)
    if (own !== 'none' && !isUndone && this.filter.isWatched(own.toAddress)) {
      this.found.push({ position: this.count, ...own })
    }
    if (own !== 'none') this.count += 1
    if (!isUndone) {
      for (const moved of below.found) this.found.push({ ...moved, position: this.count + moved.position })
    }
    this.count += below.count
  }

  end(): Movements {
    return this
  }
}

/** What is read of the trace of a transaction. */
export function frameShape(filter: EthereumFilter): Shape<ToldFrame | null | undefined> {
  const frame: Shape<ToldFrame | null | undefined> = fields({
    type: scalar,
    from: scalar,
    to: scalar,
    value: scalar,
    error: either(scalar, presence),
    calls: items(
      lazily(() => frame),
      () => new Calls(filter),
    ),
  })
  return frame
}

/** What is read of the traces of a block. Each is reduced to what it moves to us. */
export function tracesShape(filter: EthereumFilter) {
  const trace = fields({ txHash: scalar, result: frameShape(filter) })
  return items(trace, () => new Traces(filter))
}

/** The traces of a block: those of transactions that move ether to us. */
export class Traces {
  readonly hashes = new HashList()
  /** By the place of the trace. */
  readonly moved = new Map<number, readonly Moved[]>()
  /** The places of traces that cannot be read: a node may give up one of them. */
  readonly unreadable: number[] = []

  constructor(private readonly filter: EthereumFilter) {}

  take(
    trace: { readonly txHash: Value; readonly result: ToldFrame | null | undefined } | null | undefined,
    place: number,
  ) {
    this.hashes.set(place, trace?.txHash)
    const moved = movedIn(trace?.result, this.filter)
    if (moved === null) this.unreadable.push(place)
    else if (moved.length > 0) this.moved.set(place, moved)
  }

  end(): this {
    return this
  }
}

/**
 * The ether that the transactions of a block move by contracts to watched addresses. `index` is `TRACE_INDEX_BASE` and
 * the position, from 0, among all such movements of the transaction in the order of execution, to whomever they go and
 * whether or not they were undone; so it depends neither on who watches nor on the block. A contract's creation by the
 * transaction itself is index 0, like every value of a transaction. Throws `BadAnswer` unless there is a trace for each
 * transaction, in order; what cannot be read of them is left out.
 */
export function readTraces(traces: Traces, block: EthereumBlock): readonly ObservedTransfer[] {
  const { txHashes } = block
  demand(traces.hashes.length === txHashes.length, 'a block has not as many traces as transactions')
  // Old nodes leave out the hashes.
  demand(txHashes.agreesWith(traces.hashes, txHashes.length), 'a trace is of another transaction')
  return [...traces.moved].flatMap(([place, moved]) => {
    const txHash = txHashes.at(place) ?? traces.hashes.at(place)
    demand(txHash !== null, 'a transaction that pays us has no hash')
    return transfersOf(moved, txHash)
  })
}

/** The same of one transaction, from its trace. */
export function readTrace(
  frame: ToldFrame | null | undefined,
  txHash: string,
  filter: EthereumFilter,
): readonly ObservedTransfer[] {
  const moved = movedIn(frame, filter)
  demand(moved !== null, 'a trace cannot be read')
  return transfersOf(moved, txHash)
}

/** A block with the transfers of its traces, each behind the others of its transaction. */
export function withTraced(observed: ObservedBlock, block: EthereumBlock, traced: readonly ObservedTransfer[]) {
  if (traced.length === 0) return observed
  const find = block.txHashes.finder()
  const placeOf = ({ txHash }: ObservedTransfer): number => find(txHash) ?? 0
  const transfers = [...observed.transfers, ...traced].sort((a, b) => placeOf(a) - placeOf(b) || a.index - b.index)
  return { ...observed, transfers }
}

/** What a transaction moves to us by contracts, each with its index; null when its trace cannot be read. */
function movedIn(top: ToldFrame | null | undefined, filter: EthereumFilter): readonly Moved[] | null {
  if (top === null || top === undefined) return null
  const own = movementOf(top)
  const below = top.calls ?? NO_MOVEMENTS
  if (own === null || !below.isReadable) return null
  if (isFailed(top)) return []
  const moved = below.found.map((each) => ({ ...each, position: TRACE_INDEX_BASE + each.position }))
  const isCreation = own !== 'none' && CREATING.has(String(top.type)) && filter.isWatched(own.toAddress)
  return isCreation ? [{ position: 0, ...own }, ...moved] : moved
}

function transfersOf(moved: readonly Moved[], txHash: string): ObservedTransfer[] {
  return moved.map(({ position, toAddress, amount }) => {
    return { txHash, index: position, toAddress, currency: NATIVE_LABEL, amount: formatAmount(amount) }
  })
}

/** What a call moves, if it succeeds; null when the node does not tell it in a readable form. */
function movementOf({ type, value, from, to }: ToldFrame): Pick<Moved, 'toAddress' | 'amount'> | 'none' | null {
  if (typeof type !== 'string' || !TYPE.test(type)) return null
  if (!MOVING.has(type) || value === undefined || value === null) return 'none'
  // What fails before it begins has no receiver.
  if (to === undefined || to === null) return 'none'
  const [amount, sender, toAddress] = [quantityIn(value), addressIn(from), addressIn(to)]
  if (amount === null || toAddress === null) return null
  return amount > 0n && sender !== toAddress ? { toAddress, amount } : 'none'
}

function isFailed({ error }: ToldFrame): boolean {
  return error !== undefined && error !== null
}
