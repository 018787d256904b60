import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { IncomingEvent } from '../../src/actors/intake.js'
import { PUSHED_KEYS_MAX } from '../../src/domain/key-history.js'
import type { EventOutcome } from '../../src/domain/ledger-fact.js'
import { applyEvents, EVENTS_MAX, type ParsedEvent, parseEvents } from '../../src/ledger/gateway-events.js'
import { TEST_NETWORKS } from '../support/networks.js'
import { testKey } from '../support/signing.js'

const NOW_MS = 1_700_000_000_000
const KEY = testKey('pushed').publicKeyHex
const OTHER_KEY = testKey('pushed, too').publicKeyHex

function parseOne(event: unknown): ParsedEvent {
  const parsed = parseEvents({ events: [event] }, TEST_NETWORKS, NOW_MS)
  assert.ok(parsed.ok)
  const [one] = parsed.value
  assert.ok(one !== undefined && parsed.value.length === 1)
  return one
}

const wallet = { id: 'w1', address: '0xabc', network: 'SEP' }
const deposit = {
  network: 'TRX-NILE',
  txHash: 'aa',
  index: 2,
  toAddress: 'Taddress',
  currency: 'Tether',
  amount: '1000000',
  receivedAt: 1_699_999_999_999,
}
const sighting = deposit

describe('the body of a push', () => {
  const refused: readonly [what: string, body: Record<string, unknown>][] = [
    ['without events', {}],
    ['with null for events', { events: null }],
    ['with an object for events', { events: { 0: {} } }],
    ['with a string for events', { events: 'events' }],
    ['with no event', { events: [] }],
    ['with more than 1000 events', { events: Array.from({ length: EVENTS_MAX + 1 }, () => ({})) }],
  ]
  for (const [what, body] of refused) {
    test(`${what} is refused as a whole`, () => {
      const parsed = parseEvents(body, TEST_NETWORKS, NOW_MS)
      assert.equal(parsed.ok, false)
      assert.equal(!parsed.ok && parsed.failure.code, 'invalid_events')
    })
  }

  test('with 1000 events is read', () => {
    const parsed = parseEvents({ events: Array.from({ length: EVENTS_MAX }, () => 1) }, TEST_NETWORKS, NOW_MS)
    assert.equal(parsed.ok && parsed.value.length, EVENTS_MAX)
  })
})

describe('an event that is read', () => {
  const read: readonly [what: string, event: unknown, fact: IncomingEvent['fact']][] = [
    [
      'identity.onboarded',
      { type: 'identity.onboarded', identity: ' i1 ' },
      { type: 'identity.onboarded', identity: 'i1' },
    ],
    [
      'identity.keys',
      { type: 'identity.keys', identity: 'i1', keys: [`0x${KEY.toUpperCase()}`, `0x${OTHER_KEY}`, `0x${KEY}`] },
      { type: 'identity.keys', identity: 'i1', keys: [KEY, OTHER_KEY].sort() },
    ],
    [
      'wallet.created',
      { type: 'wallet.created', wallet },
      { type: 'wallet.created', id: 'w1', address: '0xabc', network: 'SEP' },
    ],
    [
      'wallet.assigned with the wallet alone',
      { type: 'wallet.assigned', wallet: { id: 'w1' }, owner: 'i1' },
      { type: 'wallet.assigned', id: 'w1', address: null, network: null, owner: 'i1' },
    ],
    [
      'wallet.assigned with nulls',
      { type: 'wallet.assigned', wallet: { id: 'w1', address: null, network: null }, owner: 'i1' },
      { type: 'wallet.assigned', id: 'w1', address: null, network: null, owner: 'i1' },
    ],
    [
      'wallet.assigned with everything',
      { type: 'wallet.assigned', wallet, owner: 'i1' },
      { type: 'wallet.assigned', id: 'w1', address: '0xabc', network: 'SEP', owner: 'i1' },
    ],
    [
      'deposit.pending',
      { type: 'deposit.pending', deposit },
      { type: 'deposit', report: 'pending', sighting: { ...sighting, network: 'TRX-NILE' } },
    ],
    [
      'deposit.confirmed',
      { type: 'deposit.confirmed', deposit },
      { type: 'deposit', report: 'confirmed', sighting: { ...sighting, network: 'TRX-NILE' } },
    ],
    [
      'deposit.dropped',
      { type: 'deposit.dropped', deposit },
      { type: 'deposit', report: 'dropped', sighting: { ...sighting, network: 'TRX-NILE' } },
    ],
    [
      'a deposit without index, currency and time',
      { type: 'deposit.pending', deposit: { network: 'SEP', txHash: 'aa', toAddress: '0xabc', amount: '1' } },
      {
        type: 'deposit',
        report: 'pending',
        sighting: {
          network: 'SEP',
          txHash: 'aa',
          index: 0,
          toAddress: '0xabc',
          currency: null,
          amount: '1',
          receivedAt: NOW_MS,
        },
      },
    ],
    [
      'a deposit with an empty and ill-formed text',
      { type: 'deposit.pending', deposit: { ...deposit, txHash: 'a\ud800', currency: '' } },
      {
        type: 'deposit',
        report: 'pending',
        sighting: { ...sighting, network: 'TRX-NILE', txHash: 'a\ufffd', currency: '' },
      },
    ],
  ]
  for (const [what, event, fact] of read) {
    test(what, () => {
      assert.deepEqual(parseOne({ id: 'e1', ...(event as object) }), { id: 'e1', event: { eventId: 'e1', fact } })
    })
  }

  test('keeps an id of 128 characters, whatever their bytes, and makes it well-formed', () => {
    const id = '😀'.repeat(128)
    assert.equal(parseOne({ id, type: 'wallet.created', wallet }).id, id)
    assert.equal(parseOne({ id: 'e\udc00', type: 'wallet.created', wallet }).id, 'e\ufffd')
  })
})

