import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventType, OwnerEvent } from '../../../src/domain/event.js'
import { NO_ORDER_FIELDS } from '../../../src/domain/order-fields.js'
import type { NewDelivery } from '../../../src/domain/webhook.js'
import type { EventCursor } from '../../../src/store/event-outbox.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import {
  type EventQueueWork,
  type LoggedEvent,
  passedOver,
  queueEvents,
} from '../../../src/store/rules/queue-events.js'

const DEFAULT = 'https://shop.example/'
const OWN = 'https://order.example/'

/** The id of an event. */
function id(no: number): string {
  return String(no).padStart(16, '0')
}

function logged(no: number, type: EventType = 'invoice.created', more: Partial<OwnerEvent> = {}): LoggedEvent {
  const about = { invoiceId: 'i', reference: null, deposit: null, delivery: null, ...NO_ORDER_FIELDS }
  return { event: { id: id(no), type, at: no, ...about, ...more }, callbackUrl: null }
}

interface World {
  readonly cursor?: EventCursor
  readonly log?: readonly LoggedEvent[]
  readonly removedTo?: string
  readonly callbackUrl?: string | null
  readonly types?: readonly EventType[] | null
}

/** An owner in memory. */
function queue({ cursor, log = [], removedTo, callbackUrl = DEFAULT, types = null }: World, limit = 10) {
  const owed: NewDelivery[] = []
  let left = cursor
  let writes = 0
  const work: EventQueueWork = {
    cursor: () => cursor,
    putCursor: (_, next) => {
      left = next
      writes += 1
    },
    endCursor: () => {
      left = undefined
      writes += 1
    },
    settings: () => ({ callbackUrl, types }),
    log: (_, after, most) => ({
      events: log.filter(({ event }) => event.id > after).slice(0, most),
      removedTo: removedTo ?? null,
    }),
    owe: (delivery) => owed.push(delivery),
  }
  const queued = answeredNow(queueEvents(work, 'alice', limit))
  return { ...queued, owed, cursor: left, writes, sent: owed.map(({ event }) => Number(event?.id)) }
}

const FROM_0: EventCursor = { after: id(0), until: null }
const SPECIFIED = { id: 'd', status: 'confirmed', attempt: 1, httpStatus: 500, failure: null, event: null } as const
const OF_PAID = { ...SPECIFIED, status: null, event: { id: id(1), type: 'invoice.paid' } } as const
const OF_FAILED = { ...SPECIFIED, status: null, event: { id: id(1), type: 'delivery.failed' } } as const

