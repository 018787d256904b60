import { type Currency, NATIVE, parseInvoiceAmount, USDT } from './amount.js'
import { detailedFailure, type Outcome, refuse, refuseField, succeed } from './failure.js'
import { DESCRIPTION_LENGTH_MAX, isExpiry, NAME_LENGTH_MAX, parseWalletIds, REFERENCE_LENGTH_MAX } from './invoice.js'
import { type OrderFields, parseOrderFields } from './order-fields.js'
import { isAbsoluteHttpUrl, parseOwner, truncate, wellFormed } from './text.js'

/*
 * An order is a price that a payer settles in one coin or several (decisions 15). Each of its options is an invoice; the order says
 * which invoices belong together, and what was promised for them.
 */

/** Options of an order. */
export const ORDER_OPTIONS_MAX = 10

/** How long the rates of an order are promised unless something else is said (decisions 15). */
const ORDER_EXPIRY_SECONDS_DEFAULT = 900

/** So that the reference of its last option fits: `<reference>/10`. */
export const ORDER_REFERENCE_LENGTH_MAX = REFERENCE_LENGTH_MAX - `/${ORDER_OPTIONS_MAX}`.length

/** A currency of ISO 4217, or the symbol of a coin. */
const PRICE_CURRENCY = /^[A-Z][A-Z0-9]{1,11}$/

function isPriceCurrency(text: string): boolean {
  return PRICE_CURRENCY.test(text)
}

/** What an order costs, as it was sent. */
export interface Price {
  /** A decimal greater than zero. */
  readonly amount: string
  /** A currency code, or the symbol of a coin. */
  readonly currency: string
}

/** By what the price of an option was converted. */
export interface UsedRate {
  /** The price of one coin in the currency of the order, as the source gave it. */
  readonly rate: string
  /** When the source said so, Unix ms. */
  readonly at: number
  /** What was charged on top, in hundredths of a percent. */
  readonly spread: number
}

/** What an order keeps of one of its invoices. */
export interface OrderOption {
  /** The id under which stores list the invoice: 32 hex characters. */
  readonly invoiceId: string
  /** Null where the amount was fixed by the shop, or the option is in the currency of the price. */
  readonly rate: UsedRate | null
  /** Whether the shop fixed the amount. */
  readonly isFixed: boolean
  /** Decimal places to which what is asked for is rounded up. */
  readonly decimals: number
  /** Whether the end of the order made it void: it lives again when that is taken back. */
  readonly isVoidedByOrder: boolean
}

/** How much of an order has come and is confirmed. */
export const STANDINGS = ['none', 'partly', 'paid'] as const
export type Standing = (typeof STANDINGS)[number]

/** An order as stores keep it. */
export interface Order {
  /** 32 lower-case hex characters, which begin with the time of its creation. */
  readonly id: string
  readonly owner: string
  readonly price: Price
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly fields: OrderFields
  readonly callbackUrl: string | null
  /** Unix ms. */
  readonly createdAt: number
  readonly expiresAt: number
  /** When none of its invoices was left to be paid, by request or by expiry; null while one is, and while the order is paid. */
  readonly voidedAt: number | null
  /** When its owner took what had come as enough; null for never. */
  readonly acceptedAt: number | null
  /** Whether its expiry has been decided; until then readers judge by the clock. */
  readonly isExpiryDecided: boolean
  /** As it was found last. */
  readonly standing: Standing
  /**
   * Whether its standing leans on money that is matched to no invoice: some counted when it was judged last. When such money leaves, the
   * order is judged again, although the deposit was none of its own.
   */
  readonly isLeaning: boolean
  readonly options: readonly OrderOption[]
}

/** One way to pay, as it was asked for. */
export interface RequestedOption {
  readonly walletIds: readonly string[]
  readonly currency: Currency
  /** As sent; null where it follows from the price. */
  readonly fixedAmount: string | null
}

/** A request for an order whose fields have been checked. */
export interface OrderRequest {
  readonly owner: string
  readonly price: Price
  readonly options: readonly RequestedOption[]
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly fields: OrderFields
  readonly callbackUrl: string | null
  /** Checked behind the ownership of wallets, like that of an invoice. */
  readonly isCallbackUrlValid: boolean
  readonly expiresInSeconds: number
}

/** The wallets of all of its options, each once. */
export function walletsOfRequest({ options }: Pick<OrderRequest, 'options'>): readonly string[] {
  return [...new Set(options.flatMap(({ walletIds }) => walletIds))]
}

/** What decides about a request before its wallets are looked at. */
export interface OrderTerms {
  /** What invoices may be in on some network. */
  readonly currencies: readonly Currency[]
  /** The lifetime of an order whose request does not set one. */
  readonly defaultExpirySeconds: number
}

