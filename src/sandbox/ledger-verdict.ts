import { randomUUID } from 'node:crypto'

/** What a node answers over HTTP: nearly everything, failures included, with 200. */
export interface LedgerAnswer {
  readonly status: 200 | 500
  /** To be sent as JSON. */
  readonly value: unknown
}

interface StreamChange {
  readonly id: string
  readonly name: string
}

/**
 * How a transaction ended. `isEarly`: before the nodes looked at its signatures, which a node answers in another shape.
 * `vote`: the nodes that were for it.
 */
export type Verdict =
  | { readonly kind: 'committed'; readonly created: readonly StreamChange[]; readonly updated: readonly StreamChange[] }
  | { readonly kind: 'failed'; readonly error: string; readonly isEarly: boolean; readonly vote: 0 | 1 }
  /** The nodes agreed, and it was not kept. It is listed all the same. */
  | { readonly kind: 'unsaved' }

/** In the shape in which a node tells it. */
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

/** Every node ends an error with an id of its own: clients tell errors by how they begin. */
function suffixed(error: string): string {
  return `${error} - Error ${randomUUID()}`
}

/** A refusal before anything of the transaction was looked at but its time and its streams. */
export function failEarly(error: string): Verdict {
  return { kind: 'failed', error, isEarly: true, vote: 0 }
}

/** A refusal by a node, before or after a contract saw the transaction. */
export function failLate(error: string, vote: 0 | 1 = 0): Verdict {
  return { kind: 'failed', error, isEarly: false, vote }
}

/** A contract's own refusal, in the words in which a node wraps it. */
export function failVote(reason: string): Verdict {
  return failLate(`Vote Failure - ${JSON.stringify(reason)}`)
}
