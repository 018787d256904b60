import { type Currency, NATIVE, parseInvoiceAmount, USDT } from './amount.js'
import {
  detailedFailure,
  type Failure,
  failure,
  type Outcome,
  refuse,
  refuseField,
  succeed,
  type WalletReason,
} from './failure.js'
import type { Network, Networks } from './network.js'
import { type OrderFields, parseOrderFields } from './order-fields.js'
import { isAbsoluteHttpUrl, parseOwner, truncate, wellFormed } from './text.js'
import { EXPIRY_SECONDS_MAX, EXPIRY_SECONDS_MIN } from './voiding.js'

export const NAME_LENGTH_MAX = 80
export const DESCRIPTION_LENGTH_MAX = 500
export const REFERENCE_LENGTH_MAX = 80
export const INVOICE_WALLETS_MAX = 50

/** The invoice record as the API shows it (specification, Invoice record). It has no paid flag and no status. */
export interface Invoice {
  /** 32 lower-case hex characters, time-ordered. */
  readonly id: string
  readonly owner: string
  /** The first wallet. */
  readonly wallet_id: string
  /** Comma-joined; null or empty in records from before multi-wallet support. */
  readonly wallet_ids: string | null
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  /** As sent. */
  readonly amount: string
  readonly currency: Currency
  readonly callback_url: string | null
  /** Unix milliseconds. */
  readonly created_at: number
}

/** The wallets of an invoice: `wallet_ids` when it is non-empty, otherwise the single `wallet_id` (specification). */
export function walletsOf(invoice: Pick<Invoice, 'wallet_id' | 'wallet_ids'>): readonly string[] {
  return invoice.wallet_ids === null || invoice.wallet_ids === '' ? [invoice.wallet_id] : invoice.wallet_ids.split(',')
}

/** A request for an invoice whose fields have been checked. */
export interface InvoiceRequest {
  readonly owner: string
  /** 1–50, without duplicates, in the order sent. */
  readonly walletIds: readonly string[]
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  /** As sent. */
  readonly amountText: string
  readonly amount: bigint
  readonly currency: Currency
  readonly callbackUrl: string | null
  /** Checked after wallet ownership, so an invalid one is carried along here (decisions 4, order of checks). */
  readonly isCallbackUrlValid: boolean
  readonly order: OrderFields
  /** Seconds from creation to expiry; null for never. */
  readonly expiresInSeconds: number | null
}

/** What decides about a request before its wallets are looked at. */
export interface RequestTerms {
  /** What invoices may be in on some network. */
  readonly currencies: readonly Currency[]
  /** The lifetime of an invoice whose request does not set one; null for no end. */
  readonly defaultExpirySeconds: number | null
}

/** The currencies that the specification names, and no end. */
export const SPECIFIED_TERMS: RequestTerms = { currencies: [NATIVE, USDT], defaultExpirySeconds: null }

/**
 * Reads the body of `POST /api/invoices`. `owner` is the verified key's owner on the signed path, which ignores the
 * body's, and the body's owner on the unsigned path. Fails with `invalid_invoice`, a failure of the order's fields,
 * `invalid_expiry` or `unsupported_currency`, and names the first wrong field.
 */
