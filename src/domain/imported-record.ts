import { parseInvoiceAmount } from './amount.js'
import { type ApiKey, flawOfKey } from './api-key.js'
import type { AuditRecord } from './audit.js'
import { type Deposit, type DepositReport, flawOf } from './deposit.js'
import { INVOICE_ID } from './id.js'
import { readAudit } from './imported-audit.js'
import { type ImportedEvent, readEvent } from './imported-event.js'
import {
  FieldFlaw,
  type Fields,
  type Importing,
  isObject,
  matching,
  optionalPastTime,
  optionalText,
  optionalTime,
  pastTime,
  readOwner,
  readSighting,
  text,
} from './imported-fields.js'
import { readNote } from './imported-note.js'
import { type ImportedOrder, readOrderRecord } from './imported-order.js'
import type { Invoice } from './invoice.js'
import { flawForDeposits, flawOfExpiry, flawOfOrder, flawOfTexts } from './invoice-flaw.js'
import { keySet, PUSHED_KEYS_MAX } from './key-history.js'
import type { LedgerFact } from './ledger-fact.js'
import type { Note } from './note.js'
import { type OrderFields, readMetadata } from './order-fields.js'
import { flawOfWalletId } from './wallet.js'

/** An invoice of another store, with its end. */
export interface ImportedInvoice {
  readonly type: 'invoice'
  readonly invoice: Invoice
  /** Absent in a record of before there were these fields. */
  readonly order?: OrderFields
  /** Unix ms, as in the answers of the API; null when it does not expire, or is not void. */
  readonly expiresAt: number | null
  readonly voidedAt: number | null
  /** When it was accepted; never beside `voidedAt`. */
  readonly acceptedAt: number | null
}

/** A record of another store, as its export or the API shows it. */
export type ImportedRecord =
  /** A wallet or an identity is imported as what the ledger would report of it; null when that is nothing. */
  | { readonly type: 'fact'; readonly fact: LedgerFact | null }
  | { readonly type: 'key'; readonly key: ApiKey }
  | ImportedInvoice
  | ImportedOrder
  | { readonly type: 'deposit'; readonly deposit: Deposit }
  | ImportedEvent
  | { readonly type: 'audit'; readonly record: AuditRecord }
  | { readonly type: 'note'; readonly note: Note }

/** The fields by which each kind of record is recognised, and how it is read. */
const KINDS: readonly {
  readonly fields: readonly string[]
  read(record: Fields, importing: Importing): ImportedRecord
}[] = [
  { fields: ['txHash', 'toAddress', 'amount'], read: readDeposit },
  { fields: ['public_key', 'permissions'], read: readKey },
  { fields: ['price', 'options', 'created_at'], read: readOrderRecord },
  { fields: ['wallet_id', 'amount', 'created_at'], read: readInvoice },
  { fields: ['id', 'transaction', 'ledgerAt'], read: readWithdrawal },
  { fields: ['id', 'network', 'address'], read: readWallet },
  { fields: ['owner', 'isKnown'], read: readIdentity },
  { fields: ['id', 'at', 'who', 'from', 'action'], read: readAudit },
  { fields: ['id', 'invoiceId', 'at', 'who', 'text'], read: readNote },
  { fields: ['owner', 'id', 'type', 'at'], read: readEvent },
]

const ORDER_FIELDS = ['returnUrl', 'orderNumber', 'metadata'] as const

const EXPORTED_KEY = /^0x0[23][0-9a-f]{64}$/
const KEY_ID = /^[0-9a-f]{16}$/
const TRANSACTION = /^[0-9a-f]{64}$/

/**
 * The record that a JSON object is, or why it is none, as text. A record is refused for what the API would refuse, but not for what
 * it lacks because the other store did not have it yet.
 */
export function parseImportedRecord(
  value: unknown,
  importing: Importing,
): ImportedRecord | { readonly type: 'flaw'; readonly flaw: string } {
  if (!isObject(value)) return flawed('it is no JSON object')
  const kind = KINDS.find(({ fields }) => fields.every((name) => value[name] !== undefined))
  if (kind === undefined)
    return flawed('it is no invoice, order, deposit, wallet, key, identity, event, note or record of an audit')
  try {
    return kind.read(value, importing)
  } catch (error) {
    if (error instanceof FieldFlaw) return flawed(error.message)
    throw error
  }
}

function flawed(flaw: string): { readonly type: 'flaw'; readonly flaw: string } {
  return { type: 'flaw', flaw }
}

