import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { identityOfKeyText } from '../../src/auth/identity-key.js'
import {
  ASK_PAUSE_MS,
  type AskLedgerKeys,
  BELIEVED_MS,
  KEY_QUERIES_MAX,
  PresentKeys,
  WAITING_MAX,
} from '../../src/auth/present-keys.js'
import type { KeyHistory } from '../../src/domain/key-history.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { testKey } from '../support/signing.js'

const NAME = 'shop.onboarding'
const [FIRST, SECOND, STRANGER] = ['first', 'second', 'stranger'].map((seed) => testKey(seed).publicKeyHex) as [
  string,
  string,
  string,
]
const ID = identityOfKeyText(`0x${FIRST}`, NAME)

type Told = Awaited<ReturnType<AskLedgerKeys['streamOf']>>

const OK = 'speaks'

/** A ledger and a service in the hands of a test. */
class World {
  readonly scheduler = new ManualScheduler()
  nowMs = 0
  /** What the ledger tells now. */
  told: Told = found([FIRST])
  /** Queries that were made, by identity. */
  readonly asked: string[] = []
  /** When set, answers wait for it. */
  held: Promise<void> | null = null
  pushed: readonly string[] | null = null
  known = new Set<string>()
  existence: boolean | 'ledger_unreachable' | 'overloaded' = true
  history: KeyHistory | undefined
  readonly keys: PresentKeys

  constructor(hasLedger = true) {
    this.keys = new PresentKeys({
      identities: {
        isKnown: (id) => this.known.has(id),
        remember: async (id) => void this.known.add(id),
        pushedKeys: () => this.pushed,
      },
      known: { exists: async () => this.existence },
      histories: { keyHistory: () => this.history },
      ledger: hasLedger ? { streamOf: (id) => this.ask(id) } : null,
      onboardingName: NAME,
      scheduler: this.scheduler,
      now: () => this.nowMs,
    })
  }

  /** `speaks`, or why it does not; a query that has to wait for the one before gets its time. */
  async judge(key: string, identity = ID): Promise<string> {
    const judged = this.begin(key, identity)
    await settled()
    this.scheduler.pass(ASK_PAUSE_MS)
    return judged
  }

  async begin(key: string, identity = ID, client = 'client'): Promise<string> {
    const outcome = await this.keys.speaksFor(identity, key, client)
    return outcome.ok ? OK : outcome.failure.code
  }

  pass(ms: number): void {
    this.nowMs += ms
    this.scheduler.pass(ms)
  }

  private async ask(id: string): Promise<Told> {
    this.asked.push(id)
    const { told } = this
    await this.held
    return told
  }
}

function found(authorities: readonly string[], length = 1): Told {
  return { kind: 'found', value: { authorities, txs: Array.from({ length }, (_, i) => `${i}`) } }
}

function id(n: number): string {
  return n.toString(16).padStart(64, '0')
}

const UNCLEAR: Told = { kind: 'unclear', why: 'status 500' }

