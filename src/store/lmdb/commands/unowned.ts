import type { IdempotentRequest } from '../../../domain/idempotency.js'
import type { EarlierRequest } from '../../rules/create-invoice.js'
import type { EarlierOrder } from '../../rules/create-order.js'
import type { UnownedWork } from '../../rules/unowned-wallets.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { findEarlierOrder } from '../orders/create-order.js'
import { findWallet } from '../wallets/wallets.js'
import { findEarlier } from './idempotency.js'

/** What answers creations on wallets of others, from what is committed. */
export class LmdbUnowned implements UnownedWork {
  constructor(private readonly commits: CommitLoop) {}

  /** Whether some wallets are known to be the owner's without a look at the data. */
  areOwn(owner: string, walletIds: readonly string[]): boolean {
    return walletIds.every((id) => this.commits.ownerHint(id) === owner)
  }

  unownedOf(owner: string, walletIds: readonly string[]): string | undefined {
    const { snapshot } = this.commits
    return walletIds.find((id) => findWallet(snapshot, id)?.owner !== owner)
  }

  earlier(request: IdempotentRequest): EarlierRequest | undefined {
    return findEarlier(this.commits.snapshot, request)
  }

  earlierOrder(request: IdempotentRequest): EarlierOrder | undefined {
    return findEarlierOrder(this.commits.snapshot, request)
  }
}
