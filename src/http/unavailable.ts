import { MailboxFull } from '../actors/wallet-directory.js'
import { type Failure, failure } from '../domain/failure.js'
import { QueueFull, StorageUnavailable } from '../store/refusals.js'

/**
 * The 503 for an error that means no defect, but that the service cannot serve for the moment: the disk refuses writes, or
 * a bounded queue is full. Null for every other error, which becomes a 500.
 */
export function refusalOf(error: unknown): Failure | null {
  if (error instanceof StorageUnavailable) return failure('storage_unavailable')
  if (error instanceof MailboxFull || error instanceof QueueFull) return failure('overloaded')
  return null
}
