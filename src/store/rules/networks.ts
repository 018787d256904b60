import { conflictOfNetworks, type NetworkAbout, type Networks } from '../../domain/network.js'
import { OperatorError } from '../../operator-error.js'

/**
 * The networks of the catalogue, and those that are used and not in it any more. `used` is what is remembered of the ones on which
 * there is a wallet or a deposit. Throws `OperatorError` when one of them has become another.
 */
export function withUsedNetworks(present: Networks, used: readonly NetworkAbout[]): Networks {
  const byId = new Map(used.map((about) => [about.id, about]))
  for (const about of present.all) {
    const before = byId.get(about.id)
    const conflict = before === undefined ? null : conflictOfNetworks(before, about)
    if (conflict !== null) throw new OperatorError(conflict)
  }
  return present.withRetired(used)
}
