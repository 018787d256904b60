import { NETWORKS } from '../../../domain/network.js'
import { oneOf, text } from '../schema.js'

/** Fields that several records have. */

export const networkName = oneOf(NETWORKS, 'The network.')

export const identity = text('The identity: the id of its stream on the ledger.')

/** As a block of a network has it. */
export const observedCurrency = {
  type: ['string', 'null'],
  description: '`Tether`, `#native` or null, as observed.',
} as const
