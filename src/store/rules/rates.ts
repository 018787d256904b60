import { judgeRates, type RateTable, type RateTerms, type RateVerdict, withReceipt } from '../../domain/rates.js'
import type { GivenRates } from '../rates.js'
import type { Awaitable } from '../reading.js'
import type { Asking } from './asking.js'
import { askBoth } from './together.js'

/** What an engine does for rates, inside a transaction. */
export interface RateWork {
  readClock(): Awaitable<number>
  /** All that is known of rates, which nobody else changes until the commit. */
  table(): Awaitable<RateTable>
  put(table: RateTable): void
}

/** Judges what a source gave by what is known, and keeps both: the rates, and what became of it. */
export function* takeRates(work: RateWork, given: GivenRates, terms: RateTerms): Asking<RateVerdict> {
  const [before, nowMs] = yield* askBoth(work.table(), work.readClock())
  const receipt = { receivedAt: nowMs, origin: given.origin, at: null, held: 0, leftOut: 0 }
  if ('refusal' in given) {
    work.put(withReceipt(before, { ...receipt, refusal: given.refusal }))
    return { kind: 'refused', refusal: given.refusal }
  }
  const { set } = given
  const { table, verdict } = judgeRates(before, set, terms, nowMs)
  const of = { ...receipt, at: set.at }
  switch (verdict.kind) {
    case 'repeated':
      break
    case 'refused':
      work.put(withReceipt(table, { ...of, refusal: verdict.refusal }))
      break
    case 'accepted':
      work.put(withReceipt(table, { ...of, refusal: null, held: verdict.held.length, leftOut: verdict.leftOut.length }))
      break
  }
  return verdict
}
