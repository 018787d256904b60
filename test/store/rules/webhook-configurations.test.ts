import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_TYPES, type EventType } from '../../../src/domain/event.js'
import type { WebhookPayload } from '../../../src/domain/webhook.js'
import type { EventCursor } from '../../../src/store/event-outbox.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import type { CursorWork } from '../../../src/store/rules/queue-events.js'
import {
  type KeptConfiguration,
  rotateSecret,
  secretsOf,
  setCallback,
  type Wanted,
  type WebhookWork,
} from '../../../src/store/rules/webhook-configurations.js'

const NOW = 1_700_000_000_000
const URL_1 = 'https://one.example/'
const URL_2 = 'https://two.example/'

function wanted(callbackUrl: string, payload?: WebhookPayload): Wanted {
  return { callbackUrl, payload, types: undefined }
}

/** The id of an event. */
function event(no: number): string {
  return String(no).padStart(16, '0')
}

/** What one owner has, in memory, and secrets with numbers. */
function kept(before?: Partial<KeptConfiguration>, events: { lastEvent?: string; cursor?: EventCursor } = {}) {
  let row: KeptConfiguration | undefined =
    before === undefined
      ? undefined
      : {
          owner: 'alice',
          callbackUrl: URL_1,
          secret: 'old',
          createdAt: 1,
          updatedAt: 2,
          payload: 'specified',
          types: null,
          previousSecret: null,
          overlapEndsAt: null,
          ...before,
        }
  let secrets = 0
  let { cursor } = events
  const work: WebhookWork & CursorWork = {
    readClock: () => NOW,
    kept: () => row,
    put: (next) => {
      row = next
    },
    lastEvent: () => events.lastEvent ?? null,
    cursor: () => cursor,
    putCursor: (_, next) => {
      cursor = next
    },
    endCursor: () => {
      cursor = undefined
    },
  }
  return {
    work,
    random: () => {
      secrets += 1
      return `new ${secrets}`
    },
    get row() {
      return row
    },
    get cursor() {
      return cursor
    },
  }
}

describe('the default URL of an owner', () => {
  test('comes with the first secret', () => {
    const t = kept()
    const shown = answeredNow(setCallback(t.work, 'alice', wanted(URL_1), t.random))
    const times = { created_at: NOW, updated_at: NOW }
    assert.deepEqual(shown, { owner: 'alice', callback_url: URL_1, secret: 'new 1', ...times })
  })

  test('changes without a new secret, and its payload stays', () => {
    const t = kept({ payload: 'with-invoice', previousSecret: 'older', overlapEndsAt: NOW + 1 })
    const before = t.row
    const shown = answeredNow(setCallback(t.work, 'alice', wanted(URL_2), t.random))
    const times = { created_at: 1, updated_at: NOW }
    const record = { owner: 'alice', callback_url: URL_2, secret: 'old', ...times, payload: 'with-invoice' }
    assert.deepEqual(shown, record)
    assert.deepEqual(t.row, { ...before, callbackUrl: URL_2, updatedAt: NOW })
  })

  test('is shown with the specified fields only, where the payload is set back', () => {
    const t = kept({ payload: 'with-invoice' })
    const shown = answeredNow(setCallback(t.work, 'alice', wanted(URL_1, 'specified'), t.random))
    assert.equal('payload' in shown, false)
    assert.equal(t.row?.payload, 'specified')
  })
})