describe('the keys that speak for an identity, by the ledger', () => {
  test("are its present authorities and nobody else's", async () => {
    const world = new World()
    for (const spelling of [FIRST, `0x${FIRST}`, FIRST.toUpperCase(), `0x${FIRST.toUpperCase()}`]) {
      assert.equal(await world.judge(spelling), OK)
    }
    assert.equal(await world.judge(STRANGER), 'not_identity_key')
    assert.ok(world.known.has(ID))
  })

  test('do not include the key of the onboarding once it is replaced', async () => {
    const world = new World()
    world.told = found([SECOND])
    assert.equal(await world.judge(FIRST), 'not_identity_key')
    assert.equal(await world.judge(SECOND), OK)
  })

  test('are believed for a minute after they were seen, and asked for again after it', async () => {
    const world = new World()
    assert.equal(await world.judge(FIRST), OK)
    world.told = found([SECOND], 2)
    world.pass(BELIEVED_MS - 1)
    assert.equal(await world.judge(FIRST), OK)
    assert.equal(world.asked.length, 1)
    world.pass(1)
    assert.equal(await world.judge(FIRST), 'not_identity_key')
    assert.equal(world.asked.length, 2)
  })

  test('are asked for before an unknown one is refused: a new key works at once', async () => {
    const world = new World()
    assert.equal(await world.judge(FIRST), OK)
    world.told = found([SECOND], 2)
    assert.equal(await world.judge(SECOND), OK)
    // And the old one is known to be none any more.
    assert.equal(await world.judge(FIRST), 'not_identity_key')
  })

  test('are asked for once a second at most, however many unknown keys come', async () => {
    const world = new World()
    assert.equal(await world.begin(FIRST), OK)
    const flood = Array.from({ length: 100 }, () => world.begin(STRANGER))
    // The key is replaced while the flood waits.
    world.told = found([SECOND], 2)
    const own = world.begin(SECOND)
    await settled()
    assert.equal(world.asked.length, 1)
    world.pass(ASK_PAUSE_MS)
    assert.deepEqual(new Set(await Promise.all(flood)), new Set(['not_identity_key']))
    assert.equal(await own, OK)
    assert.equal(world.asked.length, 2)
  })

  test('are never taken from a query that began before the request came', async () => {
    const world = new World()
    let answer = () => {}
    world.held = new Promise((resolve) => {
      answer = resolve
    })
    const early = world.begin(STRANGER)
    await settled()
    world.told = found([SECOND], 2)
    const late = world.begin(SECOND)
    world.held = null
    answer()
    assert.equal(await early, 'not_identity_key')
    world.pass(ASK_PAUSE_MS)
    assert.equal(await late, OK)
    assert.equal(world.asked.length, 2)
  })

  test('are unknown when no node answers and nothing was seen within the last minute', async () => {
    const world = new World()
    world.told = UNCLEAR
    assert.equal(await world.judge(FIRST), 'ledger_unreachable')
    world.told = found([FIRST])
    assert.equal(await world.judge(FIRST), OK)
    world.told = UNCLEAR
    assert.equal(await world.judge(FIRST), OK)
    assert.equal(await world.judge(STRANGER), 'not_identity_key')
    world.pass(BELIEVED_MS)
    assert.equal(await world.judge(FIRST), 'ledger_unreachable')
  })

  test('are not those of a node that tells less than was seen', async () => {
    const world = new World()
    world.told = found([SECOND], 5)
    assert.equal(await world.judge(SECOND), OK)
    world.told = found([FIRST], 4)
    world.pass(BELIEVED_MS)
    assert.equal(await world.judge(FIRST), 'ledger_unreachable')
  })

  test('are not those of a node that tells less than a follower has seen', async () => {
    const world = new World()
    world.history = { spans: [], length: 5, head: '' }
    world.told = found([FIRST], 4)
    assert.equal(await world.judge(FIRST), 'ledger_unreachable')
  })

  test('are none of an identity that the ledger does not have; one that is known here was lost by the nodes', async () => {
    const world = new World()
    world.told = { kind: 'missing' }
    assert.equal(await world.judge(STRANGER), 'not_identity_key')
    assert.equal(await world.judge(FIRST), 'unknown_identity')
    world.known.add(ID)
    assert.equal(await world.judge(FIRST), 'ledger_unreachable')
  })

  test('are asked for identities only', async () => {
    const world = new World()
    assert.equal(await world.judge(FIRST, '_all_docs'), 'not_identity_key')
    assert.deepEqual(world.asked, [])
  })

  test('are asked for by a bounded number of queries, and a bounded number of requests waits', async () => {
    const world = new World()
    let answer = () => {}
    world.held = new Promise((resolve) => {
      answer = resolve
    })
    const open = Array.from({ length: KEY_QUERIES_MAX }, (_, n) => world.begin(FIRST, id(n), `client ${n}`))
    await settled()
    assert.equal(await world.begin(FIRST, id(KEY_QUERIES_MAX), 'late'), 'overloaded')
    const waiting = Array.from({ length: WAITING_MAX }, (_, n) => world.begin(STRANGER, id(0), `client ${n}`))
    await settled()
    assert.equal(await world.begin(STRANGER, id(1), 'late'), 'overloaded')
    answer()
    await settled()
    world.pass(ASK_PAUSE_MS)
    assert.deepEqual(new Set(await Promise.all(open)), new Set([OK]))
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['not_identity_key']))
    assert.equal(world.asked.length, KEY_QUERIES_MAX + 1)
    // All is free again.
    world.pass(ASK_PAUSE_MS)
    await settled()
    assert.equal(await world.judge(FIRST, id(KEY_QUERIES_MAX)), OK)
  })

  test('are asked for others although one client asks for as many identities as it can', async () => {
    const world = new World()
    let answer = () => {}
    world.held = new Promise((resolve) => {
      answer = resolve
    })
    const flood = Array.from({ length: 10 * KEY_QUERIES_MAX }, (_, n) => world.begin(STRANGER, id(n), 'flood'))
    await settled()
    assert.equal(world.asked.length, KEY_QUERIES_MAX / 2)
    const own = world.begin(FIRST)
    await settled()
    assert.equal(world.asked.length, KEY_QUERIES_MAX / 2 + 1)
    answer()
    assert.equal(await own, OK)
    assert.deepEqual(new Set(await Promise.all(flood)), new Set(['not_identity_key', 'overloaded']))
  })

  test('are asked for although a client that asks for too many waits for them, too', async () => {
    const world = new World()
    assert.equal(await world.begin(FIRST), OK)
    world.told = found([SECOND], 2)
    const waiting = Array.from({ length: 2 * WAITING_MAX }, () => world.begin(STRANGER, ID, 'flood'))
    const own = world.begin(SECOND)
    let answer = () => {}
    world.held = new Promise((resolve) => {
      answer = resolve
    })
    const flood = Array.from({ length: KEY_QUERIES_MAX }, (_, n) => world.begin(STRANGER, id(n), 'flood'))
    await settled()
    world.pass(ASK_PAUSE_MS)
    await settled()
    answer()
    assert.equal(await own, OK)
    await Promise.all([...waiting, ...flood])
  })

  test('are not those of a node that tells less than was seen, whatever strangers asked for meanwhile', async () => {
    const world = new World()
    world.told = found([SECOND], 5)
    assert.equal(await world.judge(SECOND), OK)
    // Identities of the ledger, which everybody can read there, with the keys of their onboardings.
    for (let n = 0; n < 20_000; n += 1) {
      const key = `02${id(n)}`
      world.told = found([key], 9)
      await world.begin(key, identityOfKeyText(key, NAME), 'stranger')
      world.scheduler.pass(ASK_PAUSE_MS)
    }
    world.pass(BELIEVED_MS)
    world.told = found([FIRST], 4)
    assert.equal(await world.judge(FIRST), 'ledger_unreachable')
  })
})

describe('the keys that speak for an identity, without a ledger to ask', () => {
  test('are the one of its onboarding, of an identity that exists', async () => {
    const world = new World(false)
    assert.equal(await world.judge(FIRST), OK)
    assert.equal(await world.judge(SECOND), 'not_identity_key')
    world.existence = false
    assert.equal(await world.judge(FIRST), 'unknown_identity')
    world.existence = 'overloaded'
    assert.equal(await world.judge(FIRST), 'overloaded')
  })

  test('are those that a gateway has pushed last, and then not the one of the onboarding', async () => {
    const world = new World(false)
    world.pushed = [SECOND]
    assert.equal(await world.judge(`0x${SECOND.toUpperCase()}`), OK)
    assert.equal(await world.judge(FIRST), 'not_identity_key')
  })
})

/** What was begun gets as far as it can without time. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
}
