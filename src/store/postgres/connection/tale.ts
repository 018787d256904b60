import type { NewDelivery } from '../../../domain/webhook.js'
import { BEHIND_ALL, type OwedDelivery } from '../../outbox.js'
import { countByOwner, enterEvents, type LoggedEvent, takeNumbers } from '../events/event-log.js'
import { enterDeliveries, laned, movedBehind, takeHead } from '../outbox/new-deliveries.js'
import type { Row } from './session.js'
import type { Fragment } from './sql.js'

/** A delivery to queue, and the list that is to name it. */
interface Queued {
  /** Asked for when everything that it shows has been read. */
  readonly delivery: () => NewDelivery
  readonly owed: OwedDelivery[]
}

/** What a unit of work, or a part of it, tells, in order. */
export class Tale {
  readonly events: LoggedEvent[] = []
  readonly queued: Queued[] = []
}

/** What it needs of the unit that tells. */
interface Telling {
  readonly nowMs: number
  newId(): string
  write(fragment: Fragment): void
  written<T = Row>(fragment: Fragment): Promise<readonly T[]>
  /** Reads what deliveries show. Nothing is sent where there is nothing. */
  readShown(): Promise<unknown>
  owes(delivery: OwedDelivery): void
}

/**
 * Writes what a unit tells. First it takes its places in the order of all deliveries and in the logs of the owners, which nobody else
 * gets before its commit. What deliveries show is read behind that: so it is what the log has told until then. The rest needs no answer,
 * so that the places are not kept while one is on its way. Answers a promise of when the deliveries have their ids: with the commit.
 */
export async function writeTale(
  unit: Telling,
  { queued, events }: Tale,
): Promise<{ readonly named: Promise<unknown> }> {
  const ids = queued.map(() => unit.newId())
  const head = ids.length === 0 ? null : unit.written<{ newest: string }>(takeHead(ids))
  if (events.length > 0) unit.write(takeNumbers(countByOwner(events), unit.nowMs))
  await unit.readShown()
  const due = queueDeliveries(unit, queued, ids)
  if (events.length > 0) unit.write(enterEvents(events))
  const named = nameDue(due, ids, head)
  // Nobody waits for it when the unit fails, and the failure comes with the commit.
  named.catch(() => {})
  return { named }
}

/** A delivery that becomes due with the commit, and is named by the answer of the database. */
interface Due extends OwedDelivery {
  id: string
}

function queueDeliveries(unit: Telling, queued: readonly Queued[], ids: readonly string[]): readonly Due[] {
  if (ids.length === 0) return []
  const deliveries = laned(queued.map(({ delivery }) => delivery()))
  unit.write(enterDeliveries(ids, deliveries, unit.nowMs))
  const due = deliveries.map(({ lane, owner }): Due => ({ id: BEHIND_ALL, lane, owner }))
  for (const [i, one] of due.entries()) {
    queued[i]?.owed.push(one)
    // Others are told of each lane.
    if (due[i - 1]?.lane !== one.lane) unit.owes({ ...one })
  }
  return due
}

async function nameDue(
  due: readonly Due[],
  ids: readonly string[],
  head: Promise<readonly { readonly newest: string }[]> | null,
): Promise<void> {
  const newest = (await head)?.[0]?.newest
  if (newest === undefined) return
  for (const [i, id] of movedBehind(ids, newest).entries()) {
    const one = due[i]
    if (one !== undefined) one.id = id
  }
}
