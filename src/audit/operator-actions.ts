import type { WalletDirectory } from '../actors/wallet-directory.js'
import type { ApiKey } from '../domain/api-key.js'
import { type AuditEnd, type AuditedAction, boundedAction, doneEnd, type Operator } from '../domain/audit.js'
import { type Outcome, refuse } from '../domain/failure.js'
import { type Note, noteTextOf } from '../domain/note.js'
import type { Wallet } from '../domain/wallet.js'
import type { Delivery } from '../domain/webhook.js'
import type { OnOwed } from '../store/changes.js'
import type { InvoiceWithPayment } from '../store/reading.js'
import type { Store } from '../store/store.js'
import type { AuditTrail } from './trail.js'

export interface OperatorParts {
  readonly store: Pick<Store, 'invoices' | 'notes' | 'outbox' | 'keys' | 'wallets'>
  readonly directory: Pick<WalletDirectory, 'voidInvoice' | 'acceptInvoice'>
  /** Called with a redelivery, after it is durable. */
  readonly onOwed: OnOwed
  readonly trail: AuditTrail
  /** How long a claimed wallet is handed out to nobody else. */
  readonly leaseMs: number
}

/** What operators do to single records, in the console and on the command line. Each answers when it is on disk, with its trace. */
export class OperatorActions {
  constructor(private readonly parts: OperatorParts) {}

  async revokeKey(operator: Operator, id: string): Promise<Outcome<ApiKey>> {
    const { keys } = this.parts.store
    const owner = (await keys.withId(id))?.owner ?? null
    return await this.follow({ ...operator, action: 'key.revoke', owner, subject: id }, async (trace) =>
      owner === null ? refuse('api_key_not_found') : await keys.revoke(id, owner, trace),
    )
  }

  async redeliver(operator: Operator, id: string): Promise<Outcome<Delivery>> {
    const { store, onOwed } = this.parts
    const owner = (await store.outbox.find(id))?.owner ?? null
    return await this.follow({ ...operator, action: 'delivery.redeliver', owner, subject: id }, async (trace) => {
      if (owner === null) return refuse('delivery_not_found')
      const queued = await store.outbox.redeliver(owner, id, trace)
      if (!queued.ok) return queued
      onOwed([queued.value.owed])
      return { ok: true, value: queued.value.delivery }
    })
  }

  async voidInvoice(operator: Operator, id: string): Promise<Outcome<InvoiceWithPayment>> {
    const { store, directory } = this.parts
    const owner = (await store.invoices.find(id))?.owner ?? null
    return await this.follow({ ...operator, action: 'invoice.void', owner, subject: id }, async (trace) =>
      owner === null ? refuse('invoice_not_found') : await directory.voidInvoice(id, owner, { trace }),
    )
  }

  async acceptInvoice(operator: Operator, id: string): Promise<Outcome<InvoiceWithPayment>> {
    const { store, directory } = this.parts
    const owner = (await store.invoices.find(id))?.owner ?? null
    return await this.follow({ ...operator, action: 'invoice.accept', owner, subject: id }, async (trace) =>
      owner === null ? refuse('invoice_not_found') : await directory.acceptInvoice(id, owner, { trace }),
    )
  }

  /** Writes a note about an invoice. The trace does not repeat its text, which would outlive the note there. */
  async addNote(operator: Operator, invoiceId: string, given: unknown): Promise<Outcome<Note>> {
    const { invoices, notes } = this.parts.store
    const owner = (await invoices.find(invoiceId))?.owner ?? null
    const action = { ...operator, action: 'note.add', owner, subject: invoiceId }
    const { who } = boundedAction(action)
    const text = noteTextOf(given)
    return await this.follow(action, async (trace) =>
      text === null ? refuse('invalid_note') : await notes.add({ invoiceId, who, text }, trace),
    )
  }

  async removeNote(operator: Operator, id: string): Promise<Outcome<Note>> {
    const { invoices, notes } = this.parts.store
    const invoiceId = (await notes.find(id))?.invoiceId ?? null
    const owner = invoiceId === null ? null : ((await invoices.find(invoiceId))?.owner ?? null)
    const subject = invoiceId === null ? id : `${invoiceId} ${id}`
    return await this.follow({ ...operator, action: 'note.remove', owner, subject }, (trace) => notes.remove(id, trace))
  }

  async putBackWallet(operator: Operator, id: string): Promise<Outcome<Wallet>> {
    const { leaseMs, store } = this.parts
    const { wallets } = store
    return await this.follow({ ...operator, action: 'wallet.put_back', owner: null, subject: id }, (trace) =>
      wallets.putBack(id, leaseMs, trace),
    )
  }

  private follow<T>(action: AuditedAction, work: (trace: string) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    return this.parts.trail.follow(action, work, endOfOutcome, { isNoted: true })
  }
}

function endOfOutcome(outcome: Outcome<unknown>): AuditEnd {
  return outcome.ok ? doneEnd(outcome) : { outcome: 'refused', detail: outcome.failure.code }
}
