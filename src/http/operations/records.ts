import { PERMISSIONS } from '../../domain/api-key.js'
import { type FailureCode, failureMessages } from '../../domain/failure.js'
import { NETWORKS } from '../../domain/network.js'
import { decimal, hex, invoiceId, list, oneOf, orNull, record, type Schema, text, time, whole } from './schema.js'

/** The records that answers consist of: the schemas that the document has under a name. */

const networkName = oneOf(NETWORKS, 'The network.')

const identity = text('The identity: the id of its stream on the ledger.')

const invoice = {
  id: invoiceId('In order of time, unless the invoice was imported under another id.'),
  owner: identity,
  wallet_id: text('The first wallet.'),
  wallet_ids: orNull(text('All wallets, joined by commas. Null or empty: `wallet_id` is the only one.')),
  name: text('As sent, trimmed and truncated to 80 characters.'),
  description: orNull(text('As sent, trimmed and truncated to 500 characters.')),
  reference: orNull(text('Your own id, truncated to 80 characters.')),
  amount: decimal('As sent.'),
  currency: oneOf(['native', 'USDT'], '`native` is the coin of the network of each wallet.'),
  callback_url: orNull(text("Wins over the identity's default.")),
  created_at: time('Unix milliseconds.'),
}

const payment = {
  status: oneOf(['unpaid', 'paid'], '`paid` when `received` is at least the amount.'),
  received: decimal('Sum of the confirmed deposits that count.'),
  pending: decimal('Sum of those that would count but are not confirmed yet.'),
  remaining: decimal('The part of the amount that is missing; `0` once paid.'),
  overpaid: decimal('What was received beyond the amount.'),
}

const invoiceWithPayment = {
  ...invoice,
  payment: { $ref: '#/components/schemas/Payment' },
  voided_at: orNull(time('Since when it is void, by voiding or expiry; null while it is payable.')),
  expires_at: orNull(time('When it expires unless it is paid or being paid; null for never.')),
}

const deposit = {
  network: networkName,
  txHash: text('The hash of the transaction.'),
  index: whole('Which transfer of the transaction it is.', { minimum: 0 }),
  toAddress: text('The receiving address, as observed.'),
  currency: { type: ['string', 'null'], description: '`Tether`, `#native` or null, as observed.' },
  amount: decimal('As observed: whole units of a token, decimal coins otherwise.'),
  receivedAt: time('The time of the block, else of first sight.'),
  kind: oneOf(['pending', 'confirmed', 'dropped'], 'What was last reported of it.'),
  confirmedAt: orNull(time('When it was confirmed; null before.')),
}

const outcome = {
  httpStatus: orNull(whole('The status that the receiver answered.', { minimum: 100, maximum: 999 })),
  failure: orNull(
    oneOf(
      ['timeout', 'dns', 'connection', 'refused_address', 'interrupted'],
      'Why there was no answer. `refused_address`: the address is not public, so nothing was sent.',
    ),
  ),
  durationMs: orNull(whole('How long the attempt took.', { minimum: 0 })),
}

