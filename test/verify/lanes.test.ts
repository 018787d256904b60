import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Chosen,
  type Rejection,
  type VerifyLaneName,
  VerifyLanes,
  type VerifyLanesSettings,
} from '../../src/verify/lanes.js'
import type { VerifyRequest } from '../../src/verify/wire.js'

/** Bad signatures after which a key is suspect. */
const BAD = 9

function lanesWith(settings: Partial<VerifyLanesSettings> = {}): VerifyLanes {
  const limits = { registeredLaneLimit: 10_000, unregisteredLaneLimit: 10_000, laneLimitBytes: 1024 * 1024 }
  return new VerifyLanes({ threads: 1, ...limits, ...settings })
}

/** A request by the key of that number. */
function requestOf(key: number, body = ''): VerifyRequest {
  const publicKey = Buffer.alloc(33, key)
  return { publicKey, signature: 'AAAA', routeTag: 'POST /', timestamp: '1', body: Buffer.from(body) }
}

interface Sender {
  readonly key?: number
  readonly client?: string
  readonly body?: string
}

function enter(lanes: VerifyLanes, lane: VerifyLaneName, { key = 1, client = 'client', body }: Sender = {}) {
  return lanes.enter(requestOf(key, body), lane, () => client, 0)
}

function enterMany(lanes: VerifyLanes, lane: VerifyLaneName, count: number, sender: Sender = {}): void {
  for (let i = 0; i < count; i += 1) accepted(enter(lanes, lane, sender))
}

function accepted(verdict: Promise<boolean> | Rejection): Promise<boolean> {
  if (!(verdict instanceof Promise)) throw new Error(`rejected: ${verdict}`)
  return verdict
}

function settle(lanes: VerifyLanes, { entries }: Chosen, isValid: boolean): void {
  for (const entry of entries) lanes.settle(entry, isValid)
}

/** Makes the key suspect, by bad signatures from that client. */
function attack(lanes: VerifyLanes, key: number, client = 'attacker'): void {
  for (let i = 0; i < BAD; i += 1) {
    accepted(enter(lanes, 'registered', { key, client }))
    settle(lanes, lanes.take(1, 0), false)
  }
}

/** The keys of what goes next. */
function keysOf({ entries }: Chosen): number[] {
  return entries.map(({ request }) => request.publicKey[0] ?? 0)
}

describe('the lane of registered keys', () => {
  test('goes before a flood of others, which keeps an eighth of every batch', () => {
    const lanes = lanesWith()
    enterMany(lanes, 'unregistered', 400)
    enterMany(lanes, 'registered', 112)
    assert.equal(lanes.eligible(0), 512)
    for (let batch = 0; batch < 2; batch += 1) {
      const chosen = lanes.take(64, 0)
      assert.deepEqual([chosen.entries.length, chosen.withPriority], [64, 56])
    }
    assert.equal(lanes.take(64, 0).withPriority, 0)
  })

  test('leaves one place of the smallest batch to each of the others in turn', () => {
    const lanes = lanesWith()
    attack(lanes, 9)
    enterMany(lanes, 'registered', 10, { key: 1 })
    enterMany(lanes, 'unregistered', 2, { key: 2 })
    enterMany(lanes, 'registered', 2, { key: 9 })
    const batches = Array.from({ length: 4 }, () => keysOf(lanes.take(2, 0)))
    assert.deepEqual(batches.map(([, other]) => other).sort(), [2, 2, 9, 9])
    assert.ok(batches.every(([first]) => first === 1))
  })

  test('gives a whole batch to the others when it is empty', () => {
    const lanes = lanesWith()
    enterMany(lanes, 'unregistered', 20)
    assert.equal(lanes.take(16, 0).entries.length, 16)
  })

  test('resolves each request with its own verdict', async () => {
    const lanes = lanesWith()
    const verdicts = [enter(lanes, 'registered'), enter(lanes, 'unregistered')].map(accepted)
    for (const entry of lanes.take(2, 0).entries) lanes.settle(entry, entry.isRegistered)
    assert.deepEqual(await Promise.all(verdicts), [true, false])
  })
})

