import { RATE_NAMES_MAX, RATES_MAX } from '../../../domain/rate-set.js'
import { RATE_ORIGINS } from '../../../domain/rates.js'
import { list, oneOf, orNull, record, type Schema, text, time, whole } from '../schema.js'

const rate = (description: string) =>
  text(description, { pattern: '^[0-9]{1,18}(\\.[0-9]{1,18})?$', not: { pattern: '^[0.]*$' } })
const CURRENCY_PATTERN = '^[A-Z][A-Z0-9]{1,11}$'
const COIN_PATTERN = '^[A-Za-z0-9.]{1,16}$'

/** By currency and coin, as sources give them. */
export const givenRates: Schema = {
  type: 'object',
  description: `By currency and coin: the price of one coin. At most ${RATES_MAX} rates.`,
  minProperties: 1,
  maxProperties: RATE_NAMES_MAX,
  propertyNames: { pattern: CURRENCY_PATTERN },
  additionalProperties: {
    type: 'object',
    minProperties: 1,
    maxProperties: RATE_NAMES_MAX,
    propertyNames: { pattern: COIN_PATTERN },
    additionalProperties: rate('A decimal greater than zero.'),
  },
}

const currency = text('What it is a price in, such as `EUR`.', { pattern: CURRENCY_PATTERN })
const coin = text("The symbol of the coin: a network's own, or a token's.", { pattern: COIN_PATTERN })

const pair = { $ref: '#/components/schemas/RatePair' }

export const rateRecords = {
  Rates: record({
    source: oneOf(['off', ...RATE_ORIGINS], 'Where rates come from.'),
    at: orNull(time('The date of the present set; null before the first one.')),
    age_seconds: orNull(whole('How old the present set is.', { minimum: 0 })),
    max_age_seconds: whole('The greatest age of a rate that is used.', { minimum: 0 }),
    spread: text('What is charged on top of an amount that was computed by a rate, in percent.'),
    rates: {
      type: 'object',
      description: 'What is in force, by currency and coin: the price of one coin.',
      additionalProperties: { type: 'object', additionalProperties: rate('A decimal greater than zero.') },
    },
    withheld: list(
      record({
        currency,
        coin,
        why: oneOf(
          ['held', 'left_out', 'old'],
          '`held`: it jumped, until another set says so. `left_out`: the present set lacks it. `old`: the present set is too old.',
        ),
        rate: rate('The last rate that was accepted. It is not used.'),
        at: time('The date of its set.'),
        held: {
          ...record({ rate: rate('In the present set.'), since: time('The date of the set that said so first.') }),
          type: ['object', 'null'],
          description: 'What it has jumped to; null if it has not.',
        },
      }),
      { description: 'Coins that have no rate now.' },
    ),
  }),
  RatesTaken: record({
    status: oneOf(['accepted', 'repeated'], '`repeated`: it is the present set, and changes nothing.'),
    at: time('The date of the set.'),
    held: list(pair, { description: 'Coins whose rates jumped: they have none until another set says so.' }),
    left_out: list(pair, { description: 'Coins that had a rate and are missing in this set: they have none.' }),
  }),
  RatePair: record({ currency, coin }),
} as const satisfies Readonly<Record<string, Schema>>
