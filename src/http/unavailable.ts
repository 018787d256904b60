import { MailboxFull } from '../actors/wallet-directory.js'
import { type Failure, failure } from '../domain/failure.js'
import { QueueFull, StorageUnavailable } from '../store/store.js'
import { failureAnswer } from './failure-response.js'
import type { Route } from './router.js'
import type { Answer } from './server.js'

/**
 * Lets routes answer 503 where the service cannot serve for the moment and nothing is wrong with its code: the disk
 * refuses writes, or a bounded queue is full. Everything else that is thrown goes on to become a 500.
 */
export function answeringUnavailable(routes: readonly Route[], onRefused: (error: unknown) => void): Route[] {
  const answer = (error: unknown): Answer => {
    const refusal = refusalOf(error)
    if (refusal === null) throw error
    onRefused(error)
    return failureAnswer(refusal)
  }
  return routes.map((route) => ({
    ...route,
    handle: (request, params) => {
      const result = route.handle(request, params)
      return result instanceof Promise ? result.catch(answer) : result
    },
  }))
}

function refusalOf(error: unknown): Failure | null {
  if (error instanceof StorageUnavailable) return failure('storage_unavailable')
  if (error instanceof MailboxFull || error instanceof QueueFull) return failure('overloaded')
  return null
}
