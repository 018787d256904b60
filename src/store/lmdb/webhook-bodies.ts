import type { DepositStatus, Sighting } from '../../domain/deposit.js'
import { paymentOf } from '../../domain/payment.js'
import { webhookBody } from '../../domain/webhook.js'
import { atomsOf, type InvoiceRow } from './invoice-rows.js'
import type { Payments } from './payments.js'
import type { WebhookConfigurations } from './webhook-configurations.js'

/** Makes the bodies of deliveries, in the transaction of the deposit that causes them. */
export class WebhookBodies {
  constructor(
    private readonly webhooks: WebhookConfigurations,
    private readonly payments: Payments,
  ) {}

  /** How it stands with the invoice is told as of now: the deposit has to be counted already. */
  of(
    invoice: InvoiceRow,
    named: { readonly id: string; readonly reference: string },
    status: DepositStatus,
    deposit: Sighting,
  ): string {
    if (this.webhooks.of(invoice.owner).payload !== 'with-invoice') return webhookBody(named, status, deposit)
    const { amount, currency } = invoice
    return webhookBody(named, status, deposit, {
      invoice: { amount, currency, ...paymentOf(atomsOf(invoice), this.payments.received(invoice)) },
    })
  }
}
