import type { PushedKeys } from './ledger-fact.js'

/**
 * Who spoke for an identity at which place of its history. The ledger lists every transaction that an identity took part
 * in, in one order (`txs`), and each of them was judged by the authorities that the ones before it had left. Places count
 * from 0, the onboarding; the authorities at a place are those that decided on the transaction there. So the order needs
 * no clock.
 *
 * Keys are compressed and in lower-case hex. Sets of them are sorted, so that equal ones have equal texts.
 */

/** Who spoke at the places from `from` to `to`, both included. */
export interface KeySpan {
  readonly from: number
  readonly to: number
  /** Keys that were authorities. */
  readonly certain: readonly string[]
  /** Keys that were, or may have been. All of `certain` are among them. */
  readonly possible: readonly string[]
}

/** What is remembered of the keys of an identity. */
export interface KeyHistory {
  /** In order, without overlaps. Places between them are not known. */
  readonly spans: readonly KeySpan[]
  /** How many transactions the identity had when its keys were last seen, and the last of them. */
  readonly length: number
  readonly head: string
}

/** What the store keeps of the keys of an identity. */
export interface IdentityKeys {
  readonly identity: string
  /** The keys that a gateway has pushed last; null when none has. */
  readonly pushed: readonly string[] | null
  readonly history: KeyHistory | null
}

/** Pushed keys as one text, as an export has them. */
export function keysText(pushed: readonly string[] | null): string | null {
  return pushed === null ? null : pushed.map((key) => `0x${key}`).join(',')
}

/** Keys of one identity that a gateway may push. */
export const PUSHED_KEYS_MAX = 16
/** Spans that are kept of an identity, the newest. */
export const SPANS_MAX = 256

/** Sorted, each key once. */
export function keySet(keys: Iterable<string>): readonly string[] {
  return [...new Set(keys)].sort()
}

export function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i])
}

/** Whether keys that a gateway pushes for an identity replace those that it has pushed before; null when it has pushed none. */
export function replacesPushedKeys(
  before: readonly string[] | null,
  { keys, keepsKeys }: Pick<PushedKeys, 'keys' | 'keepsKeys'>,
): boolean {
  return before === null || (keepsKeys !== true && !isSameSet(before, keys))
}

/** Whether a history can be one: its spans lie one behind the other, and what is certain is possible. */
export function isWellFormed({ spans, length }: KeyHistory): boolean {
  return spans.every(({ from, to, certain, possible }, i) => {
    const isInOrder = (spans[i - 1]?.to ?? 0) < from && from <= to && to <= length
    return isInOrder && certain.every((key) => possible.includes(key))
  })
}

/** The span of a place; undefined when nothing is known of it. */
export function spanAt(spans: readonly KeySpan[], place: number): KeySpan | undefined {
  return spans.find(({ from, to }) => from <= place && place <= to)
}

/** Adds spans in order where nothing was known before, and keeps what was. */
export function withSpans(known: readonly KeySpan[], added: readonly KeySpan[]): readonly KeySpan[] {
  const free = added.flatMap((span) => cutOut(span, known))
  const merged: KeySpan[] = []
  for (const span of [...known, ...free].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last !== undefined && last.to + 1 === span.from && isSameSpan(last, span)) {
      merged[merged.length - 1] = { ...last, to: span.to }
    } else merged.push(span)
  }
  return merged
}

/** The spans that are kept. */
export function newestSpans(spans: readonly KeySpan[]): readonly KeySpan[] {
  return spans.slice(-SPANS_MAX)
}

/** The parts of a span that no known one has. */
function cutOut(span: KeySpan, known: readonly KeySpan[]): readonly KeySpan[] {
  let rest: readonly KeySpan[] = [span]
  for (const { from, to } of known) {
    rest = rest.flatMap((part) => [
      ...(part.from < from ? [{ ...part, to: Math.min(part.to, from - 1) }] : []),
      ...(part.to > to ? [{ ...part, from: Math.max(part.from, to + 1) }] : []),
    ])
  }
  return rest
}

function isSameSpan(a: KeySpan, b: KeySpan): boolean {
  return isSameSet(a.certain, b.certain) && isSameSet(a.possible, b.possible)
}

export function exactSpan(from: number, to: number, keys: readonly string[]): KeySpan {
  return { from, to, certain: keys, possible: keys }
}

export function isExact({ certain, possible }: KeySpan): boolean {
  return isSameSet(certain, possible)
}

/**
 * What is to be made of a transaction at a place, by the keys that have signed it. `open`: what is known does not decide
 * it. It counts only with keys that were certainly authorities then, and is rejected only with one that certainly was none.
 */
export function standingOfSigners(span: KeySpan, signers: readonly string[]): 'counts' | 'rejected' | 'open' {
  if (signers.length === 0) return 'rejected'
  if (signers.every((key) => span.certain.includes(key))) return 'counts'
  return signers.every((key) => span.possible.includes(key)) ? 'open' : 'rejected'
}
