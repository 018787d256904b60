import type { Clock } from '../clock.js'
import { type EventType, eventBody, type OwnerEvent } from '../domain/event.js'
import { type Outcome, refuse, succeed } from '../domain/failure.js'
import { NO_ORDER_FIELDS } from '../domain/order-fields.js'
import { type DeliveryResult, type InvoiceState, type WebhookConfiguration, webhookBody } from '../domain/webhook.js'
import type { WebhookPort } from '../store/webhooks.js'
import type { Sender } from './sender.js'
import { deliveryHeaders } from './signature.js'

/** Test deliveries in flight, of all owners together. They take no slots from real ones. */
const UNDER_WAY_MAX = 16

/** The content of a test. No invoice, deposit or wallet has these names. */
const REFERENCE = 'billhook-test'
const INVOICE_ID = '0'.repeat(32)
const EVENT_ID_DIGITS = 16
const DEPOSIT = {
  network: 'SEP',
  toAddress: `0x${'0'.repeat(40)}`,
  amount: '25000000',
  currency: 'Tether',
} as const
const INVOICE: InvoiceState = {
  amount: '25',
  currency: 'USDT',
  status: 'unpaid',
  received: '0',
  pending: '25',
  remaining: '25',
  overpaid: '0',
  ...NO_ORDER_FIELDS,
}

export interface TestDelivery {
  /** The `webhook-id`. */
  readonly id: string
  readonly url: string
  readonly result: DeliveryResult
}

export interface TestDeliveriesParts {
  readonly webhooks: Pick<WebhookPort, 'find' | 'secrets'>
  readonly sender: Pick<Sender, 'send'>
  readonly clock: Clock
  /** 32 hex characters. */
  readonly newId: (nowMs: number) => string
  /** 64 hex characters, random, so that receivers that deduplicate accept each test. */
  readonly randomHashHex: () => string
}

/** Sends test deliveries: at once, signed like real ones, and not stored. */
export class TestDeliveries {
  private readonly owners = new Set<string>()

  constructor(private readonly parts: TestDeliveriesParts) {}

  /**
   * Sends one to the owner's default callback URL and returns its result. Refuses with `no_callback_url`, with
   * `too_many_tests` while another one of the owner is in flight, and with `overloaded`.
   */
  async send(owner: string): Promise<Outcome<TestDelivery>> {
    const configuration = await this.parts.webhooks.find(owner)
    const { callback_url: url } = configuration
    if (url === null) return refuse('no_callback_url')
    if (this.owners.has(owner)) return refuse('too_many_tests')
    if (this.owners.size >= UNDER_WAY_MAX) return refuse('overloaded')
    this.owners.add(owner)
    try {
      return succeed(await this.attempt(configuration, url))
    } finally {
      this.owners.delete(owner)
    }
  }

  private async attempt(configuration: WebhookConfiguration, url: string): Promise<TestDelivery> {
    const { webhooks, sender, clock, newId, randomHashHex } = this.parts
    const secrets = await webhooks.secrets(configuration.owner)
    const nowMs = clock.now()
    const id = newId(nowMs)
    const body = Buffer.from(testBody(configuration, id, `0x${randomHashHex()}`, nowMs))
    const result = await sender.send({ url, headers: deliveryHeaders({ id, body }, secrets, nowMs), body })
    return { id, url, result }
  }
}

function testBody({ payload, types }: WebhookConfiguration, id: string, txHash: string, nowMs: number): string {
  if (payload === 'events') return eventBody(testEvent(types ?? [], id, txHash, nowMs), { test: true })
  const added = payload === 'with-invoice' ? { invoice: INVOICE } : {}
  const named = { id: INVOICE_ID, reference: REFERENCE }
  return webhookBody(named, 'pending', { ...DEPOSIT, txHash, receivedAt: nowMs }, { ...added, test: true })
}

/** What most receivers act on, or where the owner has not chosen that, the first event that it has. */
function testEvent(types: readonly EventType[], deliveryId: string, txHash: string, nowMs: number): OwnerEvent {
  const [first = 'invoice.paid'] = types
  const type = types.includes('invoice.paid') ? 'invoice.paid' : first
  const attempt = { status: null, attempt: 1, httpStatus: 500, failure: null } as const
  const event = { id: deliveryId.slice(0, EVENT_ID_DIGITS), type: 'invoice.paid' } as const
  return {
    id: event.id,
    type,
    at: nowMs,
    invoiceId: INVOICE_ID,
    reference: REFERENCE,
    deposit: type.startsWith('deposit.') ? { ...DEPOSIT, index: 0, txHash, receivedAt: nowMs } : null,
    delivery: type === 'delivery.failed' ? { id: deliveryId, ...attempt, event } : null,
    ...NO_ORDER_FIELDS,
  }
}
