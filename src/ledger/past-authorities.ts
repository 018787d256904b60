import { BoundedMap } from '../base/bounded-map.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { spansOfGap } from '../domain/key-gap.js'
import {
  exactSpan,
  isExact,
  isSameSet,
  type KeyHistory,
  type KeySpan,
  newestSpans,
  spanAt,
  standingOfSigners,
  withSpans,
} from '../domain/key-history.js'
import type { LedgerPort } from '../store/ledger.js'
import type { FollowedContract } from './followed-contracts.js'
import type { IdentityStream } from './identity-stream.js'
import { isInert, KeyWalk } from './key-walk.js'
import type { LedgerSource } from './ledger-nodes.js'
import { KEYS_TRIED_MAX, signersOf } from './ledger-signature.js'

/** Identities whose history is remembered in memory; a replaced key is on disk, too. */
const IDENTITIES_MAX = 10_000
/** Transactions behind one that are looked up first: usually none of them has replaced a key. */
const TAIL_MAX = 16
/** Transactions of identities that are looked up in one step of the follower, beside those that are listed. */
const WALKED_MAX = 1000
/** Of them, those of one identity: one with a long history must not keep the others waiting. */
export const WALKED_OF_ONE_MAX = 200
/** Of them, looked up in parallel. */
const WALKED_AT_ONCE = 8
/** The place of the first transaction behind an onboarding. */
const FIRST_PLACE = 1

/**
 * What is to be made of a transaction. `undecided`: what is known of the keys of its owner does not decide it now.
 * `unfinished`: the history of its owner is longer than one step reads; the next attempt goes on. `unasked`: it was stopped.
 */
export type PastVerdict = { readonly kind: 'counts' | 'rejected' } | Unjudged

/** Why there is no judgement now. */
type Unjudged =
  | { readonly kind: 'missing' | 'unfinished' | 'unasked' }
  | { readonly kind: 'undecided' | 'unclear'; readonly why: string }

export interface PastAuthoritiesParts {
  readonly source: Pick<LedgerSource, 'transaction' | 'streamOf'>
  readonly ledger: Pick<LedgerPort, 'keyHistory' | 'saveKeyHistory'>
  /** Contracts of which it is known what they do with keys. */
  readonly contracts: readonly FollowedContract[]
  readonly engine: Secp256k1Engine
  readonly isStopped: () => boolean
}

/** Look-ups that are left in one step. */
export class LookUpBudget {
  private left = WALKED_MAX
  private readonly spent = new Map<string, number>()

  /** Whether so many transactions of an identity may be looked up; takes them. */
  take(identity: string, count: number): boolean {
    const spent = (this.spent.get(identity) ?? 0) + count
    if (count > this.left || spent > WALKED_OF_ONE_MAX) return false
    this.left -= count
    this.spent.set(identity, spent)
    return true
  }
}

/** An identity's transaction with its signatures. */
interface SignedTransaction {
  readonly umid: string
  readonly committed: Readonly<Record<string, unknown>>
}

type Extended = { readonly kind: 'done'; readonly spans: readonly KeySpan[] } | Unjudged

/** Tells whether a transaction was signed by a key that was an authority of its owner at its time. */
export class PastAuthorities {
  private readonly histories = new BoundedMap<string, KeyHistory>(IDENTITIES_MAX)
  /** Histories that are being read, by identity. */
  private readonly walks = new BoundedMap<string, KeyWalk>(IDENTITIES_MAX)
  /** The last judgement of each identity that is under way: one follows the other, so that the history is read once. */
  private readonly turns = new Map<string, Promise<unknown>>()

  constructor(private readonly parts: PastAuthoritiesParts) {}

  /** The transaction is one of a contract that leaves keys alone, so it changed none itself. */
  judge(identity: string, transaction: SignedTransaction, budget: LookUpBudget): Promise<PastVerdict> {
    const before = this.turns.get(identity) ?? Promise.resolve()
    const turn = before.then(
      () => this.judgeNow(identity, transaction, budget),
      () => this.judgeNow(identity, transaction, budget),
    )
    this.turns.set(identity, turn)
    return turn.finally(() => {
      if (this.turns.get(identity) === turn) this.turns.delete(identity)
    })
  }

  private async judgeNow(identity: string, transaction: SignedTransaction, budget: LookUpBudget): Promise<PastVerdict> {
    const answer = await this.parts.source.streamOf(identity)
    if (answer.kind !== 'found') return answer
    const stream = answer.value
    const { txs } = stream
    const known = await this.historyOf(identity)
    if (txs === null) return this.judgeByPresent(identity, transaction, stream, known)
    const place = txs.indexOf(transaction.umid)
    if (place < FIRST_PLACE) return undecided('no node has it among the transactions of its owner yet')
    if (known !== undefined && txs[known.length - 1] !== known.head) {
      return undecided('the nodes tell an older history of its owner than before')
    }
    const seen = withSpans(known?.spans ?? [], firstSeen(stream, txs.length))
    const extended = await this.extend(identity, { txs, place, seen }, budget)
    const spans = extended.kind === 'done' ? extended.spans : seen
    const [head = ''] = txs.slice(-1)
    await this.remember(identity, { spans: newestSpans(spans), length: txs.length, head }, { known, stream })
    if (extended.kind !== 'done') return extended
    const span = spanAt(spans, place)
    if (span === undefined) throw new Error('a place of a history that was read has no keys')
    return this.verdictOf(identity, transaction, span)
  }

