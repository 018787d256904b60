import { operations } from './operation.js'
import { text } from './schema.js'

/** What the events of a page take and answer. */
const pageEvents = {
  query: { after: text('The version that the page shows.') },
  headers: { 'Last-Event-ID': text('The last version that was seen; browsers send it when they connect again.') },
  answers: {
    200: {
      description: 'The events.',
      type: 'text/event-stream',
      body: { type: 'string', description: 'Server-sent events.' },
    },
    204: { description: 'Nothing more is expected.', body: null },
  },
} as const

/** The QR code of an address on a page. */
const qrCode = {
  query: {},
  answers: {
    200: {
      description: 'The QR code of the address itself.',
      type: 'image/svg+xml',
      body: { type: 'string', description: 'An image in SVG.' },
    },
  },
} as const

export const paymentPageOperations = operations({
  'GET /pay/:id': {
    id: 'showPaymentPage',
    chapter: 'Payment page',
    summary: 'Show the payment page of an invoice',
    description:
      'Errors are pages too. `?lang=` chooses the language. Other query parameters are ignored, because mail and chat programs add some to links.',
    path: { id: text('The id of the invoice.', { minLength: 1 }) },
    query: {},
    headers: { 'Accept-Language': text('The languages that the payer prefers.') },
    answers: {
      200: { description: 'The page.', type: 'text/html', body: { type: 'string', description: 'A page of HTML.' } },
      302: {
        description: 'The invoice is an option of an order: `Location` leads to the page of the order.',
        body: null,
        headers: ['Location'],
      },
    },
    errors: ['invoice_not_found'],
  },
  'GET /pay/:id/events': {
    id: 'watchPaymentPage',
    chapter: 'Payment page',
    summary: 'Wait for changes of a payment page',
    description:
      'Server-sent events: `changed` with the version that the page has now, and `beat` every 15 seconds. The stream says what has changed since the given version, and goes on until either side ends it. For the script of the page; the API has webhooks.',
    path: { id: text('The id of the invoice.', { minLength: 1 }) },
    ...pageEvents,
    errors: ['invoice_not_found', 'overloaded'],
  },
  'GET /pay/:id/qr/:file': {
    id: 'showQrCode',
    chapter: 'Payment page',
    summary: 'Show the QR code of an address on the payment page',
    description: 'Errors are pages. There is no code while nothing is to be sent to the address.',
    path: {
      id: text('The id of the invoice.', { minLength: 1 }),
      file: text('The id of a wallet of the invoice and `.svg`.', { minLength: 1 }),
    },
    ...qrCode,
    errors: ['not_found'],
  },
  'GET /order/:id': {
    id: 'showOrderPage',
    chapter: 'Payment page',
    summary: 'Show the payment page of an order',
    description:
      'The payer chooses a coin. Errors are pages too. `?lang=` chooses the language, `?option=` the option, from 1 on in their order, and `?wallet=` its wallet, from 0 on. Other query parameters are ignored, because mail and chat programs add some to links.',
    path: { id: text('The id of the order.', { minLength: 1 }) },
    query: {},
    headers: { 'Accept-Language': text('The languages that the payer prefers.') },
    answers: {
      200: { description: 'The page.', type: 'text/html', body: { type: 'string', description: 'A page of HTML.' } },
    },
    errors: ['order_not_found'],
  },
  'GET /order/:id/events': {
    id: 'watchOrderPage',
    chapter: 'Payment page',
    summary: 'Wait for changes of the payment page of an order',
    description:
      'As of the page of an invoice. What comes for one option changes the page, whichever option it shows. For the script of the page; the API has webhooks.',
    path: { id: text('The id of the order.', { minLength: 1 }) },
    ...pageEvents,
    errors: ['order_not_found', 'overloaded'],
  },
  'GET /order/:id/qr/:file': {
    id: 'showOrderQrCode',
    chapter: 'Payment page',
    summary: 'Show the QR code of an address on the payment page of an order',
    description: 'Errors are pages. There is no code while nothing is to be sent to the address.',
    path: {
      id: text('The id of the order.', { minLength: 1 }),
      file: text('The id of a wallet of an option and `.svg`.', { minLength: 1 }),
    },
    ...qrCode,
    errors: ['not_found'],
  },
  'GET /pay/shop/wallet/:file': {
    id: 'showWalletScript',
    chapter: 'Payment page',
    summary: 'Load the script of the payment page for browser wallets',
    description:
      'The page loads it where the browser has a wallet. Errors are pages; another version has another name.',
    path: { file: text('The name that the page gives.', { minLength: 1 }) },
    query: {},
    answers: {
      200: {
        description: 'The script, with its texts in the language of the page.',
        type: 'text/javascript',
        body: { type: 'string', description: 'A script.' },
      },
    },
    errors: ['not_found'],
  },
  'GET /pay/shop/logo/:file': {
    id: 'showLogo',
    chapter: 'Payment page',
    summary: 'Show the logo of the shop on the payment page',
    description: 'Errors are pages. There is a logo if `BILLHOOK_PAGE_LOGO` names one; another one has another name.',
    path: { file: text('The name that the page gives.', { minLength: 1 }) },
    query: {},
    answers: {
      200: {
        description: 'The logo.',
        type: ['image/svg+xml', 'image/png', 'image/jpeg', 'image/webp'],
        body: { type: 'string', format: 'binary', description: 'An image in SVG, PNG, JPEG or WebP.' },
      },
    },
    errors: ['not_found'],
  },
})
