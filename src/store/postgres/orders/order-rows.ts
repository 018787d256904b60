import type { Order, Standing } from '../../../domain/order.js'
import { BrokenData } from '../../damage.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type OrderColumns as FieldColumns, metadataColumn, toOrder as toFields } from '../invoices/order-columns.js'
import { optionsOf, optionsText } from './option-text.js'

/** The columns of `orders`. */
export interface OrderColumns extends FieldColumns {
  readonly id: string
  readonly owner: string
  readonly price_amount: string
  readonly price_currency: string
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly callback_url: string | null
  readonly created_at: number
  readonly expires_at: number
  readonly voided_at: number | null
  readonly accepted_at: number | null
  readonly is_expiry_decided: boolean
  readonly standing: Standing
  readonly is_leaning: boolean
  /** `OrderOption`s as JSON. */
  readonly options: string
}

/** Of `orders AS o`. */
export const ORDER_COLUMNS = sql`o.id, o.owner, o.price_amount, o.price_currency, o.name, o.description, o.reference, o.return_url,
  o.order_number, o.metadata, o.callback_url, o.created_at, o.expires_at, o.voided_at, o.accepted_at, o.is_expiry_decided, o.standing,
  o.is_leaning, o.options`

const JOINED_FIELDS = sql`o.id AS o_id, o.owner AS o_owner, o.price_amount AS o_price_amount,
  o.price_currency AS o_price_currency, o.name AS o_name, o.description AS o_description, o.reference AS o_reference,
  o.return_url AS o_return_url, o.order_number AS o_order_number, o.metadata AS o_metadata, o.callback_url AS o_callback_url,
  o.created_at AS o_created_at, o.expires_at AS o_expires_at, o.voided_at AS o_voided_at, o.accepted_at AS o_accepted_at,
  o.is_expiry_decided AS o_is_expiry_decided, o.standing AS o_standing,
  o.is_leaning AS o_is_leaning`

/** The same columns beside those of another table: each begins with `o_`. */
export const JOINED_ORDER_COLUMNS = sql`${JOINED_FIELDS}, o.options AS o_options`

/**
 * The same beside the columns of its invoices, in the order of `JOINED_ORDER`. The options, which are the longest of them, are in the first
 * row of an order alone.
 */
export const LISTED_ORDER_COLUMNS = sql`${JOINED_FIELDS},
  CASE WHEN lag(o.id) OVER (ORDER BY o.id DESC, i.id) IS DISTINCT FROM o.id THEN o.options END AS o_options`

/** The newest order first, each with its invoices in their order. */
export const JOINED_ORDER = sql`ORDER BY o.id DESC, i.id`

export type JoinedOrderColumns = {
  readonly [K in keyof Omit<OrderColumns, 'options'> as `o_${K}`]: OrderColumns[K]
} & { readonly o_options: string | null }

/** The order of its first row. */
export function joinedOrder(row: JoinedOrderColumns): Order {
  if (row.o_options === null) throw new Error('an order was read without its options')
  return toOrder({
    id: row.o_id,
    owner: row.o_owner,
    price_amount: row.o_price_amount,
    price_currency: row.o_price_currency,
    name: row.o_name,
    description: row.o_description,
    reference: row.o_reference,
    return_url: row.o_return_url,
    order_number: row.o_order_number,
    metadata: row.o_metadata,
    callback_url: row.o_callback_url,
    created_at: row.o_created_at,
    expires_at: row.o_expires_at,
    voided_at: row.o_voided_at,
    accepted_at: row.o_accepted_at,
    is_expiry_decided: row.o_is_expiry_decided,
    standing: row.o_standing,
    is_leaning: row.o_is_leaning,
    options: row.o_options,
  })
}

export function toOrder(columns: OrderColumns): Order {
  const options = optionsOf(columns.options)
  if (options === null) throw new BrokenData('an order has options that are none')
  return {
    id: columns.id,
    owner: columns.owner,
    price: { amount: columns.price_amount, currency: columns.price_currency },
    name: columns.name,
    description: columns.description,
    reference: columns.reference,
    fields: toFields(columns),
    callbackUrl: columns.callback_url,
    createdAt: columns.created_at,
    expiresAt: columns.expires_at,
    voidedAt: columns.voided_at,
    acceptedAt: columns.accepted_at,
    isExpiryDecided: columns.is_expiry_decided,
    standing: columns.standing,
    isLeaning: columns.is_leaning,
    options,
  }
}

/** Inserts new orders. */
export function insertOrders(orders: readonly Order[]): Fragment {
  const column = <T>(of: (order: Order) => T) => orders.map(of)
  return sql`
    INSERT INTO orders (id, owner, price_amount, price_currency, name, description, reference, return_url, order_number, metadata,
      callback_url, created_at, expires_at, voided_at, accepted_at, standing, options, is_expiry_decided, is_leaning)
    SELECT * FROM unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ owner }) => owner)}::text[],
      ${column(({ price }) => price.amount)}::text[], ${column(({ price }) => price.currency)}::text[],
      ${column(({ name }) => name)}::text[], ${column(({ description }) => description)}::text[],
      ${column(({ reference }) => reference)}::text[], ${column(({ fields }) => fields.returnUrl)}::text[],
      ${column(({ fields }) => fields.orderNumber)}::text[], ${column(({ fields }) => metadataColumn(fields))}::text[],
      ${column(({ callbackUrl }) => callbackUrl)}::text[], ${column(({ createdAt }) => createdAt)}::bigint[],
      ${column(({ expiresAt }) => expiresAt)}::bigint[], ${column(({ voidedAt }) => voidedAt)}::bigint[],
      ${column(({ acceptedAt }) => acceptedAt)}::bigint[], ${column(({ standing }) => standing)}::text[],
      ${column(({ options }) => optionsText(options))}::text[],
      ${column(({ isExpiryDecided }) => isExpiryDecided)}::boolean[], ${column(({ isLeaning }) => isLeaning)}::boolean[])`
}

/** Writes what changes of a locked order. */
export function updateOrder(work: Work, order: Order): void {
  const { id, voidedAt, acceptedAt, isExpiryDecided, standing, isLeaning, options } = order
  work.write(sql`
    UPDATE orders SET voided_at = ${voidedAt}::bigint, accepted_at = ${acceptedAt}::bigint, standing = ${standing},
      is_expiry_decided = ${isExpiryDecided}, is_leaning = ${isLeaning}, options = ${optionsText(options)} WHERE id = ${id}::uuid`)
}
