import { conflictOf, type DepositValue, depositValue, flawOf, type Sighting } from '../../../domain/deposit.js'
import type { TokenDecimals } from '../../../domain/network.js'
import type { Work } from '../connection/work.js'
import { type Candidates, searchAll } from './candidates.js'
import type { DepositMemo } from './deposit-memo.js'
import type { DepositRow } from './deposit-rows.js'
import { candidatesFor, searchNameOf } from './matching.js'

/**
 * Paid invoices that one transaction settles at most before a command chooses among the unpaid ones, counted on each of their
 * wallets. Where one payment has covered more, they are settled in transactions of their own before.
 */
const SETTLED_PLACES_MAX = 100

/** Records deposits: their sums, the invoice that each notifies, and the deliveries that it owes. */
export class DepositRecorder {
  constructor(private readonly tokenDecimals: TokenDecimals) {}

  /**
   * Settles a bounded piece of what the choices for these deposits will meet, and answers those for which there is more. Without it
   * a deposit finds its invoice too, but settles everything at once. The addresses are locked.
   */
  async settle(memo: DepositMemo, work: Work, sightings: Iterable<Sighting>): Promise<ReadonlySet<Sighting>> {
    const searches = new Map<Sighting, Candidates>()
    const notified: string[] = []
    for (const sighting of sightings) {
      if (this.flawOf(sighting) !== null) continue
      const known = await memo.deposit(sighting)
      const invoiceId = known?.invoiceId ?? null
      if (invoiceId !== null) {
        notified.push(invoiceId)
        continue
      }
      if (this.conflictWith(known, sighting) !== null) continue
      // What is known of a deposit stands, whatever a later report of it says.
      const stands = known === undefined || known.deposit.kind === 'dropped' ? undefined : known
      const value = stands === undefined ? this.valueOf(sighting) : { currency: stands.countedAs, atoms: stands.atoms }
      if (value === null) continue
      const seen = stands?.deposit ?? sighting
      const candidates = await candidatesFor(memo, work, await memo.address(seen), seen, value)
      if (candidates === null) continue
      searches.set(sighting, candidates)
      memo.searches.set(searchNameOf(seen, value), candidates)
    }
    await memo.prepareInvoices(notified)
    const left = await searchAll(work, [...searches.values()], SETTLED_PLACES_MAX)
    return new Set([...searches].flatMap(([sighting, search]) => (left.has(search) ? [sighting] : [])))
  }

  /** The value of a deposit; null if it is not a positive amount of its currency. */
  valueOf(sighting: Sighting): DepositValue | null {
    return depositValue(sighting, this.tokenDecimals)
  }

  /** Why a deposit cannot be recorded; null when it can. */
  flawOf(sighting: Sighting): string | null {
    return flawOf(sighting, this.tokenDecimals)
  }

  /**
   * What a sighting contradicts of a known deposit; null for nothing. A report that contradicts what is known is never half
   * applied (decisions 5). A dropped deposit may come again as another.
   */
  conflictWith(known: DepositRow | undefined, sighting: Sighting): ReturnType<typeof conflictOf> {
    if (known === undefined || known.deposit.kind === 'dropped') return null
    return conflictOf(known.deposit, sighting, this.tokenDecimals)
  }
}
