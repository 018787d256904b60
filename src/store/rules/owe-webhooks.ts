import type { Currency } from '../../domain/amount.js'
import type { Deposit, DepositStatus } from '../../domain/deposit.js'
import type { Invoice } from '../../domain/invoice.js'
import type { OrderFields } from '../../domain/order-fields.js'
import type { Payment } from '../../domain/payment.js'
import {
  type AddedToBody,
  type InvoiceState,
  type NewDelivery,
  type OrderInBody,
  resolveCallback,
  type WebhookConfiguration,
  webhookBody,
} from '../../domain/webhook.js'

/** What it needs of an engine. `I` is its row of an invoice. */
export interface OweWork<I> {
  paymentOf(invoice: I): Payment
  orderOf(invoice: I): OrderFields
  /** Queues a delivery. */
  owe(delivery: NewDelivery): void
}

/** What a deposit has done of which an owner may be told. */
export interface Told<I> {
  readonly row: { readonly deposit: Deposit; readonly isLate: boolean }
  /** The invoice that it is matched to, as it is now. */
  readonly invoice: I
  /** The statuses that it has reached and that nobody was told of. */
  readonly told: readonly DepositStatus[]
  /** The owner's. */
  readonly configuration: WebhookConfiguration
  /** The order of the invoice, where a delivery shows it. */
  readonly order: OrderInBody | null
}

/**
 * Queues the deliveries that a deposit owes, if the prerequisites hold (specification, Webhook delivery). Owners with the payload
 * `events` hear of it from their log instead. Where the owner wants the payment in the body, it is the payment as of now.
 */
export function oweWebhooks<I extends { readonly invoice: Invoice }>(
  work: OweWork<I>,
  { row: { deposit, isLate }, invoice: current, told, configuration, order }: Told<I>,
): void {
  const { callback_url: defaultUrl, payload } = configuration
  const { id: invoiceId, owner, reference, amount, currency, callback_url } = current.invoice
  const url = resolveCallback(callback_url, defaultUrl)
  if (url === null || reference === null || payload === 'events') return
  const added: AddedToBody = {
    ...(isLate ? { late: true } : {}),
    ...(payload === 'with-invoice'
      ? { invoice: stateOf(amount, currency, work.paymentOf(current), work.orderOf(current), order) }
      : {}),
  }
  for (const status of told) {
    const body = webhookBody({ id: invoiceId, reference }, status, deposit, added)
    work.owe({ owner, invoiceId, status, event: null, url, body })
  }
}

/** The payload has what it had before there was `own`. */
function stateOf(
  amount: string,
  currency: Currency,
  { own: _, ...payment }: Payment,
  fields: OrderFields,
  order: OrderInBody | null,
): InvoiceState {
  return { amount, currency, ...payment, ...fields, ...(order === null ? {} : { order }) }
}
