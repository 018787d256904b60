import type { ApiKey, BillhookEvent, InvoiceWithPayment, Order, ServiceInfo, WebhookDelivery } from '@billhook/client'
import { stateOfKey } from '../api-keys/key-state.js'
import { readable } from '../events/deposits.js'
import { stateOf } from '../invoices/state.js'
import type { KnownWallet } from '../wallets/known-wallets.js'
import { csvOf } from './csv-text.js'

/** How a column is made of a record, by its name. Numbers are times, Unix milliseconds. */
type Columns<T> = Readonly<Record<string, (row: T) => string | number | null>>

/** Records as CSV with a head. Times are in UTC. */
function tableOf<T>(rows: readonly T[], columns: Columns<T>): string {
  const fields = Object.values(columns)
  return csvOf([Object.keys(columns), ...rows.map((row) => fields.map((field) => cellOf(field(row))))])
}

function cellOf(value: string | number | null): string | null {
  return typeof value === 'number' ? new Date(value).toISOString() : value
}

export function invoicesAsCsv(rows: readonly InvoiceWithPayment[]): string {
  return tableOf(rows, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    orderNumber: ({ orderNumber }) => orderNumber,
    reference: ({ reference }) => reference,
    amount: ({ amount }) => amount,
    currency: ({ currency }) => currency,
    received: ({ payment }) => payment.own,
    state: stateOf,
    created: ({ created_at }) => created_at,
    expires: ({ expires_at }) => expires_at,
  })
}

export function ordersAsCsv(rows: readonly Order[]): string {
  return tableOf(rows, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    orderNumber: ({ orderNumber }) => orderNumber,
    reference: ({ reference }) => reference,
    price: ({ price }) => price.amount,
    currency: ({ price }) => price.currency,
    paidFraction: ({ paid_fraction }) => paid_fraction,
    status: ({ status }) => status,
    created: ({ created_at }) => created_at,
    expires: ({ expires_at }) => expires_at,
  })
}

/** `free`: those that no open invoice uses. */
export function walletsAsCsv(rows: readonly KnownWallet[], free: ReadonlySet<string>): string {
  return tableOf(rows, {
    id: ({ id }) => id,
    network: ({ network }) => network,
    address: ({ address }) => address,
    firstAddress: ({ first }) => first,
    state: ({ id }) => (free.has(id) ? 'free' : 'in use'),
    assigned: ({ since }) => since,
  })
}

export function deliveriesAsCsv(rows: readonly WebhookDelivery[]): string {
  return tableOf(rows, {
    id: ({ id }) => id,
    about: ({ event, status }) => event?.type ?? status,
    reference: ({ reference }) => reference,
    invoice: ({ invoiceId }) => invoiceId,
    txHash: ({ txHash }) => txHash,
    url: ({ url }) => url,
    state: ({ state }) => state,
    attempts: ({ attempt }) => String(attempt),
    httpStatus: ({ httpStatus }) => (httpStatus === null ? null : String(httpStatus)),
    failure: ({ failure }) => failure,
    created: ({ createdAt }) => createdAt,
    attempted: ({ attemptedAt }) => attemptedAt,
  })
}

/** `now`: Unix milliseconds. */
export function keysAsCsv(rows: readonly ApiKey[], now: number): string {
  return tableOf(rows, {
    id: ({ id }) => id,
    label: ({ label }) => label,
    publicKey: ({ public_key }) => public_key,
    permissions: ({ permissions }) => permissions,
    state: (key) => stateOfKey(key, now),
    created: ({ created_at }) => created_at,
    expires: ({ expires_at }) => expires_at,
    revoked: ({ revoked_at }) => revoked_at,
  })
}

export function eventsAsCsv(rows: readonly BillhookEvent[], info: Pick<ServiceInfo, 'networks'>): string {
  const amountOf = ({ deposit }: BillhookEvent) => (deposit === null ? null : readable(deposit, info))
  return tableOf(rows, {
    id: ({ id }) => id,
    at: ({ at }) => at,
    type: ({ type }) => type,
    invoice: ({ invoiceId }) => invoiceId,
    order: ({ orderId }) => orderId ?? null,
    reference: ({ reference }) => reference,
    orderNumber: ({ orderNumber }) => orderNumber,
    amount: (event) => amountOf(event)?.value ?? null,
    coin: (event) => amountOf(event)?.symbol ?? null,
    network: ({ deposit }) => deposit?.network ?? null,
    address: ({ deposit }) => deposit?.toAddress ?? null,
    txHash: ({ deposit }) => deposit?.txHash ?? null,
  })
}
