import type { DepositCommand, DepositResult } from '../../commands.js'
import { repetitionOf } from '../../rules/answered-events.js'
import { answeredLater } from '../../rules/asking.js'
import { answerAgain, answerUnrecorded } from '../../rules/deposit-command.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import { putDepositAside } from '../chain/aside-rows.js'
import type { Work } from '../connection/work.js'
import { DepositMemo } from '../deposits/deposit-memo.js'
import { placesOfDeposits } from '../deposits/deposit-rows.js'
import { DepositRecording } from '../deposits/recording.js'
import { settleDeposits } from '../deposits/settle-deposits.js'
import { expireDue } from '../invoices/settle.js'
import { type AnsweredEvent, earlierAnswers, rememberAnswers } from '../ledger/answered-events.js'
import { lockAddresses } from '../wallets/wallet-rows.js'

/**
 * Records the deposits of some calls, on any wallets, in one unit of work, in order. Null for one that meets more paid invoices than a unit
 * settles: some of them are settled now, and it is to be recorded in another unit. So is all that comes behind it in its call.
 */
export async function recordDeposits(
  work: Work,
  calls: readonly (readonly DepositCommand[])[],
  judge: DepositJudge,
): Promise<readonly (DepositResult | null)[]> {
  const commands = calls.flat()
  const sightings = judge.soundOf(commands.map(({ fact }) => fact.sighting))
  const memo = new DepositMemo(work)
  // A report that a deposit was dropped is about the address to which it went, whichever it tells. All are locked in one order.
  const dropped = commands.filter(({ fact }) => fact.report === 'dropped').map(({ fact }) => fact.sighting)
  lockAddresses(work, [...sightings, ...(await placesOfDeposits(work, dropped))])
  // All of it is on its way at once, behind the locks.
  const [answers] = await Promise.all([
    earlierAnswers(
      work,
      commands.map(({ eventId }) => eventId),
    ),
    memo.prepare(sightings),
    expireDue(work),
  ])
  const isNew = ({ eventId }: DepositCommand) => eventId === null || !answers.has(eventId)
  const unsettled = await settleDeposits(
    work,
    memo,
    judge,
    commands.filter((command) => isNew(command) && command.fact.report !== 'dropped').map(({ fact }) => fact.sighting),
  )
  const recording = new DepositRecording(judge, work, memo)
  const answered: AnsweredEvent[] = []
  const results: (DepositResult | null)[] = []
  for (const call of calls) {
    let isHeldUp = false
    for (const { eventId, fact } of call) {
      const earlier = eventId === null ? undefined : answers.get(eventId)
      isHeldUp ||= earlier === undefined && unsettled.has(fact.sighting)
      if (isHeldUp) {
        results.push(null)
      } else if (earlier !== undefined) {
        results.push(answerAgain(earlier))
      } else {
        const recorded = await recording.record(fact)
        results.push({ type: 'deposit', ...recorded })
        answered.push({ eventId, outcome: recorded.outcome })
        if (eventId !== null) answers.set(eventId, repetitionOf(recorded.outcome))
      }
    }
  }
  await recording.finish()
  rememberAnswers(work, answered)
  return results
}

/** Sets a deposit aside whose recording failed, unless its event was answered before. */
export async function setDepositAside(
  work: Work,
  command: DepositCommand,
  judge: DepositJudge,
): Promise<DepositResult> {
  const { sighting } = command.fact
  lockAddresses(work, judge.soundOf([sighting]))
  const nowMs = await work.readClock()
  const answer = await answeredLater(
    answerUnrecorded(
      {
        nowMs,
        earlierAnswer: async (eventId) => (await earlierAnswers(work, [eventId])).get(eventId) ?? null,
        putAside: (aside) => putDepositAside(work, aside),
        remember: (eventId, outcome) => rememberAnswers(work, [{ eventId, outcome }]),
      },
      command,
    ),
  )
  if (answer === null) throw new Error('a deposit that is to be set aside says no reason')
  return answer
}
