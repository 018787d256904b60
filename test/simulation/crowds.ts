import type { ScriptNetworks } from './networks.js'
import type { Random } from './random.js'
import type { CoreStep, TransferStep } from './steps.js'

/** How often a crowd comes between two steps, and how often what waits behind it is tried. */
const CROWD_PROBABILITY = 0.006
const RETRY_PROBABILITY = 0.1
const INVOICES_MIN = 4
const INVOICES_MAX = 9
/** More than they ask for together, and amounts that none of them asks for. */
const EVERYTHING = 900
const DUST = 100
/** Transactions of crowds have names of their own. */
const TRANSACTIONS = 100_000
const LATER_MS = 20

/**
 * Has some scripts pay many invoices of one wallet at once, so that what comes behind waits. Its choices are of a stream of their own: but
 * for these, a seed makes the same script as before there were any.
 */
export function withCrowds(
  steps: readonly CoreStep[],
  [network]: ScriptNetworks,
  random: Random,
): { readonly isSettlingSlow: boolean; readonly steps: readonly CoreStep[] } {
  const often = random.pick([0, 0, 1, 3])
  let made = 0
  const transfer = (wallet: number, coins: number): TransferStep => {
    made += 1
    return { tx: TRANSACTIONS + made, index: 0, wallet, spelling: 0, label: '#native', amount: { coins, form: 0 } }
  }
  const append = (isConfirmed: boolean, ...blocks: readonly (readonly TransferStep[])[]): CoreStep => ({
    ...{ do: 'chain', network },
    move: {
      ...{ move: 'append', isConfirmed, flaw: null },
      blocks: blocks.map((transfers) => ({ transfers, offsetMs: 1 })),
    },
  })
  const dusts = () =>
    Array.from({ length: random.between(1, 3) }, () => transfer(random.pick([0, 0, 2]), DUST + random.below(20)))
  const crowd = (): readonly CoreStep[] => {
    const invoices = Array.from({ length: random.between(INVOICES_MIN, INVOICES_MAX) }, (_, n): CoreStep => {
      const wallets = random.chance(0.8) ? [0] : [0, 2]
      return {
        ...{ do: 'invoice', owner: 0, wallets, amount: { coins: 1 + n + random.below(2) * 20, form: 0 } },
        ...{ currency: 'native', reference: random.below(100_000), callback: 'own', isPoison: false },
        ...{ idempotencyKey: null, expiresInSeconds: null },
      }
    })
    const owned = [0, 2].map((wallet): CoreStep => {
      const created = { type: 'created', event: null, wallet, place: wallet } as const
      return { do: 'events', events: [created, { type: 'assigned', event: null, wallet, owner: 0, place: null }] }
    })
    const all = transfer(random.pick([0, 0, 2]), EVERYTHING)
    const settle: CoreStep = { do: 'settle', salt: random.below(1000) }
    const paid: readonly CoreStep[] = random.chance(0.5)
      ? [
          { do: 'events', events: [{ type: 'deposit', event: null, report: 'confirmed', ...all, offsetMs: 1 }] },
          settle,
          append(false, dusts()),
        ]
      : [append(true, [all], dusts()), append(false, [all, ...dusts()], dusts())]
    return [
      ...owned,
      settle,
      ...invoices,
      settle,
      { do: 'wait', ms: LATER_MS },
      ...paid,
      ...(random.chance(0.5) ? [settle] : []),
    ]
  }
  const written = steps.flatMap((step): CoreStep[] => {
    const before = random.chance(CROWD_PROBABILITY * often) ? crowd() : []
    const behind: CoreStep[] = random.chance(RETRY_PROBABILITY * often) ? [{ do: 'retry', network }] : []
    return [...before, step, ...behind]
  })
  return { isSettlingSlow: often > 0, steps: written }
}
