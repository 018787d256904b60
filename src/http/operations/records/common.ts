import { NETWORK_ID } from '../../../domain/network.js'
import { text } from '../schema.js'

/** Fields that several records have. */

export const NETWORK_PATTERN = NETWORK_ID.source

/**
 * The id of a network. Which there are is the operator's choice, so the document of no particular service leaves it open; the one that a
 * service answers lists its own in place of the form.
 */
export const networkName = text('The id of a network, as `GET /api/info` lists them.', {
  pattern: NETWORK_PATTERN,
  examples: ['SEP', 'TRX-NILE'],
})

export const identity = text('The identity: the id of its stream on the ledger.')

/** As a block of a network has it. */
export const observedCurrency = {
  type: ['string', 'null'],
  description: '`Tether` for USDT, else the symbol of the token; `#native` or null for the coin. As observed.',
} as const

export const CURRENCY_PATTERN = '^(native|(?!NATIVE$)[A-Z0-9]{2,12})$'

/** Which there are is the operator's choice, as with networks. */
export const currencyName = text(
  '`native`, the coin of the network of each wallet, or a token by its symbol: `USDT`, or another one that `GET /api/info` lists.',
  { pattern: CURRENCY_PATTERN, examples: ['native', 'USDT', 'USDC'] },
)
