import { type Order, type OrderOption, STANDINGS, type UsedRate } from '../../../domain/order.js'
import { type Metadata, metadataOfText, metadataText } from '../../../domain/order-fields.js'
import type { Commit, Reader } from '../commit/commit.js'
import { ownerNoOf } from '../identities/identities.js'
import {
  ID_BYTES,
  type OrderId,
  type OwnerNo,
  parseId,
  sortableText,
  timeKey,
  timeOfId,
  under,
} from '../tables/keys.js'
import {
  bytes,
  CorruptRecord,
  fieldsOf,
  flag,
  integer,
  listOf,
  oneOf,
  orNull,
  recordCodec,
  type Shape,
  storedAs,
  text,
} from '../tables/record-codec.js'
import { NOTHING } from '../tables/tables.js'

/*
 * Orders. What is stored of one is all but its id, which is the key and begins with the time of its creation:
 *
 *     orders            order id → order
 *     owner-orders      owner no │ order id → nothing
 *     numbered-orders   order number │ owner no │ order id → nothing
 *     order-expiries    when it expires (6) │ order id → nothing; orders whose expiry has not been decided
 *
 * An order is found by its reference through its first invoice.
 */

interface StoredOption {
  readonly invoiceId: Uint8Array
  readonly rate: string | null
  readonly rateAt: number | null
  readonly spread: number
  readonly isFixed: boolean
  readonly decimals: number
  readonly isVoidedByOrder: boolean
}

interface StoredOrder {
  readonly owner: string
  readonly priceAmount: string
  readonly priceCurrency: string
  readonly name: string
  readonly description: string | null
  readonly reference: string | null
  readonly returnUrl: string | null
  readonly orderNumber: string | null
  readonly metadata: Metadata | null
  readonly callbackUrl: string | null
  readonly expiresAt: number
  readonly voidedAt: number | null
  readonly acceptedAt: number | null
  readonly isExpiryDecided: boolean
  readonly standing: Order['standing']
  readonly isLeaning: boolean
  readonly options: readonly OrderOption[]
}

const OPTION = fieldsOf<StoredOption>({
  invoiceId: bytes,
  rate: orNull(text),
  rateAt: orNull(integer),
  spread: integer,
  isFixed: flag,
  decimals: integer,
  isVoidedByOrder: flag,
})

const SHAPE_1: Shape<Omit<StoredOrder, 'isLeaning'>> = {
  owner: text,
  priceAmount: text,
  priceCurrency: text,
  name: text,
  description: orNull(text),
  reference: orNull(text),
  returnUrl: orNull(text),
  orderNumber: orNull(text),
  metadata: storedAs(
    orNull(text),
    (metadata: Metadata | null) => (metadata === null ? null : metadataText(metadata)),
    (stored) => (stored === null ? null : readMetadata(stored)),
  ),
  callbackUrl: orNull(text),
  expiresAt: integer,
  voidedAt: orNull(integer),
  acceptedAt: orNull(integer),
  isExpiryDecided: flag,
  standing: oneOf(STANDINGS),
  options: listOf(storedAs(OPTION, toStoredOption, fromStoredOption)),
}

const version1 = fieldsOf<Omit<StoredOrder, 'isLeaning'>>(SHAPE_1)

/** Version 1 did not know what an order leaned on. Version 18 of the data has found that for each. */
const codec = recordCodec<StoredOrder>(
  'orders',
  2,
  { ...SHAPE_1, isLeaning: flag },
  { 1: (from) => ({ ...version1.read(from), isLeaning: false }) },
)

function readMetadata(stored: string): Metadata {
  const metadata = metadataOfText(stored)
  if (metadata === undefined) throw new CorruptRecord('a record of orders has metadata that is none')
  return metadata
}

