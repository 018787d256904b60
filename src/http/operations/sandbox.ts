import { examples } from './examples.js'
import { type AnswerAbout, operations } from './operation.js'
import { currencyName, networkName } from './records/common.js'
import { givenRates } from './records/rates.js'
import { list, oneOf, orNull, record, type Schema, text, time, whole } from './schema.js'

const nonEmpty = (description: string) => orNull(text(description, { minLength: 1 }))

const deposit: Schema = {
  ...record(
    {
      address: nonEmpty('Where it goes. Either this or `invoiceId`.'),
      invoiceId: nonEmpty("It goes to the invoice's first wallet, or to its first on `network`."),
      amount: nonEmpty('A decimal in the currency. With `invoiceId`: by default what is still missing.'),
      currency: {
        ...orNull(currencyName),
        description: "A currency of the network. By default the invoice's, or `native` with `address`.",
      },
      network: orNull({
        ...networkName,
        description: "By default the wallet's, or guessed from the form of the address.",
      }),
      txHash: nonEmpty('By default a random one. A known hash adds a transfer to that transaction.'),
      receivedAt: orNull(
        whole('Unix milliseconds, by default now.', { format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      ),
      kind: orNull(
        oneOf(
          ['pending', 'confirmed'],
          'Exactly this happens. Without it: pending at once, confirmed about a second later.',
        ),
      ),
    },
    ['address', 'invoiceId', 'amount', 'currency', 'network', 'txHash', 'receivedAt', 'kind'],
  ),
}

const hashInPath = text('The hash of the transaction.', { minLength: 1 })

const settled = { 200: { description: 'Its deposits.', body: ['Deposit'], example: [examples.deposit] } } as const

/** Ledger nodes answer whatever JSON they like, failures included. */
const anything: Schema = { description: 'As a ledger node answers it.' }

const nodeAnswers: Readonly<Record<number, AnswerAbout>> = {
  200: {
    description:
      "The node's answer. A transaction failed if `$summary.commit` is 0 and `$summary.errors` is not empty.",
    body: anything,
    headers: ['Access-Control-Allow-Origin'],
  },
  500: {
    description: 'Also "not found", as on a ledger node.',
    body: anything,
    headers: ['Access-Control-Allow-Origin'],
  },
}

export const sandboxOperations = operations({
  'GET /sandbox': {
    id: 'describeSandbox',
    chapter: 'Sandbox',
    summary: 'Get what the ledger steps need',
    path: {},
    query: {},
    answers: {
      200: {
        description: 'The simulated ledger and networks.',
        body: record({
          notice: text('That nothing in it has any value.'),
          nodeUrl: text('Transactions go to it and a slash.'),
          namespace: text('The namespace of the contracts.'),
          contracts: record({
            onboard: text('The onboard contract.'),
            assignOwner: text('The assign-owner contract.'),
            replaceKey: text('The contract that replaces the key of an identity.'),
          }),
          onboardingName: text('The name that identities are onboarded under.'),
          networks: list(networkName),
        }),
      },
    },
    errors: [],
  },
  'POST /sandbox/deposits': {
    id: 'simulateDeposit',
    chapter: 'Sandbox',
    summary: 'Simulate a deposit',
    path: {},
    query: {},
    body: {
      required: true,
      schema: deposit,
      examples: {
        invoice: { invoiceId: examples.invoice.id },
        address: { address: examples.deposit.toAddress, amount: '1.5', currency: 'native', kind: 'pending' },
      },
    },
    answers: { 200: { description: 'The deposit.', body: 'Deposit', example: examples.deposit } },
    errors: ['invalid_json', 'invalid_sandbox_deposit'],
  },
  'POST /sandbox/deposits/:txHash/confirm': {
    id: 'confirmDeposit',
    chapter: 'Sandbox',
    summary: 'Confirm every deposit of a transaction',
    path: { txHash: hashInPath },
    query: {},
    answers: settled,
    errors: ['deposit_not_found'],
  },
  'POST /sandbox/deposits/:txHash/drop': {
    id: 'dropDeposit',
    chapter: 'Sandbox',
    summary: 'Take away every deposit of a transaction, as a reorganisation does',
    path: { txHash: hashInPath },
    query: {},
    answers: settled,
    errors: ['deposit_not_found'],
  },
  'POST /sandbox/rates': {
    id: 'setSandboxRates',
    chapter: 'Sandbox',
    summary: 'Set all rates of the sandbox',
    description: 'They hold until others are set, or until the source gives others that `BILLHOOK_RATES` names.',
    path: {},
    query: {},
    body: {
      required: true,
      schema: record({ rates: givenRates }),
      examples: { rates: { rates: { EUR: { USDT: '0.92', ETH: '2950.10' } } } },
    },
    answers: {
      200: {
        description: 'What became of it.',
        body: 'RatesTaken',
        example: { status: 'accepted', at: 1794700800000, held: [], left_out: [{ currency: 'USD', coin: 'TRX' }] },
      },
    },
    errors: ['invalid_json', 'invalid_rates'],
  },
  'POST /sandbox/ledger': {
    id: 'submitTransaction',
    chapter: 'Sandbox',
    summary: 'Post a transaction to the simulated ledger node',
    description: 'The same with a slash at the end of the path.',
    path: {},
    query: {},
    body: {
      required: true,
      schema: { type: 'object', description: 'A transaction with `$tx`, `$sigs` and, to onboard, `$selfsign`.' },
      examples: {
        onboarding: {
          $selfsign: true,
          $sigs: { otk: '<signature>' },
          $tx: {
            $contract: '<onboard>',
            $namespace: '<namespace>',
            $i: { otk: { publicKey: '0x02…', type: 'secp256k1' } },
          },
        },
      },
    },
    answers: nodeAnswers,
    errors: [],
  },
  'GET /sandbox/ledger/api/stream/:id': {
    id: 'readStream',
    chapter: 'Sandbox',
    summary: 'Read a stream of the simulated ledger',
    path: { id: text('The id of the stream.', { minLength: 1 }) },
    query: {},
    answers: nodeAnswers,
    errors: [],
  },
  'GET /sandbox/ledger/api/tx/:umid': {
    id: 'readTransaction',
    chapter: 'Sandbox',
    summary: 'Read a transaction of the simulated ledger',
    path: { umid: text('The id of the transaction.', { minLength: 1 }) },
    query: {},
    answers: nodeAnswers,
    errors: [],
  },
  'GET /sandbox/ledger/activeledgerevents/umids': {
    id: 'listTransactions',
    chapter: 'Sandbox',
    summary: 'List the transactions of the simulated ledger in order of time',
    path: {},
    query: { from: time('From this time on.'), limit: whole('So many rows.') },
    answers: nodeAnswers,
    errors: [],
  },
})
