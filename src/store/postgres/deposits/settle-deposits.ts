import type { Sighting } from '../../../domain/deposit.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import { answeredTogether } from '../../rules/lockstep.js'
import { DepositRule } from '../../rules/record-deposit.js'
import type { Work } from '../connection/work.js'
import type { DepositMemo } from './deposit-memo.js'
import { PostgresDepositWork } from './deposit-work.js'

/**
 * Settles a bounded piece of what the choices for these deposits will meet, and answers those for which there is more. The addresses
 * are locked.
 */
export async function settleDeposits(
  work: Work,
  memo: DepositMemo,
  judge: DepositJudge,
  sightings: Iterable<Sighting>,
): Promise<ReadonlySet<Sighting>> {
  const sound = judge.soundOf(sightings)
  const own = new PostgresDepositWork(work, memo, judge.terms.areWalletsShared)
  const rule = new DepositRule(own, judge.terms, judge.choices())
  const known = await Promise.all(sound.map((sighting) => memo.row(sighting)))
  const settled = await answeredTogether(
    sound.map((sighting, i) => rule.settle(sighting, known[i])),
    { turn: () => {}, send: () => memo.send() },
  )
  return new Set(sound.filter((_, i) => settled[i] === false))
}
