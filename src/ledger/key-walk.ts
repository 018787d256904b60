import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { KeyChange, KeyGap } from '../domain/key-gap.js'
import { keySet } from '../domain/key-history.js'
import { type FollowedContract, standingOf } from './followed-contracts.js'
import { KEYS_TRIED_MAX, signersOf } from './ledger-signature.js'
import { readTransaction } from './ledger-transaction.js'
import { keysNamedIn } from './named-keys.js'

/** A transaction of an identity. `too-long`: it was not read. */
export type WalkedTransaction = Readonly<Record<string, unknown>> | 'too-long'

export interface KeyWalkParts {
  readonly identity: string
  /** The authorities at `from`; null when they are not known. */
  readonly before: readonly string[] | null
  readonly from: number
  /** Contracts of which it is known what they do. */
  readonly contracts: readonly FollowedContract[]
  readonly engine: Secp256k1Engine
}

/** Goes through the transactions of an identity, in order, and collects those that may have replaced its keys. */
export class KeyWalk {
  /** The place of the transaction that is taken next. */
  next: number
  /** Null when keys cannot be tried any more: there are too many. */
  private changes: KeyChange[] | null = []
  private opaque: KeyGap['opaque'] = null
  private hasNamed = false
  /** Keys that may have been authorities, up to one more than are tried. */
  private possible: readonly string[]

  constructor(private readonly parts: KeyWalkParts) {
    this.next = parts.from
    this.possible = parts.before ?? []
  }

  get from(): number {
    return this.parts.from
  }

  take(transaction: WalkedTransaction): void {
    const place = this.next
    this.next += 1
    const { identity, contracts, engine } = this.parts
    if (isInert(transaction, contracts)) return
    this.opaque = { first: this.opaque?.first ?? place, last: place }
    const named = transaction === 'too-long' ? [] : keysNamedIn(transaction['$tx'])
    this.hasNamed ||= named.length > 0 || transaction === 'too-long'
    if (named.length === 0 || transaction === 'too-long' || this.changes === null) return
    const signers = signersOf(transaction, identity, this.possible, engine)
    if (signers.length === 0) return
    this.changes.push({ place, named, signers, isReplacement: knowsReplacements(contracts) })
    this.possible = keySet([...this.possible, ...named]).slice(0, KEYS_TRIED_MAX + 1)
    if (this.possible.length > KEYS_TRIED_MAX) this.changes = null
  }

  /** The gap up to the next place, at which these keys are the authorities. */
  gapTo(after: readonly string[]): KeyGap {
    const { before, from } = this.parts
    const { changes, possible, opaque, hasNamed } = this
    return { before, from, after, to: this.next, changes, possible, opaque, hasNamed }
  }
}

/**
 * Whether a transaction certainly leaves the keys of its identity alone: it runs a contract that onboards or assigns, as
 * documented (one that names an entry point may do anything), or the contracts that replace keys are known and it runs
 * none of them.
 */
export function isInert(transaction: WalkedTransaction, contracts: readonly FollowedContract[]): boolean {
  if (transaction === 'too-long') return false
  const { namespace, contract, entry } = readTransaction(transaction) ?? {}
  const standing = standingOf(contracts, namespace, contract)
  if (standing.kind === 'followed') return standing.role !== 'replace' && entry === null
  return knowsReplacements(contracts) && standing.kind !== 'look-alike'
}

function knowsReplacements(contracts: readonly FollowedContract[]): boolean {
  return contracts.some(({ role }) => role === 'replace')
}