describe('requests without priority', () => {
  /** Each verification takes 4 ms, and one with priority has just gone out. */
  function throttled(): VerifyLanes {
    const lanes = lanesWith()
    lanes.measured(1, 4)
    enterMany(lanes, 'registered', 1)
    lanes.take(1, 0)
    enterMany(lanes, 'unregistered', 3)
    return lanes
  }

  test('are throttled to a sixteenth of the time while requests with priority come in', () => {
    const lanes = throttled()
    // The 2 ms that were saved are enough to begin; afterwards 2 ms are owed, which takes 32 ms at a sixteenth.
    assert.equal(lanes.eligible(0), 1)
    lanes.take(1, 0)
    assert.equal(lanes.eligible(0), 0)
    assert.equal(lanes.waitMs(0), 32)
    assert.equal(lanes.eligible(32), 0)
    assert.equal(lanes.eligible(33), 1)
  })

  test('do not hold up requests with priority meanwhile', () => {
    const lanes = throttled()
    lanes.take(1, 0)
    enterMany(lanes, 'registered', 2)
    assert.equal(lanes.eligible(0), 2)
    assert.equal(lanes.take(2, 0).withPriority, 2)
  })

  test('go out freely when no request with priority came for a second', () => {
    const lanes = throttled()
    lanes.take(1, 0)
    assert.equal(lanes.eligible(1_000), 1)
    assert.equal(lanes.eligible(1_001), 2)
  })

  test('go out freely at the end', () => {
    const lanes = throttled()
    lanes.take(1, 0)
    lanes.end()
    assert.equal(lanes.eligible(0), 2)
  })

  test('are paid for by valid signatures, when a merchant shares key and address with an attacker', () => {
    const lanes = lanesWith()
    attack(lanes, 1)
    lanes.measured(1, 4)
    enterMany(lanes, 'registered', 1, { key: 2 })
    lanes.take(1, 0)
    const send = (isValid: boolean) => {
      accepted(enter(lanes, 'registered', { client: 'attacker' }))
      assert.equal(lanes.eligible(0), 1)
      settle(lanes, lanes.take(1, 0), isValid)
    }
    for (let round = 0; round < 5; round += 1) {
      send(true)
      send(false)
    }
    // Invalid signatures are not.
    send(false)
    accepted(enter(lanes, 'registered', { client: 'attacker' }))
    assert.equal(lanes.eligible(0), 0)
  })
})

describe('a registered key for which bad signatures come', () => {
  test('loses its priority, and regains it by good ones', () => {
    const lanes = lanesWith()
    attack(lanes, 1)
    accepted(enter(lanes, 'registered'))
    assert.deepEqual(lanes.depth, { registered: 0, unregistered: 1 })
    for (let i = 0; i < 8; i += 1) {
      settle(lanes, lanes.take(1, 0), true)
      accepted(enter(lanes, 'registered'))
    }
    assert.deepEqual(lanes.depth, { registered: 1, unregistered: 0 })
  })

  test('keeps it with a client that proves to hold it', () => {
    const lanes = lanesWith()
    attack(lanes, 1)
    accepted(enter(lanes, 'registered', { client: 'owner' }))
    settle(lanes, lanes.take(1, 0), true)
    accepted(enter(lanes, 'registered', { client: 'owner' }))
    accepted(enter(lanes, 'registered', { client: 'attacker' }))
    assert.deepEqual(lanes.depth, { registered: 1, unregistered: 1 })
  })

  test('is served beside a flood in its name: clients take turns, and a newcomer finds room', () => {
    const lanes = lanesWith({ unregisteredLaneLimit: 64 })
    attack(lanes, 1)
    let flood = 0
    while (enter(lanes, 'registered', { client: 'attacker' }) instanceof Promise) flood += 1
    assert.equal(flood, 32)
    accepted(enter(lanes, 'registered', { client: 'newcomer' }))
    const clients = lanes.take(2, 0).entries.map(({ client }) => client())
    assert.deepEqual(clients.sort(), ['attacker', 'newcomer'])
  })

  test('tells a client that fills the lane that it is crowded out, and another that there is no room', () => {
    const lanes = lanesWith({ unregisteredLaneLimit: 2 })
    attack(lanes, 1)
    for (const client of ['attacker', 'other']) accepted(enter(lanes, 'registered', { client }))
    assert.equal(enter(lanes, 'registered', { client: 'attacker' }), 'crowded_out')
    assert.equal(enter(lanes, 'registered', { client: 'newcomer' }), 'overloaded')
  })
})

describe('the lanes reject', () => {
  test('what exceeds their number, each on its own, until there is room', () => {
    const lanes = lanesWith({ registeredLaneLimit: 3, unregisteredLaneLimit: 2 })
    enterMany(lanes, 'registered', 3)
    enterMany(lanes, 'unregistered', 2)
    assert.equal(enter(lanes, 'registered'), 'overloaded')
    assert.equal(enter(lanes, 'unregistered'), 'crowded_out')
    assert.deepEqual(lanes.depth, { registered: 3, unregistered: 2 })
    assert.equal(lanes.waiting, 5)
    lanes.take(2, 0)
    assert.ok(enter(lanes, 'registered') instanceof Promise)
  })

  test('what exceeds their bytes', () => {
    const lanes = lanesWith({ laneLimitBytes: 10_000 })
    const body = 'x'.repeat(4_000)
    enterMany(lanes, 'registered', 2, { body })
    assert.equal(enter(lanes, 'registered', { body }), 'overloaded')
    assert.ok(enter(lanes, 'registered') instanceof Promise)
    assert.ok(enter(lanes, 'unregistered', { body }) instanceof Promise)
    assert.equal(enter(lanes, 'unregistered', { body: 'x'.repeat(20_000) }), 'crowded_out')
  })
})
