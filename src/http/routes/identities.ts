import type { KnownIdentities } from '../../auth/known-identities.js'
import { failure } from '../../domain/failure.js'
import { failureAnswer, jsonAnswer } from '../failure-response.js'
import type { Route } from '../router.js'

/** `GET /api/identity/:id/exists`. */
export function identityRoutes(identities: Pick<KnownIdentities, 'exists'>): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/identity/:id/exists',
      handle: async (_request, { id = '' }) => {
        const existence = await identities.exists(id)
        if (existence === 'busy') return failureAnswer(failure('overloaded'))
        if (existence === 'unreachable') return failureAnswer(failure('ledger_unreachable'))
        return jsonAnswer(200, { exists: existence })
      },
    },
  ]
}