/** Records of before multi-wallet support have no `wallet_ids`. */
function readInvoice(record: Fields, importing: Importing): ImportedInvoice {
  const amount = text(record, 'amount')
  if (parseInvoiceAmount(amount) === null) throw new FieldFlaw('amount is no amount of an invoice')
  const currency = text(record, 'currency')
  if (!importing.networks.knownCurrencies.includes(currency)) {
    throw new FieldFlaw('currency must be native or that of a token of the networks')
  }
  const invoice = {
    id: matching(record, 'id', INVOICE_ID, '32 hex characters'),
    owner: readOwner(record),
    wallet_id: text(record, 'wallet_id'),
    wallet_ids: optionalText(record, 'wallet_ids'),
    name: text(record, 'name'),
    description: optionalText(record, 'description'),
    reference: optionalText(record, 'reference'),
    amount,
    currency,
    callback_url: optionalText(record, 'callback_url'),
    created_at: pastTime(record, 'created_at', importing),
  }
  const expiresAt = optionalTime(record, 'expires_at')
  sound(flawForDeposits(invoice) ?? flawOfTexts(invoice) ?? flawOfExpiry(invoice.created_at, expiresAt))
  const order = readOrder(record)
  const voidedAt = optionalPastTime(record, 'voided_at', importing)
  const acceptedAt = optionalPastTime(record, 'accepted_at', importing)
  if (voidedAt !== null && acceptedAt !== null) throw new FieldFlaw('an invoice is void or accepted, not both')
  return { type: 'invoice', invoice, ...(order === null ? {} : { order }), expiresAt, voidedAt, acceptedAt }
}

/** Null for a record of before there were these fields. */
function readOrder(record: Fields): OrderFields | null {
  if (ORDER_FIELDS.every((name) => record[name] === undefined)) return null
  const returnUrl = optionalText(record, 'returnUrl')
  const orderNumber = optionalText(record, 'orderNumber')
  const given = record['metadata'] ?? null
  const metadata = given === null ? null : readMetadata(given)
  if (metadata === undefined) throw new FieldFlaw('metadata is none of an invoice')
  const order = { returnUrl, orderNumber, metadata }
  sound(flawOfOrder(order))
  return order
}

/** Records that do not tell when a deposit was confirmed take the time of its receipt for it. */
function readDeposit(record: Fields, importing: Importing): ImportedRecord {
  const sighting = readSighting(record, optionalText(record, 'currency'), importing)
  sound(flawOf(sighting, importing.networks.decimals))
  const kind = matching(record, 'kind', /^(pending|confirmed|dropped)$/, 'pending, confirmed or dropped')
  const told = optionalPastTime(record, 'confirmedAt', importing)
  const confirmedAt = kind === 'confirmed' ? (told ?? sighting.receivedAt) : null
  return { type: 'deposit', deposit: { ...sighting, kind: kind as DepositReport, confirmedAt } }
}

function readKey(record: Fields, importing: Importing): ImportedRecord {
  const key = {
    id: matching(record, 'id', KEY_ID, '16 lower-case hex characters'),
    owner: readOwner(record),
    label: text(record, 'label'),
    public_key: text(record, 'public_key'),
    permissions: text(record, 'permissions'),
    expires_at: optionalTime(record, 'expires_at', Number.MAX_SAFE_INTEGER),
    revoked_at: optionalPastTime(record, 'revoked_at', importing),
    created_at: pastTime(record, 'created_at', importing),
  }
  sound(flawOfKey(key))
  return { type: 'key', key }
}

/** An assignment tells of the address, too, so a wallet is one fact and never half imported. */
function readWallet(record: Fields, { networks }: Importing): ImportedRecord {
  const { network } = record
  const id = text(record, 'id')
  sound(flawOfWalletId(id))
  const address = optionalText(record, 'address')
  if (network !== null && !networks.isKnown(network)) throw new FieldFlaw('network is not one that is known')
  if (optionalText(record, 'owner') !== null) {
    const owner = readOwner(record)
    return { type: 'fact', fact: { type: 'wallet.assigned', id, address, network, owner, keepsOwner: true } }
  }
  if (address === null || network === null) throw new FieldFlaw('a wallet has an address and a network, or an owner')
  return { type: 'fact', fact: { type: 'wallet.created', id, address, network } }
}

/** Beside the wallet itself: it says only what took it from the pool. */
function readWithdrawal(record: Fields): ImportedRecord {
  const id = text(record, 'id')
  sound(flawOfWalletId(id))
  const umid = matching(record, 'transaction', TRANSACTION, '64 lower-case hex characters')
  const ledgerMs = optionalTime(record, 'ledgerAt')
  if (ledgerMs === null) throw new FieldFlaw('ledgerAt must be a time')
  return { type: 'fact', fact: { type: 'wallet.withdrawn', id, umid, ledgerMs, mayBeUnknown: true } }
}

function readIdentity(record: Fields): ImportedRecord {
  const identity = readOwner(record)
  const { isKnown } = record
  if (typeof isKnown !== 'boolean') throw new FieldFlaw('isKnown must be true or false')
  const keys = optionalText(record, 'keys')
  if (keys !== null)
    return { type: 'fact', fact: { type: 'identity.keys', identity, keys: readKeys(keys), keepsKeys: true } }
  return { type: 'fact', fact: isKnown ? { type: 'identity.onboarded', identity } : null }
}

/** As an export has them: `keysText`. */
function readKeys(text: string): readonly string[] {
  const keys = text.split(',')
  if (!keys.every((key) => EXPORTED_KEY.test(key))) throw new FieldFlaw('keys must be compressed public keys behind 0x')
  if (keys.length > PUSHED_KEYS_MAX) throw new FieldFlaw(`keys must be ${PUSHED_KEYS_MAX} at most`)
  return keySet(keys.map((key) => key.slice(2)))
}

function sound(flaw: string | null): void {
  if (flaw !== null) throw new FieldFlaw(flaw)
}
