import { isCurrency, parseInvoiceAmount } from './amount.js'
import type { ApiKey } from './api-key.js'
import type { Deposit, DepositReport } from './deposit.js'
import { type ImportedEvent, readEvent } from './imported-event.js'
import {
  FieldFlaw,
  type Fields,
  isObject,
  matching,
  optionalText,
  optionalTime,
  readOwner,
  readSighting,
  text,
  time,
} from './imported-fields.js'
import type { Invoice } from './invoice.js'
import type { LedgerFact } from './ledger-fact.js'
import type { Networks } from './network.js'

/** An invoice of another store, with its end. */
export interface ImportedInvoice {
  readonly type: 'invoice'
  readonly invoice: Invoice
  /** Unix ms, as in the answers of the API; null when it does not expire, or is not void. */
  readonly expiresAt: number | null
  readonly voidedAt: number | null
}

/** A record of another store, as its export or the API shows it. */
export type ImportedRecord =
  /** A wallet or an identity is imported as what the ledger would report of it. */
  | { readonly type: 'facts'; readonly facts: readonly LedgerFact[] }
  | { readonly type: 'key'; readonly key: ApiKey }
  | ImportedInvoice
  | { readonly type: 'deposit'; readonly deposit: Deposit }
  | ImportedEvent

/** The fields by which each kind of record is recognised, and how it is read. */
const KINDS: readonly {
  readonly fields: readonly string[]
  read(record: Fields, networks: Networks): ImportedRecord
}[] = [
  { fields: ['txHash', 'toAddress', 'amount'], read: readDeposit },
  { fields: ['public_key', 'permissions'], read: readKey },
  { fields: ['wallet_id', 'amount', 'created_at'], read: readInvoice },
  { fields: ['id', 'network', 'address'], read: readWallet },
  { fields: ['owner', 'isKnown'], read: readIdentity },
  { fields: ['owner', 'id', 'type', 'at'], read: readEvent },
]

const INVOICE_ID = /^[0-9a-f]{32}$/i
const KEY_ID = /^[0-9a-f]{16}$/

/** The record that a JSON object is, or why it is none, as text. `networks` are those that it may name. */
export function parseImportedRecord(
  value: unknown,
  networks: Networks,
): ImportedRecord | { readonly type: 'flaw'; readonly flaw: string } {
  if (!isObject(value)) return flawed('it is no JSON object')
  const kind = KINDS.find(({ fields }) => fields.every((name) => value[name] !== undefined))
  if (kind === undefined) return flawed('it is no invoice, deposit, wallet, key, identity or event')
  try {
    return kind.read(value, networks)
  } catch (error) {
    if (error instanceof FieldFlaw) return flawed(error.message)
    throw error
  }
}

function flawed(flaw: string): { readonly type: 'flaw'; readonly flaw: string } {
  return { type: 'flaw', flaw }
}

/** Records of before multi-wallet support have no `wallet_ids`. */
function readInvoice(record: Fields): ImportedInvoice {
  const id = matching(record, 'id', INVOICE_ID, '32 hex characters')
  const created = time(record, 'created_at')
  const amount = text(record, 'amount')
  if (parseInvoiceAmount(amount) === null) throw new FieldFlaw('amount is no amount of an invoice')
  const currency = text(record, 'currency')
  if (!isCurrency(currency)) throw new FieldFlaw('currency must be USDT or native')
  const walletIds = optionalText(record, 'wallet_ids')
  return {
    type: 'invoice',
    invoice: {
      id,
      owner: readOwner(record),
      wallet_id: text(record, 'wallet_id'),
      wallet_ids: walletIds,
      name: text(record, 'name'),
      description: optionalText(record, 'description'),
      reference: optionalText(record, 'reference'),
      amount,
      currency,
      callback_url: optionalText(record, 'callback_url'),
      created_at: created,
    },
    expiresAt: optionalTime(record, 'expires_at'),
    voidedAt: optionalTime(record, 'voided_at'),
  }
}

function readDeposit(record: Fields, networks: Networks): ImportedRecord {
  const sighting = readSighting(record, optionalText(record, 'currency'), networks)
  const kind = matching(record, 'kind', /^(pending|confirmed|dropped)$/, 'pending, confirmed or dropped')
  const confirmedAt = optionalTime(record, 'confirmedAt')
  return { type: 'deposit', deposit: { ...sighting, kind: kind as DepositReport, confirmedAt } }
}

function readKey(record: Fields): ImportedRecord {
  return {
    type: 'key',
    key: {
      id: matching(record, 'id', KEY_ID, '16 lower-case hex characters'),
      owner: readOwner(record),
      label: text(record, 'label'),
      public_key: text(record, 'public_key'),
      permissions: text(record, 'permissions'),
      expires_at: optionalTime(record, 'expires_at'),
      revoked_at: optionalTime(record, 'revoked_at'),
      created_at: time(record, 'created_at'),
    },
  }
}

function readWallet(record: Fields, networks: Networks): ImportedRecord {
  const { network } = record
  const id = text(record, 'id')
  const address = optionalText(record, 'address')
  if (network !== null && !networks.isKnown(network)) throw new FieldFlaw('network is not one that is known')
  const facts: LedgerFact[] = []
  if (address !== null && network !== null) facts.push({ type: 'wallet.created', id, address, network })
  if (optionalText(record, 'owner') !== null) {
    facts.push({ type: 'wallet.assigned', id, address, network, owner: readOwner(record) })
  }
  if (facts.length === 0) throw new FieldFlaw('a wallet has an address and a network, or an owner')
  return { type: 'facts', facts }
}

function readIdentity(record: Fields): ImportedRecord {
  const identity = readOwner(record)
  return { type: 'facts', facts: record['isKnown'] === true ? [{ type: 'identity.onboarded', identity }] : [] }
}
