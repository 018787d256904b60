import { exactSpan, isSameSet, type KeySpan, keySet } from './key-history.js'

/*
 * What is to be made of a part of an identity's history in which its keys may have been replaced.
 */

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

/** Possible sets of authorities at one place that are told apart; beyond, nothing is explained. */
export const STATES_MAX = 64

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
