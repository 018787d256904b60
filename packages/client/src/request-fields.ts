// Generated from the OpenAPI document by `npm run docs`; a test compares the two.

/** The fields that the body of a request may have. */
export const requestFields = {
  createInvoice: [
    'owner',
    'walletIds',
    'name',
    'amount',
    'currency',
    'description',
    'reference',
    'callbackUrl',
    'returnUrl',
    'orderNumber',
    'metadata',
    'expiresInSeconds',
  ],
  createOrder: [
    'owner',
    'price',
    'options',
    'name',
    'description',
    'reference',
    'callbackUrl',
    'returnUrl',
    'orderNumber',
    'metadata',
    'expiresInSeconds',
  ],
  registerApiKey: [
    'owner',
    'label',
    'publicKey',
    'permissions',
    'ttlDays',
  ],
  setWebhook: [
    'callbackUrl',
    'payload',
    'types',
  ],
  rotateWebhookSecret: [
    'overlapSeconds',
  ],
  simulateDeposit: [
    'address',
    'invoiceId',
    'amount',
    'currency',
    'network',
    'txHash',
    'receivedAt',
    'kind',
  ],
} as const
