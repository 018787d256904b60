import { oneOf, text } from '../schema.js'

/** Fields that several records have. */

/** The networks that every service has. The document that a service answers names its own in their place. */
export const DOCUMENTED_NETWORKS: readonly string[] = ['SEP', 'TRX-NILE']

export const networkName = oneOf(DOCUMENTED_NETWORKS, 'The network.')

export const identity = text('The identity: the id of its stream on the ledger.')

/** As a block of a network has it. */
export const observedCurrency = {
  type: ['string', 'null'],
  description: '`Tether`, `#native` or null, as observed.',
} as const
