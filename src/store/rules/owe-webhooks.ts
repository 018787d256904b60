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
  orderOf(invoice: I): OrderFields
  /** Queues a delivery. */
  owe(delivery: NewDelivery): void
  /**
   * Queues one that shows the payment of an invoice: as it is with this deposit and with all of which the owner was told before, and
   * without what came later.
   */
  oweShowing(invoice: I, deliveryOf: (payment: Payment) => NewDelivery): void
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
 * `events` hear of it from their log instead.
 */
export function oweWebhooks<I extends { readonly invoice: Invoice }>(
  work: OweWork<I>,
  { row: { deposit, isLate }, invoice: current, told, configuration, order }: Told<I>,
): void {
  const { callback_url: defaultUrl, payload } = configuration
  const { id: invoiceId, owner, reference, amount, currency, callback_url } = current.invoice
  const url = resolveCallback(callback_url, defaultUrl)
  if (url === null || reference === null || payload === 'events') return
  const deliveryOf = (status: DepositStatus, shown: AddedToBody): NewDelivery => {
    const added: AddedToBody = { ...(isLate ? { late: true } : {}), ...shown }
    const body = webhookBody({ id: invoiceId, reference }, status, deposit, added)
    return { owner, invoiceId, status, event: null, url, body }
  }
  for (const status of told) {
    if (payload === 'with-invoice') {
      const fields = work.orderOf(current)
      work.oweShowing(current, (payment) =>
        deliveryOf(status, { invoice: stateOf(amount, currency, payment, fields, order) }),
      )
    } else work.owe(deliveryOf(status, {}))
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
