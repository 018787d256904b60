import { type DepositAside, isWaiting, nameOf, WAITS } from '../../domain/aside.js'
import type { Sighting } from '../../domain/deposit.js'
import { canonicalAddress } from '../../domain/network.js'
import { NONE_ASIDE, type StepAside } from '../commands.js'
import { type Asking, ask } from './asking.js'
import type { DepositWork, KnownDeposit } from './chain-work.js'

/*
 * A deposit whose choice meets more paid invoices than one transaction settles waits, so that neither its block nor what is behind it has
 * to. It is set aside and recorded later, by `retry`. What comes behind it at its address waits too, so the deposits of an address keep
 * their order.
 */

/** Deposits of a network that may wait. */
export const WAITING_MAX = 500

/**
 * Which of the deposits that a step brings wait, and settles a bounded piece of what they meet. `aside`: what is known of them. `known`: the
 * deposits of the network that were aside before. Null when more would wait than may, and something is left to settle: then the step
 * waits itself.
 */
export function* waitingIn<Row extends KnownDeposit>(
  work: Pick<DepositWork<Row>, 'settle'>,
  all: readonly Sighting[],
  aside: StepAside,
  known: readonly DepositAside[],
): Asking<StepAside | null> {
  const brought = all.filter((sighting) => !aside.has(nameOf(sighting)))
  if (brought.length === 0) return NONE_ASIDE
  const before = known.filter(isWaiting)
  const taken = new Set(before.map(({ sighting }) => addressOf(sighting)))
  const unsettled = yield* ask(work.settle(brought.filter((sighting) => !taken.has(addressOf(sighting)))))
  const told = [...aside].flatMap(([name, error]) => (error === WAITS ? [name] : []))
  const names = withThoseBehind(all, taken, new Set([...told, ...[...unsettled].map(nameOf)]))
  const waiting = new Map([...names].filter((name) => !aside.has(name)).map((name) => [name, WAITS]))
  if (before.length + waiting.size <= WAITING_MAX) return waiting
  return (yield* ask(work.settle(brought))).size > 0 ? null : NONE_ASIDE
}

/** The names of deposits that wait, and of those that come behind one of them at its address. `taken`: where some wait already. */
function withThoseBehind(
  all: readonly Sighting[],
  taken: ReadonlySet<string>,
  waiting: ReadonlySet<string>,
): ReadonlySet<string> {
  const addresses = new Set(taken)
  const names = new Set(waiting)
  for (const sighting of all) {
    const address = addressOf(sighting)
    if (addresses.has(address)) names.add(nameOf(sighting))
    if (names.has(nameOf(sighting))) addresses.add(address)
  }
  // A block may list a deposit twice, as what went to two addresses.
  return names.size === waiting.size ? names : withThoseBehind(all, taken, names)
}

function addressOf({ toAddress }: Sighting): string {
  return canonicalAddress(toAddress)
}
