import type { KnownIdentities } from '../../auth/known-identities.js'
import { failure } from '../../domain/failure.js'
import { handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer } from '../json.js'

export function identityHandlers(identities: Pick<KnownIdentities, 'exists'>) {
  return handlers({
    'GET /api/identity/:id/exists': async (_request, { id }) => {
      const existence = await identities.exists(id)
      if (existence === 'busy') return failureAnswer(failure('overloaded'))
      if (existence === 'unreachable') return failureAnswer(failure('ledger_unreachable'))
      return jsonAnswer(200, { exists: existence })
    },
  })
}
