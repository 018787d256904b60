import { type Failure, refuse, succeed } from '../../../domain/failure.js'
import { type Invoice, type InvoiceRequest, type InvoiceTerms, refuseInvoice } from '../../../domain/invoice.js'
import { type InvoiceCommand, type InvoiceResult, NO_TERMS } from '../../commands.js'
import type { Work } from '../connection/work.js'
import { insertInvoices, type NewInvoice, STATE } from '../invoices/invoice-rows.js'
import { enterOpen } from '../invoices/places.js'
import { expireDue, lockInvoices, logInvoice, settleIfPaid } from '../invoices/settle.js'
import { refusalOf } from '../keys/key-port.js'
import { addCreated, type BatchFacts, CreationFacts, hex, readFacts } from './creation-facts.js'
import { type EarlierRequest, rememberCreations, rememberRequests } from './requests.js'

const MS_PER_SECOND = 1000

interface Created {
  readonly command: InvoiceCommand
  readonly row: NewInvoice
}

/** Performs creations in order: loads the facts of all, lets the domain decide about each, and writes what was created. */
export async function createAll(
  work: Work,
  batch: readonly InvoiceCommand[],
  terms: InvoiceTerms,
): Promise<readonly InvoiceResult[]> {
  const facts = await readFacts(work, batch, terms.areWalletsShared)
  if (facts.isExpiryDue) await expireDue(work)
  const earlier = new Map(facts.earlier)
  const created: Created[] = []
  const results = batch.map((command): InvoiceResult => {
    const refusal = decide(work, facts, earlier, command, terms)
    if (refusal !== null) return refusal
    const row = newInvoice(work, command.request)
    created.push({ command, row })
    addCreated(facts, command)
    const { idempotency } = command.terms ?? NO_TERMS
    if (idempotency !== undefined) {
      earlier.set(hex(idempotency.scope), { bodyHash: hex(idempotency.bodyHash), invoice: row.invoice })
    }
    return { type: 'invoice', outcome: succeed(row.invoice), isReplay: false }
  })
  if (created.length > 0) await write(work, facts, created)
  return results
}

/** The answer to a creation that creates nothing; null when it creates. */
function decide(
  work: Work,
  facts: BatchFacts,
  earlier: ReadonlyMap<string, EarlierRequest>,
  command: InvoiceCommand,
  terms: InvoiceTerms,
): InvoiceResult | null {
  const { authority, idempotency } = command.terms ?? NO_TERMS
  const denied = refusalOf(facts.keys, authority, work.nowMs)
  if (denied !== null) return refused(denied)
  const known = idempotency === undefined ? undefined : earlier.get(hex(idempotency.scope))
  if (known !== undefined && idempotency !== undefined) {
    return answerOfEarlier(known, hex(idempotency.bodyHash))
  }
  const refusal = refuseInvoice(command.request, new CreationFacts(facts, command, terms))
  return refusal === null ? null : refused(refusal)
}

/** The answer of an idempotency key under which an invoice was created. */
export function answerOfEarlier({ bodyHash, invoice }: EarlierRequest, asked: string): InvoiceResult {
  if (bodyHash !== asked) return { type: 'invoice', outcome: refuse('idempotency_key_reused'), isReplay: false }
  return { type: 'invoice', outcome: succeed(invoice), isReplay: true }
}

function refused(failure: Failure): InvoiceResult {
  return { type: 'invoice', outcome: { ok: false, failure }, isReplay: false }
}

function newInvoice(work: Work, request: InvoiceRequest): NewInvoice {
  const { walletIds, expiresInSeconds, amount } = request
  const id = work.newId()
  const invoice: Invoice = {
    id,
    owner: request.owner,
    wallet_id: walletIds[0] ?? '',
    wallet_ids: walletIds.join(','),
    name: request.name,
    description: request.description,
    reference: request.reference,
    amount: request.amountText,
    currency: request.currency,
    callback_url: request.callbackUrl,
    created_at: work.nowMs,
  }
  const expiresAt = expiresInSeconds === null ? null : work.nowMs + expiresInSeconds * MS_PER_SECOND
  return {
    id,
    invoice,
    walletIds,
    atoms: amount,
    state: STATE.open,
    expiresAt,
    voidedAt: null,
    hasOutlivedExpiry: false,
  }
}

async function write(work: Work, facts: BatchFacts, created: readonly Created[]): Promise<void> {
  const rows = created.map(({ row }) => row)
  work.write(insertInvoices(rows))
  enterOpen(work, rows)
  rememberRequests(
    work,
    created.flatMap(({ command, row }) => {
      const request = command.terms?.idempotency
      return request === undefined ? [] : [{ request, invoiceId: row.id }]
    }),
  )
  rememberCreations(
    work,
    created.flatMap(({ command }) => command.terms?.signed ?? []),
  )
  for (const row of rows) logInvoice(work, 'invoice.created', row)
  const ahead = rows.filter(({ walletIds }) => walletIds.some((id) => facts.paidAhead.has(id)))
  for (const row of await lockInvoices(
    work,
    ahead.map(({ id }) => id),
  ))
    settleIfPaid(work, row)
}
