/** Ether that contracts send, from the traces of a block or of its transactions (`callTracer`). */

import { formatAmount, NATIVE_LABEL } from '../../domain/amount.js'
import type { ObservedBlock, ObservedTransfer } from '../../domain/block.js'
import { demand, listOf, objectOf, textOf } from '../node/answer.js'
import type { EthereumBlock } from './block.js'
import type { EthereumFilter } from './transfers.js'
import { addressOf, hashOf, quantityOf } from './values.js'

/**
 * The `index` of the first transfer that a contract makes within a transaction. The indexes of logs, which count from
 * 1, never come near: the gas of a block pays for a few hundred thousand logs.
 */
export const TRACE_INDEX_BASE = 0x8000_0000
/** The types of frames that move ether from one account to another. `CALLCODE` and `DELEGATECALL` move none. */
const MOVING: ReadonlySet<string> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])
const CREATING: ReadonlySet<string> = new Set(['CREATE', 'CREATE2'])
const TYPE = /^[A-Z0-9]{1,20}$/

/** A call of the traced execution. */
interface Frame {
  readonly fields: Readonly<Record<string, unknown>>
  /** Whether it, or a call that it is part of, was undone. */
  readonly isUndone: boolean
}

/**
 * The ether that the transactions of a block move by contracts to watched addresses. `index` is `TRACE_INDEX_BASE` and
 * the position, from 0, among all such movements of the transaction in the order of execution, to whomever they go and
 * whether or not they were undone; so it depends neither on who watches nor on the block. A contract's creation by the
 * transaction itself is index 0, like every value of a transaction. Throws `BadAnswer` unless there is a trace for each
 * transaction, in order.
 */
export function readTraces(answer: unknown, block: EthereumBlock, filter: EthereumFilter): readonly ObservedTransfer[] {
  const traces = listOf(answer, 'traces of a block')
  demand(traces.length === block.txHashes.length, 'a block has not as many traces as transactions')
  return traces.flatMap((each, txIndex) => {
    const trace = objectOf(each, 'a trace')
    const txHash = block.txHashes[txIndex] ?? ''
    // Old nodes leave out the hash.
    const hash = trace['txHash']
    demand(hash === undefined || hashOf(hash, 'txHash of a trace') === txHash, 'a trace is of another transaction')
    return readTrace(trace['result'], txHash, filter)
  })
}

/** The same of one transaction, from its trace. */
export function readTrace(trace: unknown, txHash: string, filter: EthereumFilter): readonly ObservedTransfer[] {
  return transfersOf(objectOf(trace, 'the result of a trace'), txHash, filter)
}

/** A block with the transfers of its traces, each behind the others of its transaction. */
export function withTraced(observed: ObservedBlock, block: EthereumBlock, traced: readonly ObservedTransfer[]) {
  if (traced.length === 0) return observed
  const places = new Map(block.txHashes.map((txHash, place) => [txHash, place]))
  const placeOf = ({ txHash }: ObservedTransfer): number => places.get(txHash) ?? 0
  const transfers = [...observed.transfers, ...traced].sort((a, b) => placeOf(a) - placeOf(b) || a.index - b.index)
  return { ...observed, transfers }
}

function transfersOf(top: Frame['fields'], txHash: string, filter: EthereumFilter): ObservedTransfer[] {
  const transfers: ObservedTransfer[] = []
  let movements = 0
  const take = (fields: Frame['fields'], index: number): void => {
    const toAddress = addressOf(fields['to'], 'to of a call')
    if (!filter.isWatched(toAddress)) return
    const amount = formatAmount(quantityOf(fields['value'], 'value of a call'))
    transfers.push({ txHash, index, toAddress, currency: NATIVE_LABEL, amount })
  }
  if (isMovement(top) && CREATING.has(typeOf(top)) && !isFailed(top)) take(top, 0)
  // Not by recursion: a contract chooses how deep its calls are.
  const waiting: Frame[] = callsOf({ fields: top, isUndone: isFailed(top) })
  for (let frame = waiting.pop(); frame !== undefined; frame = waiting.pop()) {
    const { fields, isUndone } = frame
    if (isMovement(fields)) {
      if (!isUndone) take(fields, TRACE_INDEX_BASE + movements)
      movements += 1
    }
    for (const call of callsOf(frame)) waiting.push(call)
  }
  return transfers
}

/** The calls that a call makes, the last one first. */
function callsOf({ fields, isUndone }: Frame): Frame[] {
  const { calls } = fields
  if (calls === undefined || calls === null) return []
  const frames = listOf(calls, 'calls').map((each) => {
    const call = objectOf(each, 'a call')
    return { fields: call, isUndone: isUndone || isFailed(call) }
  })
  return frames.reverse()
}

/** Whether a call moves ether, if it succeeds. */
function isMovement(fields: Frame['fields']): boolean {
  const { value, from, to } = fields
  if (!MOVING.has(typeOf(fields)) || value === undefined || value === null) return false
  // What fails before it begins has no receiver.
  if (to === undefined || to === null) return false
  return (
    quantityOf(value, 'value of a call') > 0n && addressOf(from, 'from of a call') !== addressOf(to, 'to of a call')
  )
}

function typeOf({ type }: Frame['fields']): string {
  return textOf(type, TYPE, 'type of a call')
}

function isFailed({ error }: Frame['fields']): boolean {
  return error !== undefined && error !== null
}
