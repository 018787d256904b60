import { REFERENCE_LENGTH_MAX } from '../../domain/invoice.js'
import { EXPIRY_SECONDS_MAX, EXPIRY_SECONDS_MIN } from '../../domain/voiding.js'
import { examples } from './examples.js'
import { operations } from './operation.js'
import { identityInPath, ownerInBody, pageParameters } from './parameters.js'
import { currencyName } from './records/common.js'
import { orderInRequest } from './records/order-fields.js'
import type { RecordName } from './records.js'
import { invoiceId, list, oneOf, orNull, record, type Schema, text, time, whole } from './schema.js'

const reference = text(
  `Your own id, not trimmed, truncated to ${REFERENCE_LENGTH_MAX} characters, unique across all invoices of all owners: make it unguessable. Required for webhooks.`,
)

/** The amount of an invoice in a request. */
export const amountInRequest = text(
  'A decimal: no sign, exponent or space, greater than zero. Never rounded. At most 60 digits before the point and 18 significant ones behind it.',
  {
    maxLength: 100,
    pattern: '^([0-9]{1,60}(\\.[0-9]{1,18}0*)?|\\.[0-9]{1,18}0*)$',
    not: { pattern: '^[0.]*$' },
  },
)

export const walletIds = list(text('The id of a wallet of the owner.', { minLength: 1 }), {
  minItems: 1,
  maxItems: 50,
  description: 'Duplicates are removed, the order is kept.',
})

export const callbackUrl = orNull(
  text("An absolute http: or https: URL without user and password. Wins over the identity's default.", {
    maxLength: 2048,
    pattern: '^$|^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\]+$',
  }),
)

const invoiceRequest: Schema = record(
  {
    owner: { ...ownerInBody, description: 'On the unsigned path only. A signed request ignores it.' },
    walletIds,
    name: text('Trimmed, truncated to 80 characters.', { pattern: '\\S' }),
    amount: amountInRequest,
    currency: {
      ...orNull(currencyName),
      description:
        '`native`, or a token that every network of the wallets has, by its symbol: `USDT`, or another one that `GET /api/info` lists. An empty text counts as absent.',
      default: 'native',
    },
    description: orNull(text('Trimmed, truncated to 500 characters.')),
    reference: orNull(reference),
    callbackUrl,
    ...orderInRequest,
    expiresInSeconds: orNull(
      whole(
        "Seconds until it becomes void unless it is paid or being paid. The operator's default applies without it.",
        {
          minimum: EXPIRY_SECONDS_MIN,
          maximum: EXPIRY_SECONDS_MAX,
        },
      ),
    ),
  },
  ['owner', 'currency', 'description', 'reference', 'callbackUrl', ...Object.keys(orderInRequest), 'expiresInSeconds'],
)

export const idempotencyKey = text(
  'Repeats the first answer for the same body, for 24 hours; creates nothing again. 1 to 255 printable ASCII characters, bare or as a quoted string.',
)

const invoiceInPath = invoiceId('The id of the invoice.')

/** Only an unsigned request has to say who asks. */
export const ownerAlone = {
  required: false,
  schema: record({ owner: ownerInBody }),
  examples: { unsigned: { owner: examples.invoice.owner } },
}

const withPayment = {
  body: 'InvoiceWithPayment',
  example: examples.invoiceWithPayment,
} as const satisfies { body: RecordName; example: unknown }