describe('an event that is rejected alone', () => {
  const created = { id: 'e1', type: 'wallet.created' }
  const assigned = { id: 'e1', type: 'wallet.assigned', wallet, owner: 'i1' }
  const pending = { id: 'e1', type: 'deposit.pending' }
  const identity = 'must be a non-empty string of at most 128 characters'
  const listed = `must be a list of 1 to ${PUSHED_KEYS_MAX}`
  const rejected: readonly [what: string, event: unknown, id: string | null, error: string][] = [
    ['null', null, null, 'an event must be an object'],
    ['an array', [], null, 'an event must be an object'],
    ['a string', 'event', null, 'an event must be an object'],
    ['no id', { type: 'wallet.created', wallet }, null, 'id must be a non-empty string of at most 128 characters'],
    ['an empty id', { ...created, id: '' }, null, 'id must be a non-empty string of at most 128 characters'],
    ['a number as id', { ...created, id: 1 }, null, 'id must be a non-empty string of at most 128 characters'],
    [
      'too long an id',
      { ...created, id: 'x'.repeat(129) },
      null,
      'id must be a non-empty string of at most 128 characters',
    ],
    ['no type', { id: 'e1' }, 'e1', 'type is not one that is known'],
    ['an unknown type', { id: 'e1', type: 'wallet.destroyed' }, 'e1', 'type is not one that is known'],
    ['a name of Object.prototype as type', { id: 'e1', type: 'toString' }, 'e1', 'type is not one that is known'],
    ['keys of nobody', { id: 'e1', type: 'identity.keys', keys: [`0x${KEY}`] }, 'e1', `identity ${identity}`],
    ['no keys', { id: 'e1', type: 'identity.keys', identity: 'i' }, 'e1', `keys ${listed}`],
    ['an empty list of keys', { id: 'e1', type: 'identity.keys', identity: 'i', keys: [] }, 'e1', `keys ${listed}`],
    [
      'too many keys',
      { id: 'e1', type: 'identity.keys', identity: 'i', keys: Array(PUSHED_KEYS_MAX + 1).fill(`0x${KEY}`) },
      'e1',
      `keys ${listed}`,
    ],
    ...[KEY, `0x02${'f'.repeat(64)}`, 7, null, ''].map((key): [string, unknown, string, string] => [
      `the key ${key}`,
      { id: 'e1', type: 'identity.keys', identity: 'i', keys: [`0x${KEY}`, key] },
      'e1',
      'keys must be secp256k1 keys: hex behind 0x, or PEM',
    ]),
    ['no identity', { id: 'e1', type: 'identity.onboarded' }, 'e1', `identity ${identity}`],
    ['a blank identity', { id: 'e1', type: 'identity.onboarded', identity: ' ' }, 'e1', `identity ${identity}`],
    ['a number as identity', { id: 'e1', type: 'identity.onboarded', identity: 7 }, 'e1', `identity ${identity}`],
    [
      'too long an identity',
      { id: 'e1', type: 'identity.onboarded', identity: 'x'.repeat(129) },
      'e1',
      `identity ${identity}`,
    ],
    ['no wallet', created, 'e1', 'wallet must be an object'],
    ['a wallet id alone as wallet', { ...created, wallet: 'w1' }, 'e1', 'wallet must be an object'],
    [
      'a wallet without id',
      { ...created, wallet: { ...wallet, id: undefined } },
      'e1',
      'wallet.id must be a non-empty string',
    ],
    [
      'a new wallet without address',
      { ...created, wallet: { ...wallet, address: null } },
      'e1',
      'wallet.address must be a non-empty string',
    ],
    [
      'a new wallet without network',
      { ...created, wallet: { ...wallet, network: null } },
      'e1',
      'wallet.network must be one of SEP, TRX-NILE, BNB',
    ],
    [
      'a wallet on another network',
      { ...created, wallet: { ...wallet, network: 'sep' } },
      'e1',
      'wallet.network must be one of SEP, TRX-NILE, BNB',
    ],
    ['an assignment without wallet', { ...assigned, wallet: undefined }, 'e1', 'wallet must be an object'],
    ['an assignment without wallet id', { ...assigned, wallet: {} }, 'e1', 'wallet.id must be a non-empty string'],
    [
      'an assignment with an empty address',
      { ...assigned, wallet: { ...wallet, address: '' } },
      'e1',
      'wallet.address must be a non-empty string',
    ],
    [
      'an assignment with a wrong network',
      { ...assigned, wallet: { ...wallet, network: 1 } },
      'e1',
      'wallet.network must be one of SEP, TRX-NILE, BNB',
    ],
    ['an assignment without owner', { ...assigned, owner: undefined }, 'e1', `owner ${identity}`],
    ['no deposit', pending, 'e1', 'deposit must be an object'],
    ['an array as deposit', { ...pending, deposit: [] }, 'e1', 'deposit must be an object'],
    [
      'a deposit without network',
      { ...pending, deposit: { ...deposit, network: undefined } },
      'e1',
      'deposit.network must be one of SEP, TRX-NILE, BNB',
    ],
    [
      'a deposit without txHash',
      { ...pending, deposit: { ...deposit, txHash: undefined } },
      'e1',
      'deposit.txHash must be a non-empty string',
    ],
    [
      'an index in a string',
      { ...pending, deposit: { ...deposit, index: '0' } },
      'e1',
      'deposit.index must be an integer',
    ],
    ['a null index', { ...pending, deposit: { ...deposit, index: null } }, 'e1', 'deposit.index must be an integer'],
    ['half an index', { ...pending, deposit: { ...deposit, index: 0.5 } }, 'e1', 'deposit.index must be an integer'],
    [
      'a deposit to nowhere',
      { ...pending, deposit: { ...deposit, toAddress: '' } },
      'e1',
      'deposit.toAddress must be a non-empty string',
    ],
    [
      'a number as currency',
      { ...pending, deposit: { ...deposit, currency: 1 } },
      'e1',
      'deposit.currency must be a string or null',
    ],
    [
      'a number as amount',
      { ...pending, deposit: { ...deposit, amount: 1000000 } },
      'e1',
      'deposit.amount must be a non-empty string',
    ],
    [
      'a deposit without amount',
      { ...pending, deposit: { ...deposit, amount: null } },
      'e1',
      'deposit.amount must be a non-empty string',
    ],
    [
      'a time in a string',
      { ...pending, deposit: { ...deposit, receivedAt: '1' } },
      'e1',
      'deposit.receivedAt must be Unix milliseconds, an integer',
    ],
    [
      'a null time',
      { ...pending, deposit: { ...deposit, receivedAt: null } },
      'e1',
      'deposit.receivedAt must be Unix milliseconds, an integer',
    ],
    [
      'half a millisecond',
      { ...pending, deposit: { ...deposit, receivedAt: 1.5 } },
      'e1',
      'deposit.receivedAt must be Unix milliseconds, an integer',
    ],
  ]
  for (const [what, event, id, error] of rejected) {
    test(what, () => {
      const unreadable = { id, event: { eventId: id, fact: { type: 'unreadable', error } } }
      assert.deepEqual(parseOne(event), id === null ? { id, error } : unreadable)
    })
  }
})