const DEFAULT_TERMS: OrderTerms = { currencies: [NATIVE, USDT], defaultExpirySeconds: ORDER_EXPIRY_SECONDS_DEFAULT }

/**
 * Reads the body of `POST /api/orders`. `owner` is the verified key's owner on the signed path, and the body's on the unsigned one.
 * Fails with `invalid_order`, `invalid_price`, `invalid_options`, `unsupported_currency`, `invalid_expiry` or a failure of the
 * order's fields, and names the first wrong field.
 */
export function parseOrderRequest(
  body: Readonly<Record<string, unknown>>,
  owner: unknown,
  { currencies, defaultExpirySeconds }: OrderTerms = DEFAULT_TERMS,
): Outcome<OrderRequest> {
  const knownOwner = parseOwner(owner)
  if (knownOwner === null) return refuseField('invalid_order', 'owner')
  const price = parsePrice(body['price'])
  if (price === null) return refuse('invalid_price')
  const options = parseOptions(body['options'], currencies)
  if (!options.ok) return options
  const name = typeof body['name'] === 'string' ? truncate(wellFormed(body['name']).trim(), NAME_LENGTH_MAX) : ''
  if (name === '') return refuseField('invalid_order', 'name')
  const description = optionalText(body['description'])
  if (description === undefined) return refuseField('invalid_order', 'description')
  const reference = optionalText(body['reference'])
  if (reference === undefined) return refuseField('invalid_order', 'reference')
  const fields = parseOrderFields(body)
  if (!fields.ok) return fields
  const expiresInSeconds = body['expiresInSeconds'] ?? defaultExpirySeconds
  if (!isExpiry(expiresInSeconds)) return refuse('invalid_expiry')
  const callbackUrl = isAbsent(body['callbackUrl']) ? null : body['callbackUrl']
  return succeed({
    owner: knownOwner,
    price,
    options: options.value,
    name,
    description: description === null ? null : truncate(description.trim(), DESCRIPTION_LENGTH_MAX) || null,
    reference: reference === null ? null : storedOrderReference(reference),
    fields: fields.value,
    callbackUrl: typeof callbackUrl === 'string' ? wellFormed(callbackUrl) : null,
    isCallbackUrlValid: callbackUrl === null || (typeof callbackUrl === 'string' && isAbsoluteHttpUrl(callbackUrl)),
    expiresInSeconds,
  })
}

/** A reference as it is stored, and therefore as it is looked up. */
export function storedOrderReference(text: string): string {
  return truncate(wellFormed(text), ORDER_REFERENCE_LENGTH_MAX)
}

/** The reference of an option's invoice, from 1 on. */
export function optionReference(order: Pick<Order, 'id' | 'reference'>, number: number): string {
  return `${order.reference ?? order.id}/${number}`
}

export function parsePrice(value: unknown): Price | null {
  if (typeof value !== 'object' || value === null) return null
  const { amount, currency } = value as { readonly amount?: unknown; readonly currency?: unknown }
  if (typeof amount !== 'string' || parseInvoiceAmount(amount) === null) return null
  return typeof currency === 'string' && isPriceCurrency(currency) ? { amount, currency } : null
}

function parseOptions(value: unknown, currencies: readonly Currency[]): Outcome<readonly RequestedOption[]> {
  if (!Array.isArray(value) || value.length === 0 || value.length > ORDER_OPTIONS_MAX) return refuse('invalid_options')
  const options: RequestedOption[] = []
  /** Wallets by the currency in which an option names them. */
  const named = new Set<string>()
  for (const one of value as readonly unknown[]) {
    if (typeof one !== 'object' || one === null) return refuse('invalid_options')
    const given = one as Readonly<Record<string, unknown>>
    const walletIds = parseWalletIds(given['walletIds'])
    if (walletIds === null) return refuse('invalid_options')
    const currency = isAbsent(given['currency']) ? NATIVE : given['currency']
    if (typeof currency !== 'string' || !currencies.includes(currency)) {
      return { ok: false, failure: detailedFailure('unsupported_currency', { supported: currencies }) }
    }
    const amount = given['amount'] ?? null
    if (amount !== null && (typeof amount !== 'string' || parseInvoiceAmount(amount) === null)) {
      return refuse('invalid_options')
    }
    for (const id of walletIds) {
      // No currency has a space.
      const name = `${currency} ${id}`
      if (named.has(name)) return refuse('invalid_options')
      named.add(name)
    }
    options.push({ walletIds, currency, fixedAmount: amount })
  }
  return succeed(options)
}

/** Null or empty means absent (decisions 4). */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function optionalText(value: unknown): string | null | undefined {
  if (isAbsent(value)) return null
  return typeof value === 'string' ? wellFormed(value) : undefined
}
