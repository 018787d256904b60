import { walletsOf } from '../../../domain/invoice.js'
import type { MovedInvoice } from '../../moving/records.js'
import type { Commit, Snapshot } from '../commit/commit.js'
import { internOwner } from '../identities/identities.js'
import { addExpiry } from '../invoices/invoice-index.js'
import { indexed } from '../invoices/invoice-places.js'
import { type InvoiceRow, invoiceRow, putInvoiceRow } from '../invoices/invoice-rows.js'
import { countMatches, matchesBytes } from '../invoices/matches.js'
import { enterOpen, isOpen } from '../invoices/open-invoices.js'
import { orderOf, putOrder } from '../invoices/order-rows.js'
import { enterPaid, isAmongPaid } from '../invoices/paid-invoices.js'
import { enterVoid } from '../invoices/void-invoices.js'
import { internSet } from '../invoices/wallet-sets.js'
import { ID_BYTES, type InvoiceId, idOfKey, timeKey, under, WIDE_BYTES } from '../tables/keys.js'
import { NOTHING } from '../tables/tables.js'
import { findWallet } from '../wallets/wallets.js'
import { type LmdbMovedKind, pageOfTable } from './moved-kind.js'

export const invoices: LmdbMovedKind<'invoices'> = {
  page: (at, behind, limit) =>
    pageOfTable(at.tables.invoices, behind, limit, (key) => {
      const row = invoiceRow(at, key as InvoiceId)
      const { invoice, orderId, expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry } = row
      const ending = { expiresAt, voidedAt, acceptedAt, hasOutlivedExpiry }
      const matches = countMatches(at, row.id)
      return {
        storeId: key.toString('hex'),
        invoice,
        order: orderOf(at, row.id),
        ...ending,
        state: stateOf(at, row),
        matches,
        orderId,
      }
    }),
  write(commit, { storeId, invoice, order, state, matches, ...ending }) {
    const { tables } = commit
    const id = Buffer.from(storeId, 'hex') as InvoiceId
    const wallets = walletsOf(invoice).map((walletId) => {
      const wallet = findWallet(commit, walletId)
      if (wallet === undefined) throw new Error('an invoice is moved before its wallets')
      return wallet
    })
    const ownerNo = internOwner(commit, invoice.owner)
    const row: InvoiceRow = { id, invoice, setNo: internSet(commit, invoice.owner, ownerNo, wallets), ...ending }
    putInvoiceRow(commit, row)
    putOrder(commit, ownerNo, id, order)
    tables.ownerInvoices.putSync(under(ownerNo, id), NOTHING)
    if (invoice.reference !== null) tables.references.putSync(Buffer.from(invoice.reference), id)
    // Deposits, which are moved behind the invoices, add what they are worth.
    if (matches > 0) tables.matches.putSync(id, matchesBytes({ count: matches, seen: 0n, confirmed: 0n }))
    if (ending.voidedAt !== null) enterVoid(commit, indexed(commit, row), ending.voidedAt)
    if (state === 'void' || state === 'accepted') return
    if (state === 'open') enterOpen(commit, indexed(commit, row))
    else enterPaid(commit, indexed(commit, row))
    if (ending.expiresAt !== null && !ending.hasOutlivedExpiry) addExpiry(commit, ending.expiresAt, id)
  },
}

/** A damaged invoice that is nowhere is taken for an open one: the check of the target tells of a difference. */
function stateOf(at: Snapshot, row: InvoiceRow): MovedInvoice['state'] {
  if (row.voidedAt !== null) return 'void'
  if (row.acceptedAt !== null) return 'accepted'
  const invoice = indexed(at, row)
  return isAmongPaid(at, invoice) && !isOpen(at, invoice) ? 'paid' : 'open'
}

const HASH_BYTES = 32

export const idempotencyKeys: LmdbMovedKind<'idempotencyKeys'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.idempotencyKeys, behind, limit, (scope, value) => ({
      scope: scope.toString('hex'),
      expiresAt: value.readUIntBE(0, WIDE_BYTES),
      bodyHash: value.toString('hex', WIDE_BYTES, WIDE_BYTES + HASH_BYTES),
      invoiceId: idOfKey<InvoiceId>(value).toString('hex'),
    })),
  write({ tables }: Commit, record) {
    const scope = Buffer.from(record.scope, 'hex')
    const expiresAt = timeKey(record.expiresAt)
    const bodyHash = Buffer.from(record.bodyHash, 'hex')
    const invoiceId = Buffer.from(record.invoiceId, 'hex')
    if (bodyHash.length !== HASH_BYTES || invoiceId.length !== ID_BYTES)
      throw new Error('an idempotency key is malformed')
    tables.idempotencyKeys.putSync(scope, Buffer.concat([expiresAt, bodyHash, invoiceId]))
    tables.idempotencyExpiries.putSync(Buffer.concat([expiresAt, scope]), NOTHING)
  },
}

export const signedCreations: LmdbMovedKind<'signedCreations'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.signedCreations, behind, limit, (key) => {
      return { expiresAt: key.readUIntBE(0, WIDE_BYTES), digest: key.toString('hex', WIDE_BYTES) }
    }),
  write({ tables }, { expiresAt, digest }) {
    tables.signedCreations.putSync(Buffer.concat([timeKey(expiresAt), Buffer.from(digest, 'hex')]), NOTHING)
  },
}
