import { createHash } from 'node:crypto'
import { isObject } from '../base/json-object.js'
import { isSameSet, keySet } from '../domain/key-history.js'
import { KEYS_TRIED_MAX } from './ledger-signature.js'
import { canonicalKey } from './named-keys.js'
import { readTxs } from './stream-changes.js'

/** What a node tells of an identity (`/api/stream/<identity>:stream`). Keys are compressed and in lower-case hex. */
export interface IdentityStream {
  /** The keys that nodes verify its next transaction with. Those of another type than secp256k1 are left out. */
  readonly authorities: readonly string[]
  /** The key that it was onboarded with; null when its id is not that key's. */
  readonly onboarding: string | null
  /** Every transaction that it took part in, oldest first; null when the node does not tell. */
  readonly txs: readonly string[] | null
}

/** A stream with more authorities is not believed: no contract of an operator makes one, and all are kept in memory. */
export const AUTHORITIES_MAX = KEYS_TRIED_MAX

/** Null for what is no such stream, or tells no authorities. */
export function readIdentityStream(identity: string, value: unknown): IdentityStream | null {
  if (!isObject(value)) return null
  const { authorities, public: only, umid, name, txs } = value
  if (Array.isArray(authorities) && authorities.length > AUTHORITIES_MAX) return null
  const texts = Array.isArray(authorities)
    ? authorities.map((one: unknown) => (isObject(one) ? one['public'] : null))
    : [only]
  if (!Array.isArray(authorities) && typeof only !== 'string') return null
  const keys = texts.map((text) => (typeof text === 'string' ? canonicalKey(text) : null))
  const isOnboarded = createHash('sha256').update(`${umid}${name}`).digest('hex') === identity
  return {
    authorities: keySet(keys.filter((key) => key !== null)),
    onboarding: isOnboarded && typeof umid === 'string' ? canonicalKey(umid) : null,
    txs: readTxs(txs),
  }
}

/**
 * Whether signed transactions lead from the authorities at a place to those that a stream has at its end; null when that
 * cannot be told now.
 */
export type ExplainTail = (before: readonly string[], from: number, stream: IdentityStream) => Promise<boolean | null>

/**
 * What several nodes tell together; null when they contradict each other and nothing decides. A node may lag behind, and
 * then still tells a key that was replaced. It may also tell what is not so, and somebody who has stolen a key that was
 * replaced can sign another history for it. In this order:
 *
 * 1. All tell the same authorities.
 * 2. The longest history, when it goes on where all others end, and transactions that the keys before have signed lead to
 *    its authorities. A node that lags behind has a shorter one, and one that makes something up cannot sign it.
 * 3. What most nodes tell, without those that lag behind a signed history.
 * 4. The longest of those that signed transactions explain, when they do not contradict each other, unless the longest
 *    history of all could not be read: the others may lag behind it.
 */
export async function agreedStream(
  streams: readonly IdentityStream[],
  isTailExplained: ExplainTail,
): Promise<IdentityStream | null> {
  const sorted = streams.toSorted((a, b) => lengthOf(b) - lengthOf(a))
  const [longest] = sorted
  if (longest === undefined) return null
  if (sorted.every(({ authorities }) => isSameSet(authorities, longest.authorities))) return longest
  const isSigned = new Map<IdentityStream, boolean | null>()
  for (const stream of sorted) isSigned.set(stream, await isExplained(stream, sorted, isTailExplained))
  if (isSigned.get(longest) === true && sorted.every((other) => goesOn(other, longest))) return longest
  const signed = sorted.filter((stream) => isSigned.get(stream) === true)
  const heads = sorted.filter((stream) => !signed.some((other) => lagsBehind(stream, other)))
  const most = heads.find(({ authorities }) => {
    return heads.filter((other) => isSameSet(other.authorities, authorities)).length * 2 > sorted.length
  })
  if (most !== undefined) return most
  if (isSigned.get(longest) === null) return null
  const [first, ...others] = heads.filter((stream) => signed.includes(stream))
  if (first === undefined) return null
  return others.every(({ authorities }) => isSameSet(authorities, first.authorities)) ? first : null
}

function lengthOf({ txs }: IdentityStream): number {
  return txs?.length ?? 0
}

/** Whether a history is the beginning of another, or all of it. One that is not told contradicts none. */
function goesOn({ txs }: IdentityStream, { txs: longer }: IdentityStream): boolean {
  return txs === null || (longer !== null && txs.every((umid, i) => umid === longer[i]))
}

function lagsBehind(stream: IdentityStream, other: IdentityStream): boolean {
  return stream.txs !== null && lengthOf(stream) < lengthOf(other) && goesOn(stream, other)
}

/** Whether signed transactions lead to a stream from the end of any that it goes on from, or from its onboarding. */
async function isExplained(
  stream: IdentityStream,
  all: readonly IdentityStream[],
  isTailExplained: ExplainTail,
): Promise<boolean | null> {
  const { txs, onboarding } = stream
  if (txs === null) return false
  const starts = all.filter((other) => lagsBehind(other, stream))
  let explained: boolean | null = false
  for (const { authorities, txs: before } of starts) {
    const answer = await isTailExplained(authorities, before?.length ?? 0, stream)
    if (answer === true) return true
    if (answer === null) explained = null
  }
  if (starts.length > 0 || onboarding === null) return explained
  return isTailExplained([onboarding], 1, stream)
}
