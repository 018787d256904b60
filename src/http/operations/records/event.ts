import { EVENT_TYPES, type EventType } from '../../../domain/event.js'
import { decimal, hex, invoiceId, oneOf, orNull, record, type Schema, text, time, whole } from '../schema.js'
import { networkName, observedCurrency } from './common.js'
import { causeOfOrderEvent, orderIdInEvent } from './order.js'
import { orderFields } from './order-fields.js'
import { outcome, toldEvent } from './webhook.js'

const about = {
  invoice: orNull(
    invoiceId('The invoice. Null for a deposit that is matched to none, and for a failed delivery that told of one.'),
  ),
  reference: orNull(text('That of the invoice, or of the order.')),
}

const deposit = record({
  network: networkName,
  txHash: text('The hash of the transaction.'),
  index: whole('Which transfer of the transaction it is.', { minimum: 0 }),
  toAddress: text('The receiving address, as observed.'),
  currency: observedCurrency,
  amount: decimal('As observed: whole units of a token, decimal coins otherwise.'),
  receivedAt: time('When it was received: the time of its block, or of first sight.'),
})

const delivery = record({
  id: hex(32, 'Its `webhook-id`.'),
  status: orNull(oneOf(['pending', 'confirmed'], 'The status of the deposit. Null for an event.')),
  attempt: whole('Attempts so far.', { minimum: 1 }),
  httpStatus: outcome.httpStatus,
  failure: outcome.failure,
  event: toldEvent,
})

const late = {
  type: 'boolean',
  const: true,
  description: 'If the invoice had become void before the deposit came; else absent.',
}

const none = { type: 'null', description: 'Null.' }

/** The kinds of events, by the name of their record: the beginnings of their types, and what they are about. */
const KINDS = {
  InvoiceEvent: { begins: 'invoice.', invoiceId: invoiceId('The invoice.'), deposit: none, delivery: none },
  DepositEvent: {
    begins: 'deposit.',
    invoiceId: about.invoice,
    deposit: { ...deposit, description: 'As it was then.' },
    delivery: none,
  },
  OrderEvent: { begins: 'order.', invoiceId: causeOfOrderEvent, deposit: none, delivery: none },
  DeliveryEvent: { begins: 'delivery.', invoiceId: about.invoice, deposit: none, delivery },
} as const

type Kind = keyof typeof KINDS

function typesOf(kind: Kind): readonly EventType[] {
  return EVENT_TYPES.filter((type) => type.startsWith(KINDS[kind].begins))
}

function eventOf(kind: Kind): Schema {
  return record(
    {
      id: hex(16, 'Its place in the log, and the cursor behind it. Ids of an identity grow.'),
      type: oneOf(typesOf(kind), 'What happened.'),
      at: time('When the service noted it. It never goes back.'),
      ...aboutOf(kind),
    },
    optionalOf(kind),
  )
}

/** What an event of a kind is about. */
function aboutOf(kind: Kind) {
  const { invoiceId, deposit, delivery } = KINDS[kind]
  const what = { invoiceId, reference: about.reference, deposit, delivery, ...orderFields, orderId: orderIdInEvent }
  return kind === 'DepositEvent' ? { ...what, late } : what
}

/** What an event of a kind may lack. */
function optionalOf(kind: Kind): readonly string[] {
  return kind === 'OrderEvent' ? [] : ['late', 'orderId']
}

/** The same event as a webhook. */
function deliveredOf(kind: Kind): Schema {
  return record(
    {
      id: hex(16, 'That of the event. Deduplicate by it.'),
      type: oneOf(typesOf(kind), 'What happened.'),
      at: time('When the service noted it.'),
      data: record(aboutOf(kind), optionalOf(kind)),
      test: { type: 'boolean', const: true, description: 'In test deliveries only: do nothing.' },
    },
    ['test'],
  )
}

const kinds = Object.keys(KINDS) as Kind[]
const pathOf = (name: string) => `#/components/schemas/${name}`

/** One of the records of `prefix` and a kind; `type` says which. */
function eitherOf(prefix: '' | 'Delivered', description: string) {
  return {
    description,
    oneOf: kinds.map((kind) => ({ $ref: pathOf(prefix + kind) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(kinds.flatMap((kind) => typesOf(kind).map((type) => [type, pathOf(prefix + kind)]))),
    },
  }
}

export const eventRecords = {
  DeliveredInvoiceEvent: deliveredOf('InvoiceEvent'),
  DeliveredDepositEvent: deliveredOf('DepositEvent'),
  DeliveredOrderEvent: deliveredOf('OrderEvent'),
  DeliveredDeliveryEvent: deliveredOf('DeliveryEvent'),
  DeliveredEvent: eitherOf(
    'Delivered',
    'The body of a webhook with the payload `events`. `data` has the other fields of the event in the log. `type` says what it is about.',
  ),
  InvoiceEvent: eventOf('InvoiceEvent'),
  DepositEvent: eventOf('DepositEvent'),
  OrderEvent: eventOf('OrderEvent'),
  DeliveryEvent: eventOf('DeliveryEvent'),
  BillhookEvent: eitherOf('', 'What happened to an identity. `type` says what it is about.'),
} as const satisfies Readonly<Record<string, Schema>>
