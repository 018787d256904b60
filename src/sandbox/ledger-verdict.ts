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

/** How a transaction ended. `early`: before a contract saw it, which a node answers in another shape. */
export type Verdict =
  | { readonly kind: 'committed'; readonly created: readonly StreamChange[]; readonly updated: readonly StreamChange[] }
  | { readonly kind: 'failed'; readonly error: string; readonly isEarly: boolean }
  /** The nodes agreed, and this one could not keep it. */
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
      value: { $umid: umid, $summary: { total: 1, vote: 1, commit: 1, errors: ['Failed to save'] } },
    }
  }
  const $summary = { total: 1, vote: 0, commit: 0, errors: [verdict.error] }
  if (!verdict.isEarly) return { status: 200, value: { $umid: umid, $summary } }
  return { status: 200, value: { $umid: '', $summary, $streams: { new: [], updated: [] } } }
}

/** A refusal before a contract saw the transaction. */
export function failEarly(error: string): Verdict {
  return { kind: 'failed', error, isEarly: true }
}

/** A contract's own refusal, in the words in which a node wraps it. */
export function failVote(reason: string): Verdict {
  return { kind: 'failed', error: `Vote Failure - ${JSON.stringify(reason)}`, isEarly: false }
}
