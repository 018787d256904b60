import type { ApiKey } from '../domain/api-key.js'
import type { AuditRecord } from '../domain/audit.js'
import type { Deposit } from '../domain/deposit.js'
import type { ImportedEvent } from '../domain/imported-event.js'
import type { ImportedOrder } from '../domain/imported-order.js'
import type { ImportedInvoice } from '../domain/imported-record.js'
import type { Note } from '../domain/note.js'
import type { Settled } from './commands.js'

/** What an import writes beside facts of the ledger. */
export type ImportableRecord =
  | ImportedInvoice
  | ImportedOrder
  | ImportedEvent
  | { readonly type: 'audit'; readonly record: AuditRecord }
  | { readonly type: 'note'; readonly note: Note }
  | { readonly type: 'deposit'; readonly deposit: Deposit }
  | {
      readonly type: 'key'
      readonly key: ApiKey
      /** The 33 bytes of the public key. */
      readonly publicKey: Uint8Array
    }

/** `known`: the same record was there already. A refused record leaves no trace. */
export type ImportOutcome =
  | { readonly status: 'added' | 'known' }
  | { readonly status: 'refused'; readonly error: string }

/** What an import may bring beyond what the API would take now. */
export interface ImportTerms {
  /** Invoices on wallets that have been reassigned since, to another identity. */
  readonly ofFormerOwners: boolean
}

/** Records of another store. They are written as they were, and owe no webhooks. */
export interface ImportPort {
  /** Adds records in order, each as a whole or not at all. */
  add(batch: readonly ImportableRecord[], terms?: ImportTerms): Promise<readonly Settled<ImportOutcome>[]>
}