export const invoiceOperations = operations({
  'POST /api/invoices': {
    id: 'createInvoice',
    chapter: 'Invoices',
    summary: 'Create an invoice',
    description:
      'The invoice is on disk when the answer is sent. If you get no answer, repeat the request with the same `reference` or `Idempotency-Key`.',
    path: {},
    query: {},
    headers: { 'Idempotency-Key': idempotencyKey },
    body: {
      required: true,
      schema: invoiceRequest,
      examples: {
        signed: {
          walletIds: ['6a7a00d0c2b04bb2'],
          name: 'Tea set',
          amount: '25.00',
          currency: 'USDT',
          reference: 'order-1001-5f2c81d90b7e46a3',
          ...examples.order,
        },
        unsigned: {
          owner: examples.invoice.owner,
          walletIds: ['6a7a00d0c2b04bb2'],
          name: 'Tea set',
          amount: '25.00',
          currency: 'USDT',
          expiresInSeconds: 3600,
        },
      },
    },
    answers: {
      201: {
        description: 'The invoice was created, or had been by the same `Idempotency-Key`.',
        body: 'CreatedInvoice',
        headers: ['Location', 'Invoice-Expires-At', 'Idempotency-Replayed'],
        example: { id: examples.invoice.id, url: `/pay/${examples.invoice.id}` },
      },
    },
    errors: [
      ...(['invalid_json', 'invalid_invoice', 'invalid_return_url', 'invalid_order_number'] as const),
      ...(['invalid_metadata', 'invalid_expiry', 'unsupported_currency'] as const),
      ...(['wallet_not_owned', 'mixed_native_coins', 'invalid_callback_url', 'invalid_idempotency_key'] as const),
      ...(['reference_in_use'] as const),
      ...(['amount_in_use', 'wallet_in_use', 'too_many_wallet_sets', 'request_repeated'] as const),
      ...(['idempotency_in_progress', 'idempotency_key_reused'] as const),
    ],
  },
  'POST /api/invoices/:id/void': {
    id: 'voidInvoice',
    chapter: 'Invoices',
    summary: 'Void an invoice',
    description:
      'From then on it blocks no amount and is not notified of deposits. Its reference stays taken. Repeating it gives the same answer. A signed request needs no body.',
    path: { id: invoiceInPath },
    query: {},
    body: ownerAlone,
    answers: { 200: { description: 'The invoice, which is void.', ...withPayment } },
    errors: ['invalid_json', 'owner_required', 'not_invoice_owner', 'invoice_not_found', 'invoice_paid'],
  },
  'POST /api/invoices/:id/accept': {
    id: 'acceptInvoice',
    chapter: 'Invoices',
    summary: 'Accept an invoice',
    description:
      'Takes what has come as enough. From then on it blocks no amount, is not notified of deposits seen later, and neither expires nor can be voided. Payers read that it is paid; `payment` still says what came. Repeating it gives the same answer, and so does a paid invoice. A signed request needs no body.',
    path: { id: invoiceInPath },
    query: {},
    body: ownerAlone,
    answers: { 200: { description: 'The invoice, which is accepted.', ...withPayment } },
    errors: ['invalid_json', 'owner_required', 'not_invoice_owner', 'invoice_not_found', 'invoice_void'],
  },
  'GET /api/invoices/:id': {
    id: 'getInvoice',
    chapter: 'Invoices',
    summary: 'Get an invoice and its payment',
    path: { id: invoiceInPath },
    query: {},
    answers: { 200: { description: 'The record, its payment and its end.', ...withPayment } },
    errors: ['invoice_not_found'],
  },
  'GET /api/users/:id/invoices': {
    id: 'listInvoices',
    chapter: 'Invoices',
    summary: 'List the invoices of an identity',
    description:
      'Newest first. With `status`, `currency`, `createdAfter`, `createdBefore` or `orderNumber` the answer is always a page, of 100 if there is no `limit`. It looks at no more than 1000 invoices, so it may be short or even empty and have a next page all the same: go on while there is a `Link`.',
    path: { id: identityInPath },
    query: {
      ...pageParameters,
      include: oneOf(
        ['payment'],
        'Adds `payment`, `voided_at`, `accepted_at`, `expires_at`, `returnUrl`, `orderNumber` and `metadata` to each record.',
      ),
      reference: text('Only the invoice with this reference.'),
      orderNumber: text('Only invoices with exactly this order number.'),
      status: oneOf(['unpaid', 'paid'], 'Only invoices whose payment has this status. An accepted one counts as paid.'),
      currency: { ...currencyName, description: 'Only invoices in this currency.' },
      createdAfter: { ...time('Only invoices created after this time.'), maximum: 999_999_999_999_999 },
      createdBefore: { ...time('Only invoices created before this time.'), maximum: 999_999_999_999_999 },
    },
    answers: {
      200: {
        description: 'The records, or a page of them.',
        body: {
          anyOf: [
            list({ $ref: '#/components/schemas/Invoice' }),
            list({ $ref: '#/components/schemas/InvoiceWithPayment' }),
          ],
        },
        headers: ['Link'],
        example: [examples.invoice],
      },
    },
    errors: [],
  },
})