export function parseInvoiceRequest(
  body: Readonly<Record<string, unknown>>,
  owner: unknown,
  { currencies, defaultExpirySeconds }: RequestTerms = SPECIFIED_TERMS,
): Outcome<InvoiceRequest> {
  const knownOwner = parseOwner(owner)
  if (knownOwner === null) return refuseField('invalid_invoice', 'owner')
  const walletIds = parseWalletIds(body['walletIds'])
  if (walletIds === null) return refuseField('invalid_invoice', 'walletIds')
  const name = typeof body['name'] === 'string' ? truncate(wellFormed(body['name']).trim(), NAME_LENGTH_MAX) : ''
  if (name === '') return refuseField('invalid_invoice', 'name')
  const amountText = body['amount']
  const amount = typeof amountText === 'string' ? parseInvoiceAmount(amountText) : null
  if (typeof amountText !== 'string' || amount === null) return refuseField('invalid_invoice', 'amount')
  const description = parseOptionalText(body['description'])
  if (description === undefined) return refuseField('invalid_invoice', 'description')
  const reference = parseOptionalText(body['reference'])
  if (reference === undefined) return refuseField('invalid_invoice', 'reference')
  const order = parseOrderFields(body)
  if (!order.ok) return order
  const expiresInSeconds = body['expiresInSeconds'] ?? defaultExpirySeconds
  if (expiresInSeconds !== null && !isExpiry(expiresInSeconds)) return refuse('invalid_expiry')
  const currency = isAbsent(body['currency']) ? NATIVE : body['currency']
  if (typeof currency !== 'string' || !currencies.includes(currency)) {
    return { ok: false, failure: detailedFailure('unsupported_currency', { supported: currencies }) }
  }
  const callbackUrl = isAbsent(body['callbackUrl']) ? null : body['callbackUrl']
  return succeed({
    owner: knownOwner,
    walletIds,
    name,
    description: description === null ? null : truncate(description.trim(), DESCRIPTION_LENGTH_MAX) || null,
    reference: reference === null ? null : truncate(reference, REFERENCE_LENGTH_MAX),
    amountText,
    amount,
    currency,
    callbackUrl: typeof callbackUrl === 'string' ? wellFormed(callbackUrl) : null,
    isCallbackUrlValid: callbackUrl === null || (typeof callbackUrl === 'string' && isAbsoluteHttpUrl(callbackUrl)),
    order: order.value,
    expiresInSeconds,
  })
}

/** Whether a value is a lifetime of an invoice, in seconds. */
export function isExpiry(value: unknown): value is number {
  return (
    typeof value === 'number' && Number.isInteger(value) && value >= EXPIRY_SECONDS_MIN && value <= EXPIRY_SECONDS_MAX
  )
}

/** Null or empty means absent (decisions 4). */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** The text, well-formed; null if absent, undefined if it has the wrong type. */
function parseOptionalText(value: unknown): string | null | undefined {
  if (isAbsent(value)) return null
  return typeof value === 'string' ? wellFormed(value) : undefined
}

/** The wallets of a request, each once and in the order sent; null when they are none. */
export function parseWalletIds(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > INVOICE_WALLETS_MAX) return null
  for (const id of value) {
    if (typeof id !== 'string' || id === '') return null
  }
  // The loop has checked that every element is a string.
  const ids = (value as string[]).map(wellFormed)
  return ids.length === 1 ? ids : [...new Set(ids)]
}

/** Maximum number of sets of wallets that may contain one wallet at a time (decisions 6). */
export const WALLET_SETS_MAX = 64

/**
 * Whether a set of wallets would be one too many on a wallet of it. `unpaid`: the sets that have an unpaid invoice there; `beside`: those
 * of invoices that are created with this one. An engine names sets as it does.
 */
export function isSetTooMany(own: string, unpaid: ReadonlySet<string>, beside: readonly string[]): boolean {
  if (unpaid.has(own)) return false
  const others = new Set(beside.filter((set) => set !== own && !unpaid.has(set)))
  return unpaid.size + others.size >= WALLET_SETS_MAX
}

/** A wallet on which its owner cannot create an invoice. */
export interface UnusableWallet {
  readonly wallet: string
  readonly reason: WalletReason
}

/** What a creation knows of a wallet of its request: its owner, and whether it has an address; undefined if it is not known. */
export function reasonAgainst(
  known: { readonly isOwned: boolean; readonly hasAddress: boolean } | undefined,
): WalletReason | null {
  if (known === undefined || !known.isOwned) return 'not_assigned'
  return known.hasAddress ? null : 'no_address'
}

/**
 * The facts on which the decision about a new invoice depends, read in the transaction that creates it. Each is read
 * only if the checks before it passed. An invoice counts while it is unpaid, not void, and of the wallet's present
 * owner.
 */
