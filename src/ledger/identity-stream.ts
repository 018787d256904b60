import { createHash } from 'node:crypto'
import { isObject } from '../base/json-object.js'
import { isSameSet, keySet } from '../domain/key-history.js'
import { canonicalKey } from './named-keys.js'

/** What a node tells of an identity (`/api/stream/<identity>:stream`). Keys are compressed and in lower-case hex. */
export interface IdentityStream {
  /** The keys that nodes verify its next transaction with. Those of another type than secp256k1 are left out. */
  readonly authorities: readonly string[]
  /** The key that it was onboarded with; null when its id is not that key's. */
  readonly onboarding: string | null
  /** Every transaction that it took part in, oldest first; null when the node does not tell. */
  readonly txs: readonly string[] | null
}

const UMID = /^[0-9a-f]{64}$/

/** Null for what is no such stream, or tells no authorities. */
export function readIdentityStream(identity: string, value: unknown): IdentityStream | null {
  if (!isObject(value)) return null
  const { authorities, public: only, umid, name, txs } = value
  const texts = Array.isArray(authorities)
    ? authorities.map((one: unknown) => (isObject(one) ? one['public'] : null))
    : [only]
  if (!Array.isArray(authorities) && typeof only !== 'string') return null
  const keys = texts.map((text) => (typeof text === 'string' ? canonicalKey(text) : null))
  const isOnboarded = createHash('sha256').update(`${umid}${name}`).digest('hex') === identity
  return {
    authorities: keySet(keys.filter((key) => key !== null)),
    onboarding: isOnboarded && typeof umid === 'string' ? canonicalKey(umid) : null,
    txs: Array.isArray(txs) && txs.every((one: unknown) => typeof one === 'string' && UMID.test(one)) ? txs : null,
  }
}

/**
 * Whether signed transactions lead from the authorities at a place to those that a stream has at its end; null when that
 * cannot be told now.
 */
export type ExplainTail = (before: readonly string[], from: number, stream: IdentityStream) => Promise<boolean | null>

/**
 * What several nodes tell together; null when they contradict each other and nothing decides. A node may lag behind, and
 * then still tells a key that was replaced. It may also tell what is not so. In this order:
 *
 * 1. All tell the same authorities.
 * 2. The longest history, when transactions that the keys before have signed lead to its authorities. A node that lags
 *    behind has a shorter one, and one that makes something up cannot sign it.
 * 3. What most nodes tell.
 * 4. The longest of those that signed transactions explain from the onboarding on, unless the longest history of all could
 *    not be read: the others may lag behind it.
 */
export async function agreedStream(
  streams: readonly IdentityStream[],
  isTailExplained: ExplainTail,
): Promise<IdentityStream | null> {
  const sorted = streams.toSorted((a, b) => lengthOf(b) - lengthOf(a))
  const [longest] = sorted
  if (longest === undefined) return null
  if (sorted.every(({ authorities }) => isSameSet(authorities, longest.authorities))) return longest
  const isSigned = (stream: IdentityStream) => isExplained(stream, sorted, isTailExplained)
  const isLongestSigned = await isSigned(longest)
  if (isLongestSigned === true) return longest
  const most = sorted.find(({ authorities }) => {
    return sorted.filter((other) => isSameSet(other.authorities, authorities)).length * 2 > sorted.length
  })
  if (most !== undefined) return most
  if (isLongestSigned === null) return null
  for (const stream of sorted.slice(1)) if ((await isSigned(stream)) === true) return stream
  return null
}

function lengthOf({ txs }: IdentityStream): number {
  return txs?.length ?? 0
}

function isExplained(
  stream: IdentityStream,
  all: readonly IdentityStream[],
  isTailExplained: ExplainTail,
): Promise<boolean | null> | boolean {
  const { txs, onboarding } = stream
  if (txs === null) return false
  const behind = all.find((other) => {
    return other.txs !== null && other.txs.length < txs.length && other.txs.every((umid, i) => umid === txs[i])
  })
  if (behind !== undefined) return isTailExplained(behind.authorities, lengthOf(behind), stream)
  return onboarding !== null && isTailExplained([onboarding], 1, stream)
}
