import type { LedgerFact } from '../domain/ledger-fact.js'
import { recognise } from './facts-of-transaction.js'
import type { FollowedContracts } from './followed-contracts.js'
import type { LedgerSource } from './ledger-source.js'

/** Transactions that are looked up at once. */
const LOOKUPS_MAX = 8

/** What a committed transaction tells the service: a fact, nothing, or nothing although it should, and why. */
export type Told =
  | { readonly kind: 'fact'; readonly fact: LedgerFact }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'neighbour'; readonly contract: string }
  | { readonly kind: 'skipped'; readonly flaw: string }

/** A transaction that cannot be looked up now holds up the ones behind it. */
export type LookedUpAll = { readonly told: readonly Told[]; readonly held: { readonly why: string } | null }

/**
 * Looks up transactions, a few at once, and judges them. `told` is for the first of `umids` up to the one that could not
 * be looked up: `held` says why, null when all were. `isStopped` ends it early.
 */
export async function lookUpAll(
  umids: readonly string[],
  source: Pick<LedgerSource, 'transaction'>,
  followed: FollowedContracts,
  isStopped: () => boolean,
): Promise<LookedUpAll> {
  const results: (Told | { readonly why: string })[] = []
  let next = 0
  let hasFailed = false

  async function work(): Promise<void> {
    while (!hasFailed && !isStopped()) {
      const place = next
      const umid = umids[place]
      if (umid === undefined) return
      next += 1
      const result = await lookUp(umid, source, followed)
      if ('why' in result) hasFailed = true
      results[place] = result
    }
  }

  await Promise.all(Array.from({ length: LOOKUPS_MAX }, work))
  const told: Told[] = []
  for (let place = 0; place < umids.length; place += 1) {
    const result = results[place] ?? { why: 'the follower was stopped' }
    if ('why' in result) return { told, held: result }
    told.push(result)
  }
  return { told, held: null }
}

async function lookUp(
  umid: string,
  source: Pick<LedgerSource, 'transaction'>,
  followed: FollowedContracts,
): Promise<Told | { readonly why: string }> {
  const answer = await source.transaction(umid)
  switch (answer.kind) {
    case 'missing':
      return { why: 'it is listed, and no node has it' }
    case 'unclear':
      return { why: answer.why }
    case 'too-long':
      return { kind: 'skipped', flaw: 'it is too long' }
    case 'found': {
      const recognition = recognise(answer.transaction, followed)
      switch (recognition.kind) {
        case 'fact':
        case 'neighbour':
          return recognition
        case 'other':
          return { kind: 'nothing' }
        case 'malformed':
          return { kind: 'skipped', flaw: recognition.flaw }
      }
    }
  }
}
