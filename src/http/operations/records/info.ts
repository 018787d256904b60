import { list, oneOf, orNull, record, type Schema, text, whole } from '../schema.js'
import { networkName } from './common.js'

const TOKEN_PATTERN = '^(?!NATIVE$)[A-Z0-9]{2,12}$'

export const infoRecords = {
  ServiceInfo: record({
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
        token: orNull(
          text(
            'The address of the contract of USDT; null if it is not configured. The first of `tokens` where USDT is none.',
          ),
        ),
        decimals: whole('The decimals of that token.', { minimum: 0 }),
        tokens: list(
          record({
            symbol: text('What invoices in it have as their currency.', { pattern: TOKEN_PATTERN }),
            contract: orNull(text('The address of its contract; null if it is not configured.')),
            decimals: whole('Its decimal places.', { minimum: 0 }),
          }),
        ),
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
      description:
        'What the ledger steps need. Null if there is no ledger, or if the operator has not set it: ask the operator then.',
    },
  }),
} as const satisfies Readonly<Record<string, Schema>>
