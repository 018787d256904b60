import { ORDER_OPTIONS_MAX, ORDER_REFERENCE_LENGTH_MAX } from '../../domain/order.js'
import { ORDER_STATUSES } from '../../domain/order-share.js'
import { EXPIRY_SECONDS_MAX, EXPIRY_SECONDS_MIN } from '../../domain/voiding.js'
import { examples } from './examples.js'
import { amountInRequest, callbackUrl, idempotencyKey, ownerAlone, walletIds } from './invoices.js'
import { operations } from './operation.js'
import { identityInPath, ownerInBody, pageParameters } from './parameters.js'
import { currencyName } from './records/common.js'
import { orderInRequest } from './records/order-fields.js'
import type { RecordName } from './records.js'
import { hex, list, oneOf, orNull, record, type Schema, text, whole } from './schema.js'

const orderRequest: Schema = record(
  {
    owner: { ...ownerInBody, description: 'On the unsigned path only. A signed request ignores it.' },
    price: {
      ...record({
        amount: amountInRequest,
        currency: text('A currency code, such as `EUR`, or the symbol of a coin.', {
          pattern: '^[A-Z][A-Z0-9]{1,11}$',
        }),
      }),
      description: 'What the order costs.',
    },
    options: list(
      record(
        {
          walletIds,
          currency: {
            ...orNull(currencyName),
            description: '`native`, or a token that every network of the wallets has. An empty text counts as absent.',
            default: 'native',
          },
          amount: {
            ...orNull(amountInRequest),
            description:
              'Fixes what this option asks, in its coin. Without it the amount follows from the price and the rate.',
          },
        },
        ['currency', 'amount'],
      ),
      {
        minItems: 1,
        maxItems: ORDER_OPTIONS_MAX,
        description: 'The ways to pay. A wallet may be in one option of each currency.',
      },
    ),
    name: text('Trimmed, truncated to 80 characters.', { pattern: '\\S' }),
    description: orNull(text('Trimmed, truncated to 500 characters.')),
    reference: orNull(
      text(
        `Your own id, not trimmed, truncated to ${ORDER_REFERENCE_LENGTH_MAX} characters. The invoices get it with \`/1\`, \`/2\` and so on behind it, or the id of the order where it has none.`,
      ),
    ),
    callbackUrl,
    ...orderInRequest,
    expiresInSeconds: orNull(
      whole("Seconds until it expires unless something has come for it. The operator's default applies without it.", {
        minimum: EXPIRY_SECONDS_MIN,
        maximum: EXPIRY_SECONDS_MAX,
      }),
    ),
  },
  ['owner', 'description', 'reference', 'callbackUrl', ...Object.keys(orderInRequest), 'expiresInSeconds'],
)

const orderInPath = hex(32, 'The id of the order.')

const shown = { body: 'Order', example: examples.shownOrder } as const satisfies { body: RecordName; example: unknown }

export const orderOperations = operations({
  'POST /api/orders': {
    id: 'createOrder',
    chapter: 'Orders',
    summary: 'Create an order',
    description:
      'Makes an invoice of each option, all of them or none. Where an amount is that of an unpaid invoice on a wallet, it is raised by its last digit, step by step, by half a percent at most. If you get no answer, repeat the request with the same `reference` or `Idempotency-Key`.',
    path: {},
    query: {},
    headers: { 'Idempotency-Key': idempotencyKey },
    body: {
      required: true,
      schema: orderRequest,
      examples: {
        signed: {
          price: { amount: '25.00', currency: 'USDT' },
          options: [
            { walletIds: ['6a7a00d0c2b04bb2'], currency: 'USDT' },
            { walletIds: ['6a7a00d0c2b04bb2'], currency: 'native', amount: '92.5' },
          ],
          name: 'Tea set',
          reference: 'order-1001-5f2c81d90b7e46a3',
          ...examples.order,
        },
        unsigned: {
          owner: examples.invoice.owner,
          price: { amount: '25.00', currency: 'USDT' },
          options: [{ walletIds: ['6a7a00d0c2b04bb2'], currency: 'USDT' }],
          name: 'Tea set',
        },
      },
    },
    answers: {
      201: {
        description: 'The order was created, or had been by the same `Idempotency-Key`.',
        body: 'CreatedOrder',
        headers: ['Location', 'Idempotency-Replayed'],
        example: examples.createdOrder,
      },
    },
    errors: [
      ...(['invalid_json', 'invalid_order', 'invalid_price', 'invalid_options', 'unsupported_currency'] as const),
      ...(['invalid_return_url', 'invalid_order_number', 'invalid_metadata', 'invalid_expiry'] as const),
      ...(['wallet_not_owned', 'mixed_native_coins', 'rate_unavailable', 'invalid_callback_url'] as const),
      ...(['invalid_idempotency_key', 'reference_in_use', 'amount_in_use', 'wallet_in_use'] as const),
      ...(['too_many_wallet_sets', 'request_repeated', 'idempotency_in_progress', 'idempotency_key_reused'] as const),
    ],
  },
  'GET /api/orders/:id': {
    id: 'getOrder',
    chapter: 'Orders',
    summary: 'Get an order and what has come for it',
    path: { id: orderInPath },
    query: {},
    answers: { 200: { description: 'The order with its options.', ...shown } },
    errors: ['order_not_found'],
  },
  'POST /api/orders/:id/void': {
    id: 'voidOrder',
    chapter: 'Orders',
    summary: 'Void an order',
    description:
      'Voids all of its invoices. Refused once what came and what is pending make up the price. Repeating it gives the same answer. A signed request needs no body.',
    path: { id: orderInPath },
    query: {},
    body: ownerAlone,
    answers: { 200: { description: 'The order, which is void.', ...shown } },
    errors: ['invalid_json', 'owner_required', 'not_order_owner', 'order_not_found', 'order_paid'],
  },
  'POST /api/orders/:id/accept': {
    id: 'acceptOrder',
    chapter: 'Orders',
    summary: 'Accept an order',
    description:
      'Takes what has come as enough: the order is paid for good, and its unpaid invoices become void. Repeating it gives the same answer, and so does a paid order. A signed request needs no body.',
    path: { id: orderInPath },
    query: {},
    body: ownerAlone,
    answers: { 200: { description: 'The order, which is accepted.', ...shown } },
    errors: ['invalid_json', 'owner_required', 'not_order_owner', 'order_not_found', 'order_void'],
  },
  'GET /api/users/:id/orders': {
    id: 'listOrders',
    chapter: 'Orders',
    summary: 'List the orders of an identity',
    description:
      'Newest first. The answer is always a page, of 100 if there is no `limit`. It looks at no more than 1000 orders, so with `status` it may be short or even empty and have a next page all the same: go on while there is a `Link`.',
    path: { id: identityInPath },
    query: {
      ...pageParameters,
      limit: whole('Orders on a page.', { minimum: 1, maximum: 1000, default: 100 }),
      status: oneOf(ORDER_STATUSES, 'Only orders with this status.'),
      orderNumber: text('Only orders with exactly this order number.'),
      reference: text('Only the order with this reference.'),
    },
    answers: {
      200: {
        description: 'A page of orders.',
        body: ['Order'],
        headers: ['Link'],
        example: [examples.shownOrder],
      },
    },
    errors: [],
  },
})
