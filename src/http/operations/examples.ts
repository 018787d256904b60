/** The example of an invoice, for answers. */
const exampleInvoice = {
  id: '01a1f891300174609c7fb15f713cba98',
  owner: '4a52a8b5b8a0f4a1c0f1f7c3a6d55e6b1b3f8f1d2c4e5a69788796a5b4c3d2e1',
  wallet_id: '6a7a00d0c2b04bb2',
  wallet_ids: '6a7a00d0c2b04bb2',
  name: 'Tea set',
  description: null,
  reference: 'order-1001-5f2c81d90b7e46a3',
  amount: '25.00',
  currency: 'USDT',
  callback_url: null,
  created_at: 1795171627009,
}

/** What the example says of its order. */
const exampleOrder = {
  returnUrl: 'https://shop.example/orders/1001',
  orderNumber: '1001',
  metadata: { cart: 'c-7f3a' },
}

const exampleOptionInvoice = { ...exampleInvoice, reference: 'order-1001-5f2c81d90b7e46a3/1' }
const exampleOrderId = '01a1f8913000716a8c7fb15f713cba98'
const exampleOrderExpiry = exampleInvoice.created_at + 900_000

/** What an event tells. */
const exampleData = {
  invoiceId: exampleInvoice.id,
  reference: exampleInvoice.reference,
  deposit: null,
  delivery: null,
  ...exampleOrder,
} as const

/** Examples of the records. */
export const examples = {
  invoice: exampleInvoice,
  order: exampleOrder,
  invoiceWithPayment: {
    ...exampleInvoice,
    payment: { status: 'unpaid', received: '0', pending: '0', remaining: '25', overpaid: '0', own: '0' },
    voided_at: null,
    accepted_at: null,
    expires_at: null,
    ...exampleOrder,
  },
  createdOrder: {
    id: exampleOrderId,
    url: `/order/${exampleOrderId}`,
    expires_at: exampleOrderExpiry,
    invoices: [
      { id: exampleInvoice.id, url: `/pay/${exampleInvoice.id}`, amount: '25.00', currency: 'USDT', rate: '1' },
    ],
  },
  shownOrder: {
    id: exampleOrderId,
    owner: exampleInvoice.owner,
    price: { amount: '25.00', currency: 'USDT' },
    name: exampleInvoice.name,
    description: null,
    reference: exampleInvoice.reference,
    ...exampleOrder,
    created_at: exampleInvoice.created_at,
    expires_at: exampleOrderExpiry,
    voided_at: null,
    accepted_at: null,
    status: 'unpaid',
    paid_fraction: '0.000000000000000000',
    options: [
      {
        invoice: exampleOptionInvoice,
        payment: { status: 'unpaid', received: '0', pending: '0', remaining: '25', overpaid: '0', own: '0' },
        rate: '1',
        rateAt: null,
        spread: null,
        remaining: '25',
        voided_at: null,
      },
    ],
  },
  apiKey: {
    id: '4bb2832533a4235b',
    owner: exampleInvoice.owner,
    label: 'quickstart',
    public_key: '0293f7b4d1c0a6b0e2e3c8f9a7b6d5c4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7',
    permissions: 'invoices:create',
    expires_at: 1795258026867,
    revoked_at: null,
    created_at: 1795171626867,
  },
  webhook: {
    owner: exampleInvoice.owner,
    callback_url: 'https://shop.example/billhook',
    secret: '5b0f8c1e2d3a49586776a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
    created_at: 1795171626900,
    updated_at: 1795171626900,
  },
  delivery: {
    id: '01a1f8958e2b7f10a1b2c3d4e5f60718',
    invoiceId: exampleInvoice.id,
    reference: exampleInvoice.reference,
    txHash: '1173e737c4f3b2a190817263544536271809fadecbbc9dae8f7061524334251607',
    status: 'confirmed',
    event: null,
    url: 'https://shop.example/billhook',
    state: 'failed',
    attempt: 1,
    httpStatus: 500,
    failure: null,
    durationMs: 41,
    createdAt: 1795171627068,
    attemptedAt: 1795171627070,
    nextAttemptAt: null,
  },
  event: {
    id: '01a1f89143c60000',
    type: 'deposit.confirmed',
    at: 1795171631046,
    invoiceId: exampleInvoice.id,
    reference: exampleInvoice.reference,
    deposit: {
      network: 'TRX-NILE',
      txHash: '1173e737c4f3b2a190817263544536271809fadecbbc9dae8f7061524334251607',
      index: 0,
      toAddress: 'TYDQ9WYznpT8iBUoDpZTNW16FTj786RqHP',
      currency: 'Tether',
      amount: '25000000',
      receivedAt: 1795171627068,
    },
    delivery: null,
    ...exampleOrder,
  },
  deposit: {
    network: 'TRX-NILE',
    txHash: '1173e737c4f3b2a190817263544536271809fadecbbc9dae8f7061524334251607',
    index: 0,
    toAddress: 'TYDQ9WYznpT8iBUoDpZTNW16FTj786RqHP',
    currency: 'Tether',
    amount: '25000000',
    receivedAt: 1795171627068,
    kind: 'pending',
    confirmedAt: null,
  },
  deliveredEvent: { id: '01a1f89143c60001', type: 'invoice.paid', at: 1795171631046, data: exampleData },
  delivered: {
    reference: exampleInvoice.reference,
    status: 'confirmed',
    invoiceId: exampleInvoice.id,
    network: 'TRX-NILE',
    txHash: '1173e737c4f3b2a190817263544536271809fadecbbc9dae8f7061524334251607',
    toAddress: 'TYDQ9WYznpT8iBUoDpZTNW16FTj786RqHP',
    amount: '25000000',
    currency: 'Tether',
    receivedAt: 1795171627068,
  },
} as const
