/** A node's answer, of which every part may be missing or of another kind. */
export interface NodeAnswer {
  readonly $summary?: unknown
  readonly $streams?: unknown
}

/** The stream that a transaction is to create or to change. */
export interface ExpectedStream {
  readonly list: 'new' | 'updated'
  readonly id: string
}

/** What an answer says about a transaction. `told` is its reason, for people. */
export type LedgerVerdict =
  | { readonly kind: 'committed' }
  /** Nothing happened, because another transaction of a stream is in progress. */
  | { readonly kind: 'busy'; readonly told: string }
  /**
   * Nothing happened now. `byContract`: the contract refused it, which it also does when an earlier post of the same transaction
   * has taken effect.
   */
  | { readonly kind: 'rejected'; readonly told: string; readonly byContract: boolean }
  | { readonly kind: 'unknown'; readonly told: string }

/** How errors begin. Nodes append an id to most of them. */
const EXISTS = 'Deterministic Stream Name Exists'
const UNSAVED = 'Failed to save'
const CONTRACT = 'Vote Failure'
const BUSY = [
  'Busy Locks',
  'Input Stream Position Incorrect',
  'Output Stream Position Incorrect',
  // What a node says while another one goes down.
  'Error: 3x Right Knock Error',
]

/**
 * Judges an answer. What is committed is committed, whatever single nodes complain of; only `Failed to save` takes it back, and
 * then another transaction may have done the same.
 */
export function verdictOf(answer: NodeAnswer, { list, id }: ExpectedStream): LedgerVerdict {
  const errors = errorsOf(answer)
  const begins = (...texts: readonly string[]) => errors.find((error) => texts.some((text) => error.startsWith(text)))
  const unsaved = begins(UNSAVED)
  if (unsaved !== undefined) return { kind: 'unknown', told: unsaved }
  const changed = idsOf(answer, list)
  if (isCommitted(answer)) {
    if (changed.includes(id)) return { kind: 'committed' }
    const told = errors[0] ?? 'it changed another stream than the expected one'
    return changed.length > 0 ? { kind: 'rejected', told, byContract: false } : { kind: 'unknown', told }
  }
  // An identity that exists is a success, also when another call onboarded it (specification, Onboarding rules 3).
  if (list === 'new' && begins(EXISTS) !== undefined) return { kind: 'committed' }
  const busy = begins(...BUSY)
  if (busy !== undefined) return { kind: 'busy', told: busy }
  const [told] = errors
  if (told === undefined) return { kind: 'unknown', told: 'it was not committed' }
  const refusal = begins(CONTRACT)
  return { kind: 'rejected', told: refusal ?? told, byContract: refusal !== undefined }
}

function isCommitted({ $summary }: NodeAnswer): boolean {
  const { commit } = fieldsOf($summary)
  return typeof commit === 'number' && commit > 0
}

function errorsOf({ $summary }: NodeAnswer): readonly string[] {
  const { errors } = fieldsOf($summary)
  if (errors === undefined || errors === null) return []
  return (Array.isArray(errors) ? errors : [errors]).map(String)
}

function idsOf({ $streams }: NodeAnswer, list: ExpectedStream['list']): readonly unknown[] {
  const streams = fieldsOf($streams)[list]
  return Array.isArray(streams) ? streams.map((stream: unknown) => fieldsOf(stream)['id']) : []
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
