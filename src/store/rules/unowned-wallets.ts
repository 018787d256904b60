import type { IdempotentRequest } from '../../domain/idempotency.js'
import type { UnusableWallet } from '../../domain/invoice.js'
import type { CreationTerms } from '../commands.js'
import type { Awaitable } from '../store.js'
import { type Asking, ask } from './asking.js'

/**
 * Answers a creation of which a wallet is not its owner's, so that it takes no turn: with what was created under its idempotency key, or
 * with the refusal. `earlier` finds the request under the same key, `answer` makes the answer.
 */
export function* answerOnUnowned<Earlier, Result>(
  wallet: string,
  terms: CreationTerms | undefined,
  earlier: (request: IdempotentRequest) => Awaitable<Earlier | undefined>,
  answer: (unusable: UnusableWallet, earlier: Earlier | undefined) => Result,
): Asking<Result> {
  const idempotency = terms?.idempotency
  const known = idempotency === undefined ? undefined : yield* ask(earlier(idempotency))
  return answer({ wallet, reason: 'not_assigned' }, known)
}