describe('the choice of events', () => {
  const EVENTS = { payload: 'events' } as const
  const rows: readonly {
    readonly of: string
    readonly before: Parameters<typeof kept>
    readonly to: WebhookPayload | undefined
    readonly cursor: EventCursor | undefined
  }[] = [
    {
      of: 'begins behind the last event',
      before: [{}, { lastEvent: event(7) }],
      to: 'events',
      cursor: { after: event(7), until: null },
    },
    {
      of: 'begins with the first event of a log without any',
      before: [undefined, {}],
      to: 'events',
      cursor: { after: event(0), until: null },
    },
    {
      of: 'stays where it is when it is made again',
      before: [EVENTS, { lastEvent: event(7), cursor: { after: event(3), until: null } }],
      to: 'events',
      cursor: { after: event(3), until: null },
    },
    {
      of: 'stays where it is when only the URL changes',
      before: [EVENTS, { lastEvent: event(7), cursor: { after: event(3), until: null } }],
      to: undefined,
      cursor: { after: event(3), until: null },
    },
    {
      of: 'ends with the last event when another is made',
      before: [EVENTS, { lastEvent: event(7), cursor: { after: event(3), until: null } }],
      to: 'specified',
      cursor: { after: event(3), until: event(7) },
    },
    {
      of: 'ends at once when everything is sent',
      before: [EVENTS, { lastEvent: event(7), cursor: { after: event(7), until: null } }],
      to: 'with-invoice',
      cursor: undefined,
    },
    {
      of: 'goes on when it is made again before it has ended',
      before: [{}, { lastEvent: event(9), cursor: { after: event(3), until: event(7) } }],
      to: 'events',
      cursor: { after: event(3), until: null },
    },
    {
      of: 'leaves alone what ends already when the payload changes to a third one',
      before: [{}, { lastEvent: event(9), cursor: { after: event(3), until: event(7) } }],
      to: 'with-invoice',
      cursor: { after: event(3), until: event(7) },
    },
  ]
  for (const { of, before, to, cursor } of rows) {
    test(of, () => {
      const t = kept(...before)
      answeredNow(setCallback(t.work, 'alice', wanted(URL_1, to), t.random))
      assert.deepEqual(t.cursor, cursor)
    })
  }

  test('shows its types, which are kept with another payload, too', () => {
    const t = kept()
    const set = (payload: WebhookPayload | undefined, types?: readonly EventType[]) =>
      answeredNow(setCallback(t.work, 'alice', { callbackUrl: URL_1, payload, types }, t.random))
    assert.deepEqual(set('events').types, EVENT_TYPES)
    assert.deepEqual(set(undefined, ['invoice.paid']).types, ['invoice.paid'])
    assert.equal('types' in set('specified'), false)
    assert.deepEqual(set('events').types, ['invoice.paid'])
  })
})

describe('a rotation', () => {
  const rows = [
    { of: 'makes the first secret', before: undefined, overlapMs: 10, secrets: ['new 1', null, null] },
    { of: 'lets the previous secret sign for a while', before: {}, overlapMs: 10, secrets: ['new 1', 'old', NOW + 10] },
    {
      of: 'forgets the previous secret',
      before: { previousSecret: 'older', overlapEndsAt: NOW + 1 },
      overlapMs: 0,
      secrets: ['new 1', null, null],
    },
    {
      of: 'keeps the secret that receivers use',
      before: { previousSecret: 'older', overlapEndsAt: NOW + 1 },
      overlapMs: 10,
      secrets: ['new 1', 'older', NOW + 10],
    },
  ]
  for (const { of, before, overlapMs, secrets } of rows) {
    test(of, () => {
      const t = kept(before)
      answeredNow(rotateSecret(t.work, 'alice', overlapMs, t.random))
      assert.deepEqual([t.row?.secret, t.row?.previousSecret, t.row?.overlapEndsAt], secrets)
      assert.equal(t.row?.updatedAt, NOW)
      assert.equal(t.row?.callbackUrl, before === undefined ? null : URL_1)
    })
  }
})

describe('the secrets of an owner', () => {
  test('are made when they are asked for first', () => {
    const t = kept()
    assert.deepEqual(answeredNow(secretsOf(t.work, 'alice', t.random)), { current: 'new 1', previous: null })
    assert.deepEqual(answeredNow(secretsOf(t.work, 'alice', t.random)), { current: 'new 1', previous: null })
    assert.equal(t.row?.callbackUrl, null)
  })

  test('are two until the overlap ends', () => {
    const t = kept({ previousSecret: 'older', overlapEndsAt: NOW + 1 })
    assert.deepEqual(answeredNow(secretsOf(t.work, 'alice', t.random)), { current: 'old', previous: 'older' })
    const over = kept({ previousSecret: 'older', overlapEndsAt: NOW })
    assert.deepEqual(answeredNow(secretsOf(over.work, 'alice', over.random)), { current: 'old', previous: null })
  })
})
