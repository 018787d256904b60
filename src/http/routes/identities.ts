import { failure } from '../../domain/failure.js'
import { parseOwner } from '../../domain/identity.js'
import type { Store } from '../../store/store.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Route } from '../router.js'
import type { Answer } from '../server.js'

/** Asks the ledger whether it has an identity. */
export interface AskLedger {
  hasIdentity(identity: string): Promise<boolean | 'unreachable'>
}

/** `GET /api/identity/:id/exists`. `ledger` is null when none is configured: then only what is known here exists. */
export function identityRoutes(store: Store, ledger: AskLedger | null): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/identity/:id/exists',
      handle: (_request, params) => exists(store, ledger, params['id'] ?? ''),
    },
  ]
}

/** A positive answer of the ledger is kept, a negative one is not (decisions 8). */
async function exists(store: Store, ledger: AskLedger | null, id: string): Promise<Answer> {
  const identity = parseOwner(id)
  if (identity === null) return jsonAnswer(200, { exists: false })
  if (await store.isIdentityKnown(identity)) return jsonAnswer(200, { exists: true })
  const answer = ledger === null ? false : await ledger.hasIdentity(identity)
  if (answer === 'unreachable') return failureAnswer(failure('ledger_unreachable'))
  if (answer) await store.rememberIdentity(identity)
  return jsonAnswer(200, { exists: answer })
}
