import { apiFailures, WALLET_REASONS } from '../../../domain/failure.js'
import { list, oneOf, record, type Schema, text } from '../schema.js'

export const errorRecords = {
  Error: {
    ...record(
      {
        error: text('For people. The text may change.'),
        code: oneOf(apiFailures, 'Stable: branch on it. The chapter "Errors" of the description lists all of them.'),
        field: text('With status 400: the field or parameter to blame; if several are wrong, the first.'),
        wallet: text('The id of the wallet to blame, one of those in the request.'),
        reason: oneOf(
          WALLET_REASONS,
          'Why that wallet is refused. `not_assigned`: it is not assigned to this identity, or the service has not learned of it yet. `no_address`: it is, but its address is not known yet.',
        ),
        coin: text('The symbol of the coin that has no current rate.'),
        supported: list(text('A value.'), { description: 'The values that the field may have.' }),
      },
      ['field', 'wallet', 'reason', 'coin', 'supported'],
    ),
    description: 'Every error of every path has this shape.',
  },
} as const satisfies Readonly<Record<string, Schema>>
