import type { WalletDirectory } from '../actors/wallet-directory.js'
import { LedgerlessActions, type LedgerlessParts } from '../audit/ledgerless-actions.js'
import { OperatorActions } from '../audit/operator-actions.js'
import { AuditTrail } from '../audit/trail.js'
import type { Logger } from '../log.js'
import type { OnOwed } from '../store/changes.js'
import type { Store } from '../store/store.js'

/** What operators do, and the trail that it leaves. */
export interface OperatorWork {
  readonly trail: AuditTrail
  readonly actions: OperatorActions
  readonly ledgerless: LedgerlessActions
}

export interface OperatorWorkParts {
  readonly store: Store
  readonly identities: LedgerlessParts['identities']
  readonly directory: WalletDirectory
  readonly onOwed: OnOwed
  readonly leaseMs: number
  /** Gets a line for each action. */
  readonly log: Logger
}

export function operatorWork({ log, ...parts }: OperatorWorkParts): OperatorWork {
  const trail = new AuditTrail({ audit: parts.store.audit, log })
  const { store, identities } = parts
  return {
    trail,
    actions: new OperatorActions({ ...parts, trail }),
    ledgerless: new LedgerlessActions({ store, identities, trail }),
  }
}
