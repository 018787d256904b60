import { asideOf, SET_ASIDE } from '../../../domain/aside.js'
import type { DepositCommand, DepositResult } from '../../commands.js'
import { repetitionOf } from '../../rules/answered-events.js'
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
  const sightings = commands.map(({ fact }) => fact.sighting).filter((sighting) => deposits.flawOf(sighting) === null)
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
    commands.filter(isNew).map(({ fact }) => fact.sighting),
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
      const outcome = earlier.status === 'duplicate' ? { ...earlier, deposit: null } : earlier
      results.push({ type: 'deposit', outcome, owed: [] })
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

/** Sets a deposit aside whose recording failed. Its event is answered as rejected, unless it was answered before. */
export async function setDepositAside(
  work: Work,
  { eventId, fact, aside = '' }: DepositCommand,
  deposits: DepositRecorder,
): Promise<DepositResult> {
  if (deposits.flawOf(fact.sighting) === null) lockAddresses(work, [fact.sighting])
  const nowMs = await work.readClock()
  const earlier = (await earlierAnswers(work, [eventId])).get(eventId ?? '')
  if (earlier !== undefined) {
    const outcome = earlier.status === 'duplicate' ? { ...earlier, deposit: null } : earlier
    return { type: 'deposit', outcome, owed: [] }
  }
  await putDepositAside(work, asideOf(fact, aside, nowMs))
  rememberAnswers(work, [{ eventId, outcome: SET_ASIDE }])
  return { type: 'deposit', outcome: SET_ASIDE, owed: [] }
}
