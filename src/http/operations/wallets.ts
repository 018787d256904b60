import { examples } from './examples.js'
import { operations } from './operation.js'
import { identityInPath } from './parameters.js'
import { record, text } from './schema.js'

const claimed = {
  200: {
    description: 'The wallet, which is not handed out again for ten minutes (a setting). `HEAD` claims nothing.',
    body: 'ClaimedWallet',
    example: { id: '6a7a00d0c2b04bb2', address: 'TYDQ9WYznpT8iBUoDpZTNW16FTj786RqHP' },
  },
} as const

export const walletOperations = operations({
  'GET /api/identity/:id/exists': {
    id: 'identityExists',
    chapter: 'Identities and wallets',
    summary: 'Ask whether an identity exists',
    description: '`ledger_unreachable` and `overloaded` mean unknown, not no.',
    path: { id: text('The id of the identity: 64 lower-case hex digits on a ledger.', { minLength: 1 }) },
    query: {},
    answers: {
      200: {
        description: 'True if the service knows it or a node of the ledger has it.',
        body: record({ exists: { type: 'boolean', description: 'False if every node that answers says so.' } }),
        example: { exists: true },
      },
    },
    errors: ['ledger_unreachable'],
  },
  'GET /api/wallets/claim/niles/trx': {
    id: 'claimTronNileWallet',
    chapter: 'Identities and wallets',
    summary: 'Claim an unassigned TRX-NILE wallet',
    description: 'It has an effect although it is a `GET`: never prefetch it.',
    path: {},
    query: {},
    answers: claimed,
    errors: ['no_wallet_available', 'too_many_claims'],
  },
  'GET /api/wallets/claim/sep/eth': {
    id: 'claimSepoliaWallet',
    chapter: 'Identities and wallets',
    summary: 'Claim an unassigned SEP wallet',
    description: 'It has an effect although it is a `GET`: never prefetch it.',
    path: {},
    query: {},
    answers: claimed,
    errors: ['no_wallet_available', 'too_many_claims'],
  },
  'GET /api/wallets/claim/:chain/:coin': {
    id: 'claimWallet',
    chapter: 'Identities and wallets',
    summary: 'Claim an unassigned wallet of any network',
    description:
      'The path ends as `claim` of the network in `GET /api/info` does; `not_found` when no network has it. It has an effect although it is a `GET`: never prefetch it.',
    path: {
      chain: text('The first segment of `claim`, such as `sep`.', { pattern: '^[a-z0-9-]{1,32}$' }),
      coin: text('The second segment of `claim`, such as `eth`.', { pattern: '^[a-z0-9-]{1,32}$' }),
    },
    query: {},
    answers: claimed,
    errors: ['not_found', 'no_wallet_available', 'too_many_claims'],
  },
  'GET /api/users/:id/wallets': {
    id: 'listWallets',
    chapter: 'Identities and wallets',
    summary: 'List the wallets of an identity',
    description: 'Newest first. A wallet can be invoiced on once it is here with its address.',
    path: { id: identityInPath },
    query: {},
    answers: {
      200: {
        description: 'The wallets.',
        body: ['Wallet'],
        example: [
          {
            id: '6a7a00d0c2b04bb2',
            address: 'TYDQ9WYznpT8iBUoDpZTNW16FTj786RqHP',
            network: examples.deposit.network,
            assigned_at: 1795171626800,
          },
        ],
      },
    },
    errors: [],
  },
})