export interface InvoiceFacts {
  /** The first wallet that is not the owner's, or that has no address to be paid at. */
  unusableWallet(): UnusableWallet | null
  /** What it could be in, where the network of one of its wallets lacks its currency; null where all have it. */
  currenciesInstead(): readonly Currency[] | null
  /** Whether it is in the native currency, on wallets of different coins, and that is not allowed. */
  areCoinsMixed(): boolean
  isReferenceTaken(): boolean
  /** The first wallet on which an invoice of an amount, atoms, and of its currency counts. */
  walletOfAmount(amount: bigint): string | null
  /** The first wallet on which an invoice of the currency counts; always null if invoices may share wallets. */
  takenWallet(): string | null
  /** A wallet on which the invoice's set of wallets would be one too many. */
  crowdedWallet(): string | null
  /** Whether this signed request has already created an invoice. */
  isRepeated(): boolean
}

/** What the settings say of new invoices. `networks`: those that the catalogue has now. */
export interface InvoiceTerms {
  readonly networks: Networks
  /** Whether several unpaid invoices of a currency may share a wallet (decisions 6). */
  readonly areWalletsShared: boolean
  /** Whether a native amount may be paid in different coins (decisions 11). */
  readonly areCoinsMixed: boolean
}

/** Whether an invoice on wallets of these networks could be paid in coins that may not be mixed. */
export function mixesCoins(
  { networks, areCoinsMixed }: InvoiceTerms,
  { currency }: Pick<InvoiceRequest, 'currency'>,
  of: readonly (Network | null)[],
): boolean {
  if (areCoinsMixed || currency !== NATIVE) return false
  return new Set(of.map((network) => (network === null ? null : networks.find(network)?.symbol))).size > 1
}

/** What an invoice on wallets of these networks could be in, where one of them lacks its currency; null where all have it. */
export function currenciesInstead(
  { networks }: Pick<InvoiceTerms, 'networks'>,
  { currency }: Pick<InvoiceRequest, 'currency'>,
  of: readonly (Network | null)[],
): readonly Currency[] | null {
  if (currency === NATIVE) return null
  const isEverywhere = (one: Currency) => of.every((network) => network !== null && networks.has(network, one))
  return isEverywhere(currency) ? null : networks.currencies.filter(isEverywhere)
}

/**
 * Returns why an invoice may not be created, or null if it may. The order of the checks (ownership, callbackUrl,
 * reference, amount) is specified (decisions 4); what their networks have is looked at once the wallets are the owner's.
 */
export function refuseInvoice(request: InvoiceRequest, facts: InvoiceFacts): Failure | null {
  const unusable = facts.unusableWallet()
  if (unusable !== null) return detailedFailure('wallet_not_owned', unusable)
  const supported = facts.currenciesInstead()
  if (supported !== null) return detailedFailure('unsupported_currency', { supported })
  if (facts.areCoinsMixed()) return failure('mixed_native_coins')
  if (!request.isCallbackUrlValid) return failure('invalid_callback_url')
  if (facts.isReferenceTaken()) return failure('reference_in_use')
  const ofAmount = facts.walletOfAmount(request.amount)
  if (ofAmount !== null) {
    const asked = { amount: request.amountText, currency: request.currency }
    return detailedFailure('amount_in_use', { wallet: ofAmount }, asked)
  }
  const taken = facts.takenWallet()
  if (taken !== null) return detailedFailure('wallet_in_use', { wallet: taken })
  const crowded = facts.crowdedWallet()
  if (crowded !== null) return detailedFailure('too_many_wallet_sets', { wallet: crowded })
  // Last, so that an honest repetition gets the more helpful error about the invoice that it created the first time.
  if (facts.isRepeated()) return failure('request_repeated')
  return null
}

/** The record of a new invoice. Nothing refuses the request. */
export function newInvoice(request: InvoiceRequest, id: string, nowMs: number): Invoice {
  const { walletIds } = request
  return {
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
    created_at: nowMs,
  }
}

const MS_PER_SECOND = 1000

/** When an invoice that is created now expires, Unix ms; null when it never does. */
export function expiresAtOf({ expiresInSeconds }: InvoiceRequest, nowMs: number): number | null {
  return expiresInSeconds === null ? null : nowMs + expiresInSeconds * MS_PER_SECOND
}
