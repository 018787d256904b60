import type { Sighting } from '../../../domain/deposit.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import { answeredTogether } from '../../rules/lockstep.js'
import { DepositRule } from '../../rules/record-deposit.js'
import type { Work } from '../connection/work.js'
import type { DepositMemo } from './deposit-memo.js'
import { PostgresDepositWork } from './deposit-work.js'

/** Records deposits in units of work, by the rules of `rules/record-deposit.ts`. */
export class DepositRecorder {
  constructor(readonly judge: DepositJudge) {}

  /**
   * Settles a bounded piece of what the choices for these deposits will meet, and answers those for which there is more. The addresses
   * are locked.
   */
  async settle(memo: DepositMemo, work: Work, sightings: Iterable<Sighting>): Promise<ReadonlySet<Sighting>> {
    const sound = this.judge.soundOf(sightings)
    const rule = new DepositRule(
      new PostgresDepositWork(work, memo, this.judge.terms.areWalletsShared),
      this.judge.terms,
      this.judge.choices(),
    )
    const known = await Promise.all(sound.map((sighting) => memo.row(sighting)))
    const settled = await answeredTogether(
      sound.map((sighting, i) => rule.settle(sighting, known[i])),
      { turn: () => {}, send: () => memo.send() },
    )
    return new Set(sound.filter((_, i) => settled[i] === false))
  }
}
