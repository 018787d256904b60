import { randomUUID } from 'node:crypto'
import type { StreamName } from './ledger-contracts.js'

/** Id of an error that a node reports to others without one of its own. */
const OTHERS_ERROR_ID = 'Default Error Id'

export interface ChangedStreams {
  readonly new: readonly StreamName[]
  readonly updated: readonly StreamName[]
}

/** How a transaction ended. */
export type Verdict =
  /** Refused before its signatures were checked. */
  | { readonly kind: 'turned away'; readonly error: string }
  | {
      readonly kind: 'judged'
      /** Nodes that were asked. */
      readonly total: number
      /** Nodes in favour. */
      readonly vote: number
      /** Nodes that committed it. */
      readonly commit: number
      /** As a client reads them. */
      readonly errors: readonly string[]
      /** Null where the answer has none. */
      readonly streams: ChangedStreams | null
    }

/** A refusal before anything but the transaction's time and streams was checked. */
export function turnedAway(error: string): Verdict {
  return { kind: 'turned away', error }
}

/** A refusal by the node that was given the transaction, which asked no other. */
export function refusedAlone(error: string): Verdict {
  return { kind: 'judged', total: 1, vote: 0, commit: 0, errors: [error], streams: null }
}

/** Nodes end most errors with an id, so clients recognise errors by their beginning. */
export function withId(error: string): string {
  return `${error} - Error ${randomUUID()}`
}

/** An error that another node than the last one asked reports. */
export function withoutId(error: string): string {
  return `${error} - Error ${OTHERS_ERROR_ID}`
}

/** The verdict in the shape of a node's answer. */
export function answerTo(umid: string, verdict: Verdict) {
  if (verdict.kind === 'turned away') {
    const $summary = { total: 1, vote: 0, commit: 0, errors: [verdict.error] }
    return { $umid: '', $summary, $streams: { new: [], updated: [] } }
  }
  const { total, vote, commit, errors, streams } = verdict
  const $summary = { total, vote, commit, ...(errors.length > 0 ? { errors } : {}) }
  return { $umid: umid, $summary, ...(streams === null ? {} : { $streams: streams }) }
}
