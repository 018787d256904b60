import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { LedgerFact } from '../domain/ledger-fact.js'
import type { ListedTransaction } from '../domain/ledger-progress.js'
import type { FollowedContracts } from './followed-contracts.js'
import type { LedgerSource } from './ledger-nodes.js'
import { isSignedFor } from './ledger-signature.js'
import { type NoFact, recognise } from './ledger-transaction.js'

/** Transactions looked up in parallel. */
const LOOKUPS_MAX = 8

/**
 * The result of a look-up. `missing`: no node has what is needed. `unclear`: nodes failed. `unasked`: another look-up
 * failed before.
 */
export type LookUpResult =
  | Told
  | { readonly kind: 'missing' }
  | { readonly kind: 'unclear'; readonly why: string }
  | { readonly kind: 'unasked' }

/** What a transaction says: a fact, or why it is none. */
export type Told = { readonly kind: 'fact'; readonly fact: LedgerFact } | NoFact

export interface LookUpParts {
  readonly source: Pick<LedgerSource, 'transaction' | 'keysOf'>
  readonly followed: FollowedContracts
  /** Verifies the signatures in transactions. */
  readonly engine: Secp256k1Engine
}

/**
 * Looks up transactions, a few in parallel, and judges them: one result for each, in order. The first one that nodes
 * fail to answer ends it, because they would fail the next, too. So does `isStopped`.
 */
export async function lookUpAll(
  rows: readonly ListedTransaction[],
  parts: LookUpParts,
  isStopped: () => boolean,
): Promise<readonly LookUpResult[]> {
  const results: LookUpResult[] = rows.map(() => ({ kind: 'unasked' }))
  let next = 0
  let hasFailed = false

  async function work(): Promise<void> {
    while (!hasFailed && !isStopped()) {
      const place = next
      const row = rows[place]
      if (row === undefined) return
      next += 1
      const result = await lookUp(row, parts)
      if (result.kind === 'unclear') hasFailed = true
      results[place] = result
    }
  }

  await Promise.all(Array.from({ length: LOOKUPS_MAX }, work))
  return results
}

async function lookUp(
  { umid, timestampMs }: ListedTransaction,
  { source, followed, engine }: LookUpParts,
): Promise<LookUpResult> {
  const answer = await source.transaction(umid)
  if (answer.kind === 'too-long') return { kind: 'malformed', flaw: 'it is too long' }
  if (answer.kind !== 'found') return answer
  const recognition = recognise(answer.value, followed)
  if (recognition.kind !== 'fact') return recognition
  const { fact, signer, publicKey } = recognition
  const found = publicKey === null ? await source.keysOf(signer) : { kind: 'found' as const, value: [publicKey] }
  if (found.kind !== 'found') return found
  if (!isSignedFor(answer.value, signer, found.value, engine)) {
    return { kind: 'malformed', flaw: 'it is not signed by the identity that it speaks for' }
  }
  return { kind: 'fact', fact: fact.type === 'wallet.assigned' ? { ...fact, ledgerMs: timestampMs } : fact }
}
