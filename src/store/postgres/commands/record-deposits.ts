import type { DepositCommand, DepositResult } from '../../commands.js'
import { repetitionOf } from '../../rules/answered-events.js'
import { answeredLater } from '../../rules/asking.js'
import { answerAgain, answerUnrecorded } from '../../rules/deposit-command.js'
import { putDepositAside } from '../chain/aside-rows.js'
import type { Work } from '../connection/work.js'
import { DepositMemo } from '../deposits/deposit-memo.js'
import { nameOf, placesOfDeposits } from '../deposits/deposit-rows.js'
import type { DepositRecorder } from '../deposits/recorder.js'
import { DepositRecording } from '../deposits/recording.js'
import { expireDue } from '../invoices/settle.js'
import { type AnsweredEvent, earlierAnswers, rememberAnswers } from '../ledger/answered-events.js'
import { lockAddresses, placeNameOf } from '../wallets/wallet-rows.js'

/**
 * Records deposits of any wallets in one unit of work, in order. Null for one that meets more paid invoices than a unit settles: some
 * of them are settled now, and it is to be recorded in another unit. So is what comes behind it and is about the same.
 */
export async function recordDeposits(
  work: Work,
  commands: readonly DepositCommand[],
  deposits: DepositRecorder,
): Promise<readonly (DepositResult | null)[]> {
  const sightings = deposits.judge.soundOf(commands.map(({ fact }) => fact.sighting))
  const memo = new DepositMemo(work)
  // A report that a deposit was dropped is about the address to which it went, whichever it tells. All are locked in one order.
  const dropped = commands.filter(({ fact }) => fact.report === 'dropped').map(({ fact }) => fact.sighting)
  lockAddresses(work, [...sightings, ...(await placesOfDeposits(work, dropped))])
  // All of it is on its way at once, behind the locks.
  const clock = work.readClock()
  const [answers] = await Promise.all([
    earlierAnswers(
      work,
      commands.map(({ eventId }) => eventId),
    ),
    memo.prepare(sightings),
    clock.then(() => expireDue(work)),
  ])
  const isNew = ({ eventId }: DepositCommand) => eventId === null || !answers.has(eventId)
  const unsettled = await deposits.settle(
    memo,
    work,
    commands.filter((command) => isNew(command) && command.fact.report !== 'dropped').map(({ fact }) => fact.sighting),
  )
  const recording = new DepositRecording(deposits, work, memo)
  const answered: AnsweredEvent[] = []
  const waiting = new Set<string>()
  const results: (DepositResult | null)[] = []
  for (const command of commands) {
    const { eventId, fact } = command
    const earlier = eventId === null ? undefined : answers.get(eventId)
    const names = [nameOf(fact.sighting), placeNameOf(fact.sighting)]
    if (earlier !== undefined) {
      results.push(answerAgain(earlier))
    } else if (unsettled.has(fact.sighting) || names.some((name) => waiting.has(name))) {
      for (const name of names) waiting.add(name)
      results.push(null)
    } else {
      const recorded = await recording.record(fact)
      results.push({ type: 'deposit', ...recorded })
      answered.push({ eventId, outcome: recorded.outcome })
      if (eventId !== null) answers.set(eventId, repetitionOf(recorded.outcome))
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
  deposits: DepositRecorder,
): Promise<DepositResult> {
  const { sighting } = command.fact
  lockAddresses(work, deposits.judge.soundOf([sighting]))
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
