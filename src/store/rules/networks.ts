import type { Currency } from '../../domain/amount.js'
import {
  changedTokens,
  conflictOfNetworks,
  conflictOfToken,
  type Network,
  type NetworkAbout,
  type Networks,
} from '../../domain/network.js'
import { OperatorError } from '../../operator-error.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'

/** What an engine says of the networks that its data is on. */
export interface UsedNetworks {
  /** What is remembered of those on which there is a wallet or a deposit. */
  readonly used: readonly NetworkAbout[]
  /** Whether a deposit on a network was counted as a currency. It may read all deposits of the network; few starts ask. */
  hasDeposits(network: Network, currency: Currency): Awaitable<boolean>
}

/**
 * The networks of the catalogue, and the networks and tokens that are used and not in it any more. Throws `OperatorError` when a
 * network that is used has become another, or a token with deposits has other decimals.
 */
export function* withUsedNetworks(present: Networks, { used, hasDeposits }: UsedNetworks): Asking<Networks> {
  const byId = new Map(used.map((about) => [about.id, about]))
  for (const about of present.all) {
    const before = byId.get(about.id)
    if (before === undefined) continue
    const conflict = conflictOfNetworks(before, about)
    if (conflict !== null) throw new OperatorError(conflict)
    for (const token of changedTokens(before, about)) {
      const isUsed = yield* ask(hasDeposits(about.id, token.currency))
      if (isUsed) throw new OperatorError(conflictOfToken(token, about))
    }
  }
  return present.withRetired(used)
}