export const records = {
  Error: {
    ...record(
      {
        error: text('For people. The text may change.'),
        code: oneOf(
          Object.keys(failureMessages) satisfies string[] as FailureCode[],
          'Stable: branch on it. The chapter "Errors" of the description lists all of them.',
        ),
        field: text('With status 400: the field or parameter to blame; if several are wrong, the first.'),
      },
      ['field'],
    ),
    description: 'Every error of every path has this shape.',
  },
  CreatedInvoice: record({
    id: hex(32, 'The id of the invoice.'),
    url: text('The path of the payment page, behind the address of the service.', {
      pattern: '^/pay/[0-9a-f]{32}$',
    }),
  }),
  Invoice: record(invoice),
  Payment: {
    ...record(payment),
    description: "Computed on every read, exactly, in the invoice's currency. Never stored.",
  },
  InvoiceWithPayment: record(invoiceWithPayment),
  ApiKey: record({
    id: hex(16, 'Revokes the key.'),
    owner: identity,
    label: text('Trimmed and truncated to 60 characters.'),
    public_key: text('Compressed, hex, as registered.', { pattern: '^(0x)?0[23][0-9a-fA-F]{64}$' }),
    permissions: text(`Joined by commas: ${PERMISSIONS.join(', ')}.`),
    expires_at: orNull(time('Null when the key never expires.')),
    revoked_at: orNull(time('Null while it is not revoked.')),
    created_at: time('Unix milliseconds.'),
  }),
  Webhook: record(
    {
      owner: identity,
      callback_url: orNull(text('The default callback URL; null if none is set.')),
      secret: orNull(hex(64, 'Signs deliveries. Null if nothing was configured.')),
      created_at: orNull(time('Unix milliseconds.')),
      updated_at: orNull(time('Unix milliseconds.')),
      payload: oneOf(['with-invoice'], 'Only with this payload.'),
    },
    ['payload'],
  ),
  Delivery: record({
    id: hex(32, 'Its `webhook-id`.'),
    invoiceId: invoiceId('The invoice that it tells of.'),
    reference: text('The reference of the invoice.'),
    txHash: text('The hash of the transaction.'),
    status: oneOf(['pending', 'confirmed'], 'The status of the deposit.'),
    url: text('Where it is sent.'),
    state: oneOf(
      ['queued', 'sending', 'waiting', 'delivered', 'failed'],
      '`waiting` is for the attempt at `nextAttemptAt`; `failed` is final.',
    ),
    attempt: whole('Attempts so far, including one in progress.', { minimum: 0 }),
    ...outcome,
    createdAt: time('Unix milliseconds.'),
    attemptedAt: orNull(time('When the last attempt began.')),
    nextAttemptAt: orNull(time('When the next attempt is due, while `waiting`.')),
  }),
  TestDelivery: record({
    id: hex(32, 'Its `webhook-id`.'),
    url: text('Where it was sent.'),
    state: oneOf(['delivered', 'failed'], 'Whether the receiver answered with 2xx.'),
    ...outcome,
  }),
  Wallet: record({
    id: text('The id of its stream on the ledger.'),
    address: orNull(text('Null until the gateway has reported it.')),
    network: orNull(networkName),
    assigned_at: time('Unix milliseconds.'),
  }),
  ClaimedWallet: record({ id: text('The id to assign on the ledger.'), address: text('Its address on the network.') }),
  Info: record({
    version: text('The version of the service.'),
    strict: { type: 'boolean', description: 'Whether everything that belongs to an identity must be signed.' },
    unsigned: oneOf(
      ['on', 'same-origin', 'off'],
      'Who may create and void invoices without a signature: everybody, pages of the service, nobody.',
    ),
    networks: list(
      record({
        id: networkName,
        name: text('The name for people.'),
        symbol: text('The symbol of its own coin.'),
        token: orNull(text('The address of the contract of USDT; null if it is not configured.')),
        decimals: whole('The decimals of USDT.', { minimum: 0 }),
        claim: text('The end of `/api/wallets/claim/…`.'),
        testnet: { type: 'boolean', description: 'Whether its coins are worthless.' },
      }),
    ),
    ledger: {
      ...record({
        namespace: text('The namespace of the contracts.'),
        contracts: record({
          onboard: text('The contract that onboards an identity.'),
          assignOwner: text('The contract that assigns a wallet.'),
        }),
        onboardingName: text('The name that identities are onboarded under.'),
        nodes: list(text('A base URL. Transactions go to it and a slash.')),
      }),
      type: ['object', 'null'],
      description: 'Null if the operator has not set it: ask the operator then.',
    },
  }),
  Deposit: record(deposit),
  EventResult: record(
    {
      id: orNull(text('The id of the event; null if it had none that can be read.')),
      status: oneOf(['applied', 'duplicate', 'rejected'], 'A duplicate has no effect.'),
      error: text('Why it was rejected.'),
    },
    ['error'],
  ),
  Delivered: {
    ...record(
      {
        reference: text('The reference of the invoice.'),
        status: oneOf(['pending', 'confirmed'], 'Act on `confirmed` only.'),
        invoiceId: invoiceId('The invoice.'),
        network: networkName,
        txHash: text('With `status`, what to deduplicate by.'),
        toAddress: orNull(text('The receiving address.')),
        amount: orNull(text('As observed: whole units of a token, decimal coins otherwise.')),
        currency: { type: ['string', 'null'], description: '`Tether`, `#native` or null, as observed.' },
        receivedAt: time('The same in both notifications.'),
        invoice: record({ amount: invoice.amount, currency: invoice.currency, ...payment }),
        test: { type: 'boolean', const: true, description: 'In test deliveries only.' },
      },
      ['invoice', 'test'],
    ),
    description: '`invoice` is there with the payload `with-invoice`: its state when the delivery was recorded.',
  },
} as const satisfies Readonly<Record<string, Schema>>

export type RecordName = keyof typeof records

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

/** Examples of the records. */
export const examples = {
  invoice: exampleInvoice,
  invoiceWithPayment: {
    ...exampleInvoice,
    payment: { status: 'unpaid', received: '0', pending: '0', remaining: '25', overpaid: '0' },
    voided_at: null,
    expires_at: null,
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
