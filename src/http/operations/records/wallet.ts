import { orNull, record, type Schema, text, time } from '../schema.js'
import { networkName } from './common.js'

export const walletRecords = {
  Wallet: record({
    id: text('The id of its stream on the ledger.'),
    address: orNull(text('Null until the gateway has reported it.')),
    network: orNull(networkName),
    assigned_at: time('Unix milliseconds.'),
  }),
  ClaimedWallet: record({ id: text('The id to assign on the ledger.'), address: text('Its address on the network.') }),
} as const satisfies Readonly<Record<string, Schema>>