describe('applying a push', () => {
  const event = (id: string): ParsedEvent => ({
    id,
    event: { eventId: id, fact: { type: 'identity.onboarded', identity: id } },
  })

  test('answers every event in its place', async () => {
    const batches: string[][] = []
    const outcomes: EventOutcome[] = [
      { status: 'applied' },
      { status: 'duplicate' },
      { status: 'rejected', error: 'no such deposit' },
    ]
    const results = await applyEvents(
      [event('a'), { id: null, error: 'an event must be an object' }, event('b'), event('d')],
      async (events) => {
        batches.push(events.map(({ eventId }) => eventId ?? ''))
        return outcomes
      },
    )
    assert.deepEqual(batches, [['a', 'b', 'd']])
    assert.deepEqual(results, [
      { id: 'a', status: 'applied' },
      { id: null, status: 'rejected', error: 'an event must be an object' },
      { id: 'b', status: 'duplicate' },
      { id: 'd', status: 'rejected', error: 'no such deposit' },
    ])
  })

  test('waits for the first event of an id before it applies the second', async () => {
    const batches: string[][] = []
    let underWay = 0
    await applyEvents([event('a'), event('b'), event('a'), event('a'), event('c')], async (events) => {
      underWay += 1
      assert.equal(underWay, 1)
      batches.push(events.map(({ eventId }) => eventId ?? ''))
      await Promise.resolve()
      underWay -= 1
      return events.map(() => ({ status: 'applied' }))
    })
    assert.deepEqual(batches, [['a', 'b'], ['a'], ['a', 'c']])
  })

  test('applies nothing when no event has an id', async () => {
    const results = await applyEvents([{ id: null, error: 'wrong' }], () => assert.fail('nothing was to be applied'))
    assert.deepEqual(results, [{ id: null, status: 'rejected', error: 'wrong' }])
  })

  test('rejects when the intake does', async () => {
    await assert.rejects(
      applyEvents([event('a')], () => Promise.reject(new Error('full'))),
      /full/,
    )
  })

  test('rejects when the intake answers another number of events', async () => {
    await assert.rejects(
      applyEvents([event('a')], () => Promise.resolve([])),
      /another number/,
    )
  })
})
