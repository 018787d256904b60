import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import type { LedgerFact } from '../domain/ledger-fact.js'
import type { ListedTransaction } from '../domain/ledger-progress.js'
import { recognise } from './facts-of-transaction.js'
import type { FollowedContracts } from './followed-contracts.js'
import { isSignedFor } from './ledger-signature.js'
import type { LedgerSource } from './ledger-source.js'

/** Transactions looked up in parallel. */
const LOOKUPS_MAX = 8

/** What a committed transaction means for the service: a fact, nothing, or a flaw. */
export type Told =
  | { readonly kind: 'fact'; readonly fact: LedgerFact }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'neighbour'; readonly contract: string }
  | { readonly kind: 'skipped'; readonly flaw: string }

/**
 * The result of a look-up. `missing`: no node has what is needed. `unclear`: nodes failed. `unasked`: another look-up
 * failed before.
 */
export type LookUpResult =
  | Told
  | { readonly kind: 'missing' }
  | { readonly kind: 'unclear'; readonly why: string }
  | { readonly kind: 'unasked' }

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

async function lookUp(row: ListedTransaction, parts: LookUpParts): Promise<LookUpResult> {
  const answer = await parts.source.transaction(row.umid)
  switch (answer.kind) {
    case 'missing':
    case 'unclear':
      return answer
    case 'too-long':
      return { kind: 'skipped', flaw: 'it is too long' }
    case 'found':
      return judge(answer.transaction, row, parts)
  }
}

async function judge(
  transaction: Readonly<Record<string, unknown>>,
  { timestampMs }: ListedTransaction,
  { source, followed, engine }: LookUpParts,
): Promise<LookUpResult> {
  const recognition = recognise(transaction, followed)
  switch (recognition.kind) {
    case 'neighbour':
      return recognition
    case 'other':
      return { kind: 'nothing' }
    case 'malformed':
      return { kind: 'skipped', flaw: recognition.flaw }
    case 'onboarding': {
      const { fact, signer, publicKey } = recognition
      return isSignedFor(transaction, signer, [publicKey], engine) ? { kind: 'fact', fact } : UNSIGNED
    }
    case 'assignment': {
      const found = await source.keysOf(recognition.fact.owner)
      if (found.kind !== 'found') return found
      const isSigned = isSignedFor(transaction, recognition.fact.owner, found.keys, engine)
      return isSigned ? { kind: 'fact', fact: { ...recognition.fact, ledgerMs: timestampMs } } : UNSIGNED
    }
  }
}

const UNSIGNED = { kind: 'skipped', flaw: 'it is not signed by the identity that it speaks for' } as const