describe('the next events of an owner', () => {
  const rows: readonly {
    readonly of: string
    readonly world: World
    readonly limit?: number
    readonly sent: readonly number[]
    readonly cursor: EventCursor | undefined
    readonly isMore?: boolean
    readonly lost?: { readonly behind: string; readonly to: string }
  }[] = [
    { of: 'are none where none are to be sent', world: { log: [logged(1)] }, sent: [], cursor: undefined },
    {
      of: 'are queued in order, and the cursor stands at the last one',
      world: { cursor: FROM_0, log: [logged(1), logged(2)] },
      sent: [1, 2],
      cursor: { after: id(2), until: null },
    },
    {
      of: 'are those behind the cursor',
      world: { cursor: { after: id(1), until: null }, log: [logged(1), logged(2)] },
      sent: [2],
      cursor: { after: id(2), until: null },
    },
    {
      of: 'are no more than were asked for',
      world: { cursor: FROM_0, log: [logged(1), logged(2), logged(3)] },
      limit: 2,
      sent: [1, 2],
      cursor: { after: id(2), until: null },
      isMore: true,
    },
    {
      of: 'are passed over where their type was not chosen',
      world: { cursor: FROM_0, log: [logged(1), logged(2, 'invoice.paid'), logged(3)], types: ['invoice.paid'] },
      sent: [2],
      cursor: { after: id(3), until: null },
    },
    {
      of: 'are passed over where they have nowhere to go',
      world: { cursor: FROM_0, log: [logged(1), { ...logged(2), callbackUrl: OWN }], callbackUrl: null },
      sent: [2],
      cursor: { after: id(2), until: null },
    },
    {
      of: 'tell of a failed delivery, but not of one that told a failure',
      world: {
        cursor: FROM_0,
        log: [SPECIFIED, OF_PAID, OF_FAILED].map((delivery, i) => logged(i + 1, 'delivery.failed', { delivery })),
      },
      sent: [1, 2],
      cursor: { after: id(3), until: null },
    },
    {
      of: 'end with the last one that is to be sent',
      world: { cursor: { after: id(0), until: id(2) }, log: [logged(1), logged(2), logged(3)] },
      sent: [1, 2],
      cursor: undefined,
    },
    {
      of: 'go on to the last one that is to be sent',
      world: { cursor: { after: id(0), until: id(3) }, log: [logged(1), logged(2), logged(3), logged(4)] },
      limit: 2,
      sent: [1, 2],
      cursor: { after: id(2), until: id(3) },
      isMore: true,
    },
    {
      of: 'end exactly with a piece',
      world: { cursor: { after: id(0), until: id(2) }, log: [logged(1), logged(2), logged(3)] },
      limit: 2,
      sent: [1, 2],
      cursor: undefined,
      isMore: true,
    },
    {
      of: 'end where the last one that is to be sent was removed',
      world: { cursor: { after: id(0), until: id(2) }, removedTo: id(2) },
      sent: [],
      cursor: undefined,
      lost: { behind: id(0), to: id(2) },
    },
    {
      of: 'end where later ones were removed, too, and those are not lost',
      world: { cursor: { after: id(0), until: id(2) }, log: [logged(6)], removedTo: id(5) },
      sent: [],
      cursor: undefined,
      lost: { behind: id(0), to: id(2) },
    },
    {
      of: 'go on behind those that were removed',
      world: { cursor: FROM_0, log: [logged(6)], removedTo: id(5) },
      sent: [6],
      cursor: { after: id(6), until: null },
      lost: { behind: id(0), to: id(5) },
    },
    {
      of: 'go on behind those that were removed, where there is none yet',
      world: { cursor: FROM_0, removedTo: id(5) },
      sent: [],
      cursor: { after: id(5), until: null },
      lost: { behind: id(0), to: id(5) },
    },
    {
      of: 'are not lost where they were sent before they were removed',
      world: { cursor: { after: id(5), until: null }, log: [logged(6)], removedTo: id(5) },
      sent: [6],
      cursor: { after: id(6), until: null },
    },
  ]
  for (const { of, world, limit, sent, cursor, isMore = false, lost = null } of rows) {
    test(of, () => {
      const done = queue(world, limit)
      assert.deepEqual([done.sent, done.cursor, done.isMore, done.lost], [sent, cursor, isMore, lost])
    })
  }

  test('write nothing where there is none', () => {
    assert.equal(queue({ cursor: FROM_0 }).writes, 0)
  })

  test('are delivered as the log shows them, to the URL of their invoice or else to the default', () => {
    const { owed } = queue({ cursor: FROM_0, log: [logged(1), { ...logged(2), callbackUrl: OWN }] })
    const data = { invoiceId: 'i', reference: null, deposit: null, delivery: null, ...NO_ORDER_FIELDS }
    const told = { owner: 'alice', invoiceId: 'i', status: null }
    const event = { id: id(1), type: 'invoice.created' }
    assert.deepEqual(owed[0], { ...told, event, url: DEFAULT, body: JSON.stringify({ ...event, at: 1, data }) })
    assert.equal(owed[1]?.url, OWN)
  })
})

describe('an imported event', () => {
  const cursor: EventCursor = { after: id(3), until: null }
  for (const [of, no, isNext, after] of [
    ['is passed over where nothing waits before it', 5, true, id(5)],
    ['changes nothing where something waits before it', 5, false, null],
    ['changes nothing where what stands before it was sent', 2, true, null],
  ] as const) {
    test(of, () => assert.equal(passedOver(cursor, id(no), isNext)?.after ?? null, after))
  }
})
