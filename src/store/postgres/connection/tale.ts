import type { NewDelivery } from '../../../domain/webhook.js'
import type { OwedDelivery } from '../../outbox.js'
import { countByOwner, enterEvents, type LastNumber, type LoggedEvent, takeNumbers } from '../events/event-log.js'
import { enterDeliveries, laned, putHead, takeHead, timeOfDeliveryId } from '../outbox/new-deliveries.js'
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
  newId(timeMs?: number): string
  write(fragment: Fragment): void
  written<T = Row>(fragment: Fragment): Promise<readonly T[]>
  /** Reads what deliveries show. Nothing is sent where there is nothing. */
  readShown(): Promise<unknown>
  owes(delivery: OwedDelivery): void
  /** Notes that something was logged of an owner whose events are sent. */
  hasLogged(owner: string): void
}

/**
 * Writes what a unit tells. First it takes its places in the order of all deliveries and in the logs of the owners, which nobody else
 * gets before its commit. What deliveries show is read behind that: so it is what the log has told until then.
 */
export async function writeTale(unit: Telling, { queued, events }: Tale): Promise<void> {
  const own = queued.map(() => unit.newId())
  const [first] = own
  const head = first === undefined ? null : unit.written<{ newest: string }>(takeHead(first))
  const numbers = events.length === 0 ? null : unit.written<LastNumber>(takeNumbers(countByOwner(events), unit.nowMs))
  await unit.readShown()
  if (head !== null) writeDeliveries(unit, queued, own, (await head)[0]?.newest)
  if (numbers === null) return
  const lasts = await numbers
  unit.write(enterEvents(events, lasts))
  for (const { owner, isSent } of lasts) if (isSent) unit.hasLogged(owner)
}

/** `own`: their ids, unless the newest of all deliveries is not the first of them. */
function writeDeliveries(
  unit: Telling,
  queued: readonly Queued[],
  own: readonly string[],
  newest: string | undefined,
): void {
  const isFirst = newest === undefined || newest === own[0]
  const ids = isFirst ? own : queued.map(() => unit.newId(timeOfDeliveryId(newest) + 1))
  const last = ids.at(-1)
  if (last !== undefined) unit.write(putHead(last))
  const deliveries = laned(queued.map(({ delivery }) => delivery()))
  unit.write(enterDeliveries(ids, deliveries, unit.nowMs))
  for (const [i, id] of ids.entries()) {
    const [delivery, one] = [deliveries[i], queued[i]]
    if (delivery === undefined || one === undefined) throw new Error('a delivery has no id of its own')
    const due = { id, lane: delivery.lane, owner: delivery.owner }
    one.owed.push(due)
    unit.owes(due)
  }
}
