import { randomUUID } from 'node:crypto'

/** A node's HTTP answer. Nearly everything, failures included, has status 200. */
export interface LedgerAnswer {
  readonly status: 200 | 500
  /** Sent as JSON. */
  readonly value: unknown
}

interface StreamChange {
  readonly id: string
  readonly name: string
}

/**
 * How a transaction ended. `isEarly`: before its signatures were checked, which has another answer shape. `vote`: the nodes
 * in favour.
 */
export type Verdict =
  | { readonly kind: 'committed'; readonly created: readonly StreamChange[]; readonly updated: readonly StreamChange[] }
  | { readonly kind: 'failed'; readonly error: string; readonly isEarly: boolean; readonly vote: 0 | 1 }
  /** The nodes agreed, and it was not saved. It is listed all the same. */
  | { readonly kind: 'unsaved' }

/** The verdict in the shape of a node's answer. */
export function answerOf(umid: string, verdict: Verdict): LedgerAnswer {
  if (verdict.kind === 'committed') {
    const $streams = { new: verdict.created, updated: verdict.updated }
    return { status: 200, value: { $umid: umid, $summary: { total: 1, vote: 1, commit: 1 }, $streams } }
  }
  if (verdict.kind === 'unsaved') {
    return {
      status: 200,
      value: { $umid: umid, $summary: { total: 1, vote: 1, commit: 1, errors: [suffixed('Failed to save')] } },
    }
  }
  const { isEarly, error, vote } = verdict
  const $summary = { total: 1, vote, commit: 0, errors: [isEarly ? error : suffixed(error)] }
  if (!isEarly) return { status: 200, value: { $umid: umid, $summary } }
  return { status: 200, value: { $umid: '', $summary, $streams: { new: [], updated: [] } } }
}

/** Nodes end an error with an id of its own, so clients recognise errors by their beginning. */
function suffixed(error: string): string {
  return `${error} - Error ${randomUUID()}`
}

/** A refusal before anything but the transaction's time and streams was checked. */
export function failEarly(error: string): Verdict {
  return { kind: 'failed', error, isEarly: true, vote: 0 }
}

/** A refusal by a node, before or after a contract ran. */
export function failLate(error: string, vote: 0 | 1 = 0): Verdict {
  return { kind: 'failed', error, isEarly: false, vote }
}

/** A contract's refusal, as a node words it. */
export function failVote(reason: string): Verdict {
  return failLate(`Vote Failure - ${JSON.stringify(reason)}`)
}
