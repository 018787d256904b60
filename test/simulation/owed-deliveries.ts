import type { Delivery } from '../../src/domain/webhook.js'
import { BEHIND_ALL, type OwedDelivery } from '../../src/store/outbox.js'
import { laneOf } from '../../src/store/postgres/outbox/new-deliveries.js'
import type { Store } from '../../src/store/store.js'

type Fate = PromiseSettledResult<unknown>

/** New deliveries of an owner that calls made at once may have queued. */
const NEWEST_MAX = 200

/**
 * The fates of calls as they are judged. A process that has lost the answer to its commit knows that there are new deliveries, and not
 * their ids (`BEHIND_ALL`): they are those in their lanes that no answer has named, in order. Its dispatcher is told no more than it was.
 */
export async function withDeliveryIds(
  fates: readonly Fate[],
  store: Store,
  isKnown: (id: string) => boolean,
): Promise<readonly Fate[]> {
  const owed = fates.flatMap(owedIn)
  const named = new Set(owed.map(({ id }) => id))
  if (!named.has(BEHIND_ALL)) return fates
  const unnamed = new Map<string, Delivery[]>()
  for (const owner of new Set(owed.map((one) => one.owner))) {
    const { items } = await store.outbox.page(owner, { after: null, limit: NEWEST_MAX })
    for (const one of [...items].reverse()) {
      if (named.has(one.id) || isKnown(one.id)) continue
      const lane = laneOf(owner, one.url)
      unnamed.set(lane, [...(unnamed.get(lane) ?? []), one])
    }
  }
  const idOf = ({ id, lane }: OwedDelivery) => (id === BEHIND_ALL ? (unnamed.get(lane)?.shift()?.id ?? id) : id)
  return fates.map((fate) => withOwed(fate, (one) => ({ ...one, id: idOf(one) })))
}

/** What a call, or each command of it, has answered. */
interface Answer {
  readonly owed?: readonly OwedDelivery[]
}

function owedIn(fate: Fate): readonly OwedDelivery[] {
  if (fate.status === 'rejected') return []
  if (Array.isArray(fate.value)) return (fate.value as readonly Fate[]).flatMap(owedIn)
  return (fate.value as Answer | null | undefined)?.owed ?? []
}

function withOwed(fate: Fate, change: (one: OwedDelivery) => OwedDelivery): Fate {
  if (owedIn(fate).length === 0 || fate.status === 'rejected') return fate
  const { value } = fate as { readonly value: Answer | readonly Fate[] }
  if (Array.isArray(value)) return { ...fate, value: (value as readonly Fate[]).map((one) => withOwed(one, change)) }
  return { ...fate, value: { ...value, owed: (value as Answer).owed?.map(change) } }
}