/** Field by field: what a pattern leaves over is a slow object of a shape of its own. */
function toStored(order: Order): StoredOrder {
  const { price, fields } = order
  return {
    owner: order.owner,
    priceAmount: price.amount,
    priceCurrency: price.currency,
    name: order.name,
    description: order.description,
    reference: order.reference,
    returnUrl: fields.returnUrl,
    orderNumber: fields.orderNumber,
    metadata: fields.metadata,
    callbackUrl: order.callbackUrl,
    expiresAt: order.expiresAt,
    voidedAt: order.voidedAt,
    acceptedAt: order.acceptedAt,
    isExpiryDecided: order.isExpiryDecided,
    standing: order.standing,
    isLeaning: order.isLeaning,
    options: order.options,
  }
}

function toStoredOption({ invoiceId, rate, isFixed, decimals, isVoidedByOrder }: OrderOption): StoredOption {
  return {
    invoiceId: Buffer.from(invoiceId, 'hex'),
    rate: rate?.rate ?? null,
    rateAt: rate?.at ?? null,
    spread: rate?.spread ?? 0,
    isFixed,
    decimals,
    isVoidedByOrder,
  }
}

function fromStoredOption({ invoiceId, rate, rateAt, spread, isFixed, ...rest }: StoredOption): OrderOption {
  const used: UsedRate | null = rate === null || rateAt === null ? null : { rate, at: rateAt, spread }
  return { invoiceId: Buffer.from(invoiceId).toString('hex'), rate: used, isFixed, ...rest }
}

export function decodeOrder(id: OrderId, packed: Uint8Array): Order {
  const stored = codec.decode(packed)
  const { priceAmount, priceCurrency, returnUrl, orderNumber, metadata, ...rest } = stored
  return {
    id: id.toString('hex'),
    ...rest,
    price: { amount: priceAmount, currency: priceCurrency },
    fields: { returnUrl, orderNumber, metadata },
    createdAt: timeOfId(id),
  }
}

/** The order that a client named. */
export function findOrder({ tables }: Reader, name: string): Order | undefined {
  const id = parseId<OrderId>(name)
  const packed = id === undefined ? undefined : tables.orders.getBinaryFast(id)
  return id === undefined || packed === undefined ? undefined : decodeOrder(id, packed)
}

/** The order that an invoice or an index names. */
export function orderRow(at: Reader, name: string): Order {
  const order = findOrder(at, name)
  if (order === undefined) throw new Error('an invoice or an index names an order that is not there')
  return order
}

export function putOrderRow({ tables }: Commit, order: Order): void {
  const key = keyOf(order.id)
  if (timeOfId(key) !== order.createdAt) throw new Error('an order is not of the time of its id')
  tables.orders.putSync(key, codec.encode(toStored(order)))
  if (order.isExpiryDecided) tables.orderExpiries.removeSync(orderExpiryKey(order.expiresAt, key))
}

/** Enters a new order, and the rows by which it is found. */
export function enterOrder(commit: Commit, order: Order): void {
  const { tables } = commit
  const ownerNo = ownerNoOf(commit, order.owner)
  if (ownerNo === undefined) throw new Error('an order has invoices, and its owner is not known')
  putOrderRow(commit, order)
  const key = keyOf(order.id)
  tables.ownerOrders.putSync(under(ownerNo, key), NOTHING)
  const { orderNumber } = order.fields
  if (orderNumber !== null) tables.numberedOrders.putSync(numberedKey(orderNumber, ownerNo, key), NOTHING)
  if (!order.isExpiryDecided) tables.orderExpiries.putSync(orderExpiryKey(order.expiresAt, key), NOTHING)
}

export function orderExpiryKey(expiresAt: number, id: OrderId): Buffer {
  return Buffer.concat([timeKey(expiresAt), id])
}

export function numberedKey(orderNumber: string, ownerNo: OwnerNo, id: OrderId): Buffer {
  return Buffer.concat([numberedPrefix(orderNumber, ownerNo), id])
}

/** What begins the keys of an owner's orders with an order number. */
export function numberedPrefix(orderNumber: string, ownerNo: OwnerNo): Buffer {
  return Buffer.concat([sortableText(orderNumber), under(ownerNo, NOTHING)])
}

export function keyOf(id: string): OrderId {
  const key = parseId<OrderId>(id)
  if (key === undefined || key.length !== ID_BYTES) throw new Error('an order has no id of one')
  return key
}
