import type { WalletDirectory } from '../actors/wallet-directory.js'
import { OperatorActions } from '../audit/operator-actions.js'
import { AuditTrail } from '../audit/trail.js'
import type { Logger } from '../log.js'
import type { OnOwed, Store } from '../store/store.js'

/** What operators do, and the trail that it leaves. */
export interface OperatorWork {
  readonly trail: AuditTrail
  readonly actions: OperatorActions
}

export interface OperatorWorkParts {
  readonly store: Store
  readonly directory: WalletDirectory
  readonly onOwed: OnOwed
  readonly leaseMs: number
  /** Gets a line for each action. */
  readonly log: Logger
}

export function operatorWork({ log, ...parts }: OperatorWorkParts): OperatorWork {
  const trail = new AuditTrail({ audit: parts.store.audit, log })
  return { trail, actions: new OperatorActions({ ...parts, trail }) }
}
