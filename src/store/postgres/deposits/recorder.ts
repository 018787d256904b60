import { flawOf, type Sighting } from '../../../domain/deposit.js'
import type { TokenDecimals } from '../../../domain/network.js'
import { conflictWith } from '../../rules/judge-report.js'
import { answeredTogether } from '../../rules/lockstep.js'
import { SETTLED_PLACES_MAX } from '../../rules/match-deposit.js'
import { DepositRule } from '../../rules/record-deposit.js'
import type { Work } from '../connection/work.js'
import type { DepositMemo, KnownDeposit } from './deposit-memo.js'
import { PostgresDepositWork } from './deposit-work.js'

/** Records deposits in units of work, by the rules of `rules/record-deposit.ts`. */
export class DepositRecorder {
  constructor(readonly tokenDecimals: TokenDecimals) {}

  /**
   * Settles a bounded piece of what the choices for these deposits will meet, and answers those for which there is more. The addresses
   * are locked.
   */
  async settle(memo: DepositMemo, work: Work, sightings: Iterable<Sighting>): Promise<ReadonlySet<Sighting>> {
    const sound = [...sightings].filter((sighting) => this.flawOf(sighting) === null)
    const budget = { left: SETTLED_PLACES_MAX }
    const rule = new DepositRule(new PostgresDepositWork(work, memo), this.tokenDecimals)
    const known = await Promise.all(sound.map((sighting) => memo.row(sighting)))
    const settled = await answeredTogether(
      sound.map((sighting, i) => rule.settle(sighting, known[i], budget)),
      { turn: () => {}, send: () => memo.send() },
    )
    return new Set(sound.filter((_, i) => settled[i] === false))
  }

  /** Why a deposit cannot be recorded; null when it can. */
  flawOf(sighting: Sighting): string | null {
    return flawOf(sighting, this.tokenDecimals)
  }

  /** What a sighting contradicts of a known deposit; null for nothing. */
  conflictWith(known: KnownDeposit | undefined, sighting: Sighting): ReturnType<typeof conflictWith> {
    return conflictWith(known?.deposit, sighting, this.tokenDecimals)
  }
}