  /** The judgement by nodes that do not tell the transactions of an identity, and so no order. */
  private judgeByPresent(
    identity: string,
    { committed }: SignedTransaction,
    { authorities, onboarding }: IdentityStream,
    known: KeyHistory | undefined,
  ): PastVerdict {
    const why = 'the nodes do not tell the transactions of its owner, whose keys were replaced'
    if (known !== undefined) return undecided(why)
    if (signersOf(committed, identity, authorities, this.parts.engine).length > 0) return { kind: 'counts' }
    const first = onboarding === null ? [] : [onboarding]
    return signersOf(committed, identity, first, this.parts.engine).length > 0 ? undecided(why) : { kind: 'rejected' }
  }

  private verdictOf(identity: string, { committed }: SignedTransaction, span: KeySpan): PastVerdict {
    // Only some are tried, and those decide.
    const keys = [...new Set([...span.certain, ...span.possible])]
    const signers = signersOf(committed, identity, keys, this.parts.engine)
    if (signers.length === 0 && keys.length > KEYS_TRIED_MAX)
      return undecided('its owner has named more keys than are tried')
    const standing = standingOfSigners(span, signers)
    return standing === 'open' ? undecided('its key was replaced, and it is not known when') : { kind: standing }
  }

  /** The spans with one that has the place. */
  private async extend(
    identity: string,
    {
      txs,
      place,
      seen,
    }: { readonly txs: readonly string[]; readonly place: number; readonly seen: readonly KeySpan[] },
    budget: LookUpBudget,
  ): Promise<Extended> {
    if (spanAt(seen, place) !== undefined) return { kind: 'done', spans: seen }
    const exact = seen.filter(isExact)
    const { from: to, certain: after } = firstBehind(exact, place)
    if (to - 1 - place <= TAIL_MAX) {
      const tail = await this.isLeftAlone(identity, txs.slice(place + 1, to), budget)
      if (tail === true) return { kind: 'done', spans: withSpans(seen, [exactSpan(place, to, after)]) }
      if (tail !== false) return tail
    }
    const start = exact.findLast((span) => span.to < place)
    const walk = this.walkFrom(identity, start?.to ?? FIRST_PLACE, start?.certain ?? null)
    // What became known while the history was read may begin before the place that the walk has reached.
    const end = firstBehind(
      exact.filter((span) => span.to >= walk.next),
      place,
    )
    while (walk.next < end.from) {
      if (this.parts.isStopped()) return { kind: 'unasked' }
      const umids = txs.slice(walk.next, Math.min(end.from, walk.next + WALKED_AT_ONCE))
      if (!budget.take(identity, umids.length)) return { kind: 'unfinished' }
      for (const one of await Promise.all(umids.map((umid) => this.parts.source.transaction(umid)))) {
        if (one.kind === 'missing' || one.kind === 'unclear') return UNTOLD
        walk.take(one.kind === 'found' ? one.value : 'too-long')
      }
    }
    this.walks.delete(identity)
    return { kind: 'done', spans: withSpans(seen, spansOfGap(walk.gapTo(end.certain))) }
  }

  /** Whether all of these transactions are of contracts that leave keys alone. */
  private async isLeftAlone(
    identity: string,
    umids: readonly string[],
    budget: LookUpBudget,
  ): Promise<boolean | Unjudged> {
    if (!budget.take(identity, umids.length)) return { kind: 'unfinished' }
    for (const umid of umids) {
      if (this.parts.isStopped()) return { kind: 'unasked' }
      const one = await this.parts.source.transaction(umid)
      if (one.kind === 'missing' || one.kind === 'unclear') return UNTOLD
      if (!isInert(one.kind === 'found' ? one.value : 'too-long', this.parts.contracts)) return false
    }
    return true
  }

  /** The walk from a place on, which may have been begun before. */
  private walkFrom(identity: string, from: number, before: readonly string[] | null): KeyWalk {
    const begun = this.walks.get(identity)
    if (begun?.from === from) return begun
    const { contracts, engine } = this.parts
    const walk = new KeyWalk({ identity, before, from, contracts, engine })
    this.walks.set(identity, walk)
    return walk
  }

  private async historyOf(identity: string): Promise<KeyHistory | undefined> {
    const kept = this.histories.get(identity)
    if (kept !== undefined) return kept
    const stored = (await this.parts.ledger.keyHistory(identity)) ?? undefined
    if (stored !== undefined) this.histories.set(identity, stored)
    return stored
  }

  /** On disk as soon as other keys were seen than the one of the onboarding: the ledger tells that one at any time. */
  private async remember(
    identity: string,
    history: KeyHistory,
    { known, stream }: { readonly known: KeyHistory | undefined; readonly stream: IdentityStream },
  ): Promise<void> {
    if (known !== undefined && JSON.stringify(known.spans) === JSON.stringify(history.spans)) return
    this.histories.set(identity, history)
    const onboarding = stream.onboarding === null ? [] : [stream.onboarding]
    const isPlain = history.spans.every(({ possible }) => isSameSet(possible, onboarding))
    if (!isPlain) await this.parts.ledger.saveKeyHistory(identity, history)
  }
}

/** The first of some spans that begins behind a place. */
function firstBehind(spans: readonly KeySpan[], place: number): KeySpan {
  const behind = spans.find(({ from }) => from > place)
  if (behind === undefined) throw new Error('the authorities at the end of a history are known')
  return behind
}

/** Nodes answer, but not about a transaction of its owner: it may hide a replacement. */
const UNTOLD: Unjudged = { kind: 'undecided', why: 'no node returns one of the transactions of its owner' }

/** What a stream tells by itself: the authorities at its end, and the key of its onboarding at the beginning. */
function firstSeen({ authorities, onboarding }: IdentityStream, length: number): readonly KeySpan[] {
  const end = exactSpan(length, length, authorities)
  if (onboarding === null || length <= FIRST_PLACE) return [end]
  return [exactSpan(FIRST_PLACE, FIRST_PLACE, [onboarding]), end]
}

function undecided(why: string): Unjudged {
  return { kind: 'undecided', why }
}
