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

/** A transaction that may have replaced keys: it names keys, and keys of the identity have signed it. */
export interface KeyChange {
  readonly place: number
  readonly named: readonly string[]
  readonly signers: readonly string[]
  /** Whether its contract is known to replace keys: it does not only mention them. */
  readonly isReplacement: boolean
}

/** What is known of the places from `from` to `to`. */
export interface KeyGap {
  /** The authorities at `from`; null when they are not known. */
  readonly before: readonly string[] | null
  readonly from: number
  /** The authorities at `to`. */
  readonly after: readonly string[]
  readonly to: number
  /** In order, at `from` or later and before `to`. Null when more keys were named than can be tried. */
  readonly changes: readonly KeyChange[] | null
  /** Keys that may have been authorities before `to`: those at `from`, and those that changes name. */
  readonly possible: readonly string[]
  /** The first and the last transaction there of a contract that is not known to leave keys alone; null for none. */
  readonly opaque: { readonly first: number; readonly last: number } | null
  /** Whether one of them names keys; its signers do not matter. */
  readonly hasNamed: boolean
}

/** Keys of one identity that a gateway may push. */
export const PUSHED_KEYS_MAX = 16
/** Possible sets of authorities at one place that are told apart; beyond, nothing is explained. */
export const STATES_MAX = 64
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

/**
 * Who spoke at each place of a gap. Every way in which the changes lead from the authorities before it to those after it
 * is followed: each change may have replaced the keys by those that it names, or have left them alone. What all ways
 * agree on is certain. A change whose signers were no authorities on a way changes nothing on it, so nothing that only
 * stands in `$sigs` is believed.
 *
 * The nearest way has to agree even if it leads elsewhere: on it every change counts that names a key which turns out to be
 * an authority, because it has signed a later change or is one at the end. Somebody who has a key that was replaced, and
 * gets a node to replace the keys once more without a signature, could else have it look as if the first replacement had
 * never been. What only the straight way has, on which every signed change counts, is possible when it leads elsewhere.
 *
 * When no way leads there (the keys were replaced in a manner that the transactions do not show), only what both sides
 * have is certain between the first and the last transaction that may have done it.
 */
export function spansOfGap(gap: KeyGap): readonly KeySpan[] {
  const { before, from, after, to, changes } = gap
  const ways = before === null || changes === null ? null : anyWays(before, after, changes)
  if (before === null || changes === null || ways === null) return unexplained(gap)
  const nearest = wayOf(before, changes, (key, i) => isLaterSigner(changes, key, i) || after.includes(key))
  const straight = wayOf(before, changes, () => true)
  return ways.map((sets, i) => {
    // At the end there is no doubt: those authorities were seen.
    const isEnd = i === changes.length
    const agreed = isEnd ? sets : [...sets, nearest[i] ?? []]
    return {
      from: i === 0 ? from : (changes[i - 1]?.place ?? from) + 1,
      to: changes[i]?.place ?? to,
      certain: agreed.reduce((all, set) => all.filter((key) => set.includes(key))),
      possible: keySet([
        ...agreed.flat(),
        ...(isEnd || isSameSet(straight.at(-1) ?? [], after) ? [] : (straight[i] ?? [])),
      ]),
    }
  })
}

/** Whether signed changes lead from one set of authorities to another. */
export function isExplained(
  before: readonly string[],
  after: readonly string[],
  changes: readonly KeyChange[],
): boolean {
  return anyWays(before, after, changes) !== null
}

function anyWays(before: readonly string[], after: readonly string[], changes: readonly KeyChange[]) {
  return waysOf(before, after, changes, 'replace') ?? waysOf(before, after, changes, 'edit')
}

/** Sets of authorities that one place may have had. */
type KeySets = readonly (readonly string[])[]

/** The sets of authorities before the first change and behind each one, if each change that counts replaces them. */
function wayOf(
  before: readonly string[],
  changes: readonly KeyChange[],
  counts: (key: string, change: number) => boolean,
): KeySets {
  const way = [before]
  for (const [i, { named, signers }] of changes.entries()) {
    const set = way.at(-1) ?? []
    const isTheirs = signers.length > 0 && signers.every((key) => set.includes(key))
    const counting = named.filter((key) => counts(key, i))
    way.push(isTheirs && counting.length > 0 ? keySet(counting) : set)
  }
  return way
}

function isLaterSigner(changes: readonly KeyChange[], key: string, behind: number): boolean {
  return changes.slice(behind + 1).some(({ signers }) => signers.includes(key))
}

/** `replace`: a change puts keys that it names in the place of all. `edit`: it may also add, remove or exchange one. */
type Manner = 'replace' | 'edit'

/** The sets of authorities before the first change and behind each one, on all ways from `before` to `after`. */
function waysOf(
  before: readonly string[],
  after: readonly string[],
  changes: readonly KeyChange[],
  manner: Manner,
): readonly KeySets[] | null {
  const levels: ReadonlyMap<string, readonly string[]>[] = [new Map([[before.join(), before]])]
  for (const change of changes) {
    const next = new Map<string, readonly string[]>()
    for (const set of levels.at(-1)?.values() ?? []) {
      for (const result of resultsOf(set, change, manner)) next.set(result.join(), result)
    }
    if (next.size > STATES_MAX) return null
    levels.push(next)
  }
  if (!levels.at(-1)?.has(after.join())) return null
  const ways: KeySets[] = [[after]]
  for (const [i, change] of [...changes.entries()].reverse()) {
    const goals = new Set(ways[0]?.map((set) => set.join()))
    const sets = [...(levels[i]?.values() ?? [])]
    ways.unshift(sets.filter((set) => resultsOf(set, change, manner).some((result) => goals.has(result.join()))))
  }
  return ways
}

/** What a change can have made of a set of authorities. */
function resultsOf(set: readonly string[], { named, signers, isReplacement }: KeyChange, manner: Manner): KeySets {
  const isTheirs = signers.length > 0 && signers.every((key) => set.includes(key))
  if (!isTheirs) return [set]
  const added = named.filter((key) => !set.includes(key))
  const results: (readonly string[])[] = [
    ...(isReplacement ? [] : [set]),
    keySet(named),
    added,
    ...named.map((key) => [key]),
  ]
  if (manner === 'edit') {
    const rest = set.filter((key) => !named.includes(key))
    results.push(rest, keySet([...set, ...added]), keySet([...rest, ...added]))
    for (const key of added) {
      results.push(keySet([...set, key]))
      for (const old of set) results.push(keySet([...set.filter((one) => one !== old), key]))
    }
  }
  return results.filter((result) => result.length > 0)
}

function unexplained({ before, from, after, to, possible, opaque, hasNamed }: KeyGap): readonly KeySpan[] {
  // Authorities that nothing can have changed were the same before.
  if (before === null && !hasNamed) return [exactSpan(from, to, after)]
  const first = before === null ? from - 1 : (opaque?.first ?? from)
  const last = opaque?.last ?? to - 1
  const open: KeySpan = {
    from: first + 1,
    to: last,
    certain: before === null ? [] : before.filter((key) => after.includes(key)),
    possible: keySet([...possible, ...after]),
  }
  const spans = [open, exactSpan(last + 1, to, after)]
  if (before !== null) spans.unshift(exactSpan(from, first, before))
  return spans.filter((span) => span.from <= span.to)
}
