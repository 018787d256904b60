import type { Network } from '../../src/domain/network.js'

/** Wallets of the first one are the even ones. */
export const SIMULATED_NETWORKS: readonly [Network, ...Network[]] = ['SEP', 'TRX-NILE']
