import { PUSHED_KEYS_MAX } from '../../domain/key-history.js'
import { RATE_AT_MAX } from '../../domain/rate-set.js'
import { EVENTS_MAX } from '../../ledger/gateway-events.js'
import { examples } from './examples.js'
import { operations } from './operation.js'
import { ownerInBody } from './parameters.js'
import { networkName as network } from './records/common.js'
import { givenRates } from './records/rates.js'
import { list, oneOf, orNull, record, type Schema, text, whole } from './schema.js'

const nonEmpty = (description: string) => text(description, { minLength: 1 })

function event(types: readonly string[], more: Readonly<Record<string, Schema>>): Schema {
  return record({
    id: text('An id that was answered has no effect later.', { minLength: 1, maxLength: 128 }),
    type: oneOf(types, 'What happened.'),
    ...more,
  })
}

const wallet = {
  id: nonEmpty('The id of the wallet.'),
  address: nonEmpty('Its address, valid on the network.'),
  network,
}

const events = [
  event(['identity.onboarded'], { identity: ownerInBody }),
  event(['wallet.created'], { wallet: record(wallet) }),
  event(['wallet.assigned'], {
    wallet: record({ ...wallet, address: orNull(wallet.address), network: orNull(network) }, ['address', 'network']),
    owner: ownerInBody,
  }),
  event(['deposit.pending', 'deposit.confirmed', 'deposit.dropped'], {
    deposit: record(
      {
        network,
        txHash: text('The hash of the transaction.', { minLength: 1, maxLength: 128 }),
        index: whole('Which transfer of the transaction it is.', { minimum: 0, maximum: 0xffff_ffff, default: 0 }),
        toAddress: text('The receiving address.', { minLength: 1, maxLength: 128 }),
        currency: {
          type: ['string', 'null'],
          maxLength: 64,
          description: '`Tether` for USDT, else the symbol of the token; `#native`, null or empty for the coin.',
        },
        amount: nonEmpty('Whole units of a token, decimal coins otherwise.'),
        receivedAt: whole('Unix milliseconds: when it was received. Now, if absent.', { format: 'int64' }),
      },
      ['index', 'currency', 'receivedAt'],
    ),
  }),
  event(['identity.keys'], {
    identity: ownerInBody,
    keys: list(text('A secp256k1 key as the ledger spells it: hex behind `0x`, or PEM.', { minLength: 1 }), {
      minItems: 1,
      maxItems: PUSHED_KEYS_MAX,
      description: 'All keys that speak for the identity from now on.',
    }),
  }),
]

export const gatewayOperations = operations({
  'POST /internal/events': {
    id: 'pushEvents',
    chapter: 'Ledger gateway',
    summary: 'Push events of the ledger and of the networks',
    description: 'Applied in order, and answered when they are on disk. A bad event is rejected alone.',
    path: {},
    query: {},
    body: {
      required: true,
      schema: record({ events: list({ oneOf: events }, { minItems: 1, maxItems: EVENTS_MAX }) }),
      examples: {
        assignment: {
          events: [
            { id: 'e-1', type: 'wallet.assigned', wallet: { id: '6a7a00d0c2b04bb2' }, owner: examples.invoice.owner },
          ],
        },
      },
    },
    answers: {
      200: {
        description: 'A result for each event.',
        body: record({ results: list({ $ref: '#/components/schemas/EventResult' }) }),
        example: { results: [{ id: 'e-1', status: 'applied' }] },
      },
    },
    errors: ['invalid_json', 'invalid_events'],
  },
  'POST /internal/rates': {
    id: 'pushRates',
    chapter: 'Ledger gateway',
    summary: 'Push a set of rates',
    description:
      'It exists if `BILLHOOK_RATES` is `push`. One bad value refuses the whole set, and the last good one stays. Answered when it is on disk.',
    path: {},
    query: {},
    body: {
      required: true,
      schema: record({
        at: whole('When the rates held: Unix milliseconds, never later than now.', {
          format: 'int64',
          minimum: 1,
          maximum: RATE_AT_MAX,
        }),
        rates: givenRates,
      }),
      examples: { rates: { at: 1794700800000, rates: { EUR: { USDT: '0.92', ETH: '2950.10' } } } },
    },
    answers: {
      200: {
        description: 'What became of it.',
        body: 'RatesTaken',
        example: { status: 'accepted', at: 1794700800000, held: [{ currency: 'EUR', coin: 'ETH' }], left_out: [] },
      },
    },
    errors: ['invalid_json', 'invalid_rates'],
  },
})
