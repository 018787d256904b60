import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { COMPARED_ROWS } from '../../src/ledger/comparison.js'
import {
  BACKOFF_MAX_MS,
  COMPARISON_PAUSE_MS,
  LISTED_ROWS,
  LISTED_ROWS_MAX,
  SHORT_POLL_MS,
} from '../../src/ledger/follower.js'
import { SET_ASIDE_MAX } from '../../src/ledger/follower-memory.js'
import type { FollowerState } from '../../src/ledger/follower-state.js'
import { ASK_AGAIN_MAX_MS } from '../../src/ledger/transaction-intake.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'
import {
  assignTx,
  FollowerFixture,
  followOnce,
  idOf,
  keyOf,
  nameOf,
  OVERLAP_MS,
  onboardTx,
  POLL_MS,
  ScriptedLedger,
  ScriptedService,
} from './follower-fixture.js'

const T = START_MS
const DAY_MS = COMPARISON_PAUSE_MS
const OTHER = { $tx: { $contract: 'another', $namespace: 'elsewhere', $i: {} } }

/** A ledger and a service with nothing in them. */
function world() {
  return { ledger: new ScriptedLedger(), service: new ScriptedService() }
}

/** The wallets that were assigned, in order. */
function assigned(service: ScriptedService): readonly string[] {
  return service.applied.map(({ fact }) => (fact.type === 'wallet.assigned' ? nameOf(fact.id) : assert.fail(fact.type)))
}

describe('the follower of a ledger', () => {
  test('tells onboardings and assignments in order, each under the id of its transaction, and nothing else', async () => {
    const { ledger, service } = world()
    const onboarding = ledger.commit(T, onboardTx('carol'))
    ledger.commit(T + 1, { $tx: { $contract: 'other', $namespace: 'shop', $i: {} } })
    ledger.commit(T + 1, { $tx: { $contract: 'c2', $namespace: 'elsewhere', $i: {} } })
    const assignment = ledger.commit(T + 2, assignTx('w1', 'alice'))
    const { follower } = await followOnce(ledger, service)
    const identity = createHash('sha256')
      .update(`${keyOf('carol')}shop.onboarding`)
      .digest('hex')
    assert.deepEqual(service.applied, [
      { eventId: `ledger:${onboarding}`, fact: { type: 'identity.onboarded', identity } },
      {
        eventId: `ledger:${assignment}`,
        fact: {
          type: 'wallet.assigned',
          id: idOf('w1'),
          address: null,
          network: null,
          owner: idOf('alice'),
          ledgerMs: T + 2,
        },
      },
    ])
    assert.deepEqual([service.memory?.progress.origin, service.memory?.progress.newestMs], ['origin', T + 2])
    assert.equal(service.memory?.taken.length, 4)
    const state = follower.state()
    assert.deepEqual(state.facts, { applied: 2, duplicate: 0, rejected: 0 })
    assert.deepEqual([state.transactions, state.malformed, state.failures], [4, 0, 0])
    assert.deepEqual([state.lastUmid, state.lastTimestampMs], [assignment, T + 2])
  })

  test('begins where it is told to', async () => {
    const { ledger, service } = world()
    ledger.commit(T, assignTx('w1', 'alice'))
    ledger.commit(T + 1, assignTx('w2', 'alice'))
    await followOnce(ledger, service, { fromMs: T + 1 })
    assert.deepEqual(assigned(service), ['w2'])
  })

  test('looks again after a pause and finds what came in between', async () => {
    const { ledger, service } = world()
    const fixture = new FollowerFixture(ledger, service)
    assert.equal(await fixture.start(), POLL_MS)
    ledger.commit(T, assignTx('w1', 'alice'))
    assert.equal(await fixture.pass(POLL_MS), POLL_MS)
    assert.deepEqual(assigned(service), ['w1'])
    await fixture.follower.stop()
  })

  test('resumes behind the last transaction, and looks none up again', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < 3; i += 1) ledger.commit(T, assignTx(`w${i}`, 'alice'))
    await followOnce(ledger, service)
    const later = ledger.commit(T, assignTx('w3', 'alice'), `f${'0'.repeat(63)}`)
    // Listed before the others of its millisecond, although it came last.
    ledger.rows.unshift(...ledger.rows.splice(-1))
    const last = ledger.commit(T + 1, assignTx('w4', 'alice'), 'e'.repeat(64))
    ledger.lookedUp.length = 0
    await followOnce(ledger, service)
    assert.deepEqual([...new Set(ledger.lookedUp)], [later, last])
    assert.deepEqual(assigned(service), ['w0', 'w1', 'w2', 'w3', 'w4'])
    assert.equal(service.told, 5)
  })

  test('begins anew when something else is followed', async () => {
    const { ledger, service } = world()
    ledger.commit(T, assignTx('w1', 'alice'))
    await followOnce(ledger, service)
    const { follower } = await followOnce(ledger, service, { origin: 'another' })
    assert.equal(service.told, 2)
    assert.equal(follower.state().facts.duplicate, 1)
    assert.equal(service.memory?.progress.origin, 'another')
  })

  test('goes through pages at once, without a pause', async () => {
    const { ledger, service } = world()
    const count = LISTED_ROWS * 2 + 1
    for (let i = 0; i < count; i += 1) ledger.commit(T + i, i % 100 === 0 ? assignTx(`w${i}`, 'alice') : OTHER)
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.equal(assigned(service).length, 101)
    assert.equal(new Set(ledger.lookedUp).size, count)
    assert.ok(ledger.asked.length <= 4, `${ledger.asked.length} listings`)
    await fixture.follower.stop()
  })

  test('takes more transactions of one millisecond than fill a page, each once', async () => {
    const { ledger, service } = world()
    const count = LISTED_ROWS * 2 + 7
    for (let i = 0; i < count; i += 1) ledger.commit(T, i % 100 === 0 ? assignTx(`w${i}`, 'alice') : OTHER)
    ledger.commit(T + 1, assignTx('last', 'alice'))
    await followOnce(ledger, service)
    assert.equal(new Set(assigned(service)).size, 102)
    assert.equal(service.told, 102)
    assert.equal(new Set(ledger.lookedUp).size, count + 1)
    assert.equal(assigned(service).at(-1), 'last')
  })

  test('stands still, loudly, when a millisecond has more than can be listed', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < LISTED_ROWS_MAX; i += 1) {
      ledger.rows.push({ umid: i.toString(16).padStart(64, 'f'), timestampMs: T })
    }
    ledger.transaction = async () => ({ kind: 'found', value: OTHER })
    const { follower } = await followOnce(ledger, service)
    assert.match(follower.state().failure ?? '', /in one millisecond/)
    assert.equal(service.memory?.progress.newestMs, T)
  })

  test('stands still, loudly, when a full page repeats itself', async () => {
    const { ledger, service } = world()
    const umid = ledger.commit(T, assignTx('w', 'alice'))
    await followOnce(ledger, service)
    ledger.umids = async () => ({ kind: 'rows', rows: [{ umid, timestampMs: T }], isFull: true, silent: [] })
    const { follower } = await followOnce(ledger, service)
    assert.match(follower.state().failure ?? '', /without a new transaction/)
    assert.equal(service.told, 1)
  })

  test('names a contract of a followed namespace that is not followed, once', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < 3; i += 1) {
      ledger.commit(T + i, { $tx: { ...assignTx(`w${i}`, 'alice').$tx, $contract: 'assignowner' } })
    }
    ledger.commit(T, { $tx: { $contract: 'assignowner', $namespace: 'elsewhere', $i: {} } })
    const { complaints, follower } = await followOnce(ledger, service)
    assert.deepEqual(
      complaints.map(({ level, contract }) => [level, contract]),
      [['warn', 'shop/assignowner']],
    )
    assert.equal(follower.state().malformed, 0)
  })

  test('takes no assignment by a contract that only begins like the followed one', async () => {
    const { ledger, service } = world()
    const umid = ledger.commit(T, { $tx: { ...assignTx('w1', 'mallory').$tx, $contract: 'c2@/../../evil/c9@0.0.1' } })
    const { complaints } = await followOnce(ledger, service)
    assert.deepEqual(assigned(service), [])
    assert.deepEqual([complaints[0]?.['level'], complaints[0]?.['umid']], ['error', umid])
  })

  const skipped: readonly [what: string, flaw: RegExp, transaction: Readonly<Record<string, unknown>> | 'too-long'][] =
    [
      ['is not of the shape', /^assigning takes/, { $tx: { $contract: 'c2', $namespace: 'shop', $i: {} } }],
      ['has no $tx', /no \$tx/, {}],
      ['is signed by somebody else', /not signed/, assignTx('w9', 'alice', 'mallory')],
      ['is not signed at all', /not signed/, { ...assignTx('w9', 'alice'), $sigs: { [idOf('alice')]: {} } }],
      ['is an onboarding without its signature', /not signed/, { ...onboardTx('alice'), $sigs: { otk: [] } }],
      ['is too long', /too long/, 'too-long'],
    ]
  for (const [what, flaw, transaction] of skipped) {
    test(`skips a transaction that ${what}, counts it and logs it as an error`, async () => {
      const { ledger, service } = world()
      const umid = ledger.commit(T, transaction)
      ledger.commit(T, assignTx('w1', 'alice'))
      const { follower, complaints } = await followOnce(ledger, service)
      assert.deepEqual(assigned(service), ['w1'])
      assert.equal(follower.state().malformed, 1)
      assert.equal(complaints.length, 1)
      assert.deepEqual([complaints[0]?.['level'], complaints[0]?.['umid']], ['error', umid])
      assert.match(String(complaints[0]?.['flaw']), flaw)
    })
  }

  test('counts a skipped transaction once, however often it is looked up', async () => {
    const { ledger, service } = world()
    ledger.commit(T, {})
    ledger.commit(T + 1, assignTx('w1', 'alice'))
    service.applyFailure = new Error('full')
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    service.applyFailure = null
    await fixture.pass(BACKOFF_MAX_MS)
    assert.equal(ledger.lookedUp.length, 4)
    assert.equal(fixture.follower.state().malformed, 1)
    await fixture.follower.stop()
  })

  test('goes on behind a fact that the service rejects, counts it and logs it as an error', async () => {
    const { ledger, service } = world()
    const umid = ledger.commit(T, assignTx('w0', ''))
    ledger.commit(T, assignTx('w1', 'alice'))
    const { follower, complaints } = await followOnce(ledger, service)
    assert.deepEqual(assigned(service), ['w1'])
    assert.deepEqual(follower.state().facts, { applied: 1, duplicate: 0, rejected: 1 })
    assert.equal(complaints[0]?.['level'], 'error')
    const { eventId } = (complaints[0]?.['event'] ?? {}) as { eventId?: string }
    assert.equal(eventId, `ledger:${umid}`)
  })

  test('tells again what the service could not take', async () => {
    const { ledger, service } = world()
    ledger.commit(T, assignTx('w1', 'alice'))
    service.applyFailure = new Error('a mailbox is full')
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.equal(service.memory, undefined)
    assert.equal(fixture.follower.state().failure, 'a mailbox is full')
    service.applyFailure = null
    await fixture.pass(BACKOFF_MAX_MS)
    assert.deepEqual(assigned(service), ['w1'])
    await fixture.follower.stop()
  })

  test('changes nothing when it tells again what was taken but not noted', async () => {
    const { ledger, service } = world()
    ledger.commit(T, assignTx('w1', 'alice'))
    service.saveFailure = new Error('the disk is full')
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.deepEqual(assigned(service), ['w1'])
    service.saveFailure = null
    await fixture.pass(BACKOFF_MAX_MS)
    assert.deepEqual([service.told, service.applied.length], [2, 1])
    assert.equal(service.memory?.progress.newestMs, T)
    await fixture.follower.stop()
  })

  test('stops in the middle of a look, with what was told kept', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < 100; i += 1) ledger.commit(T + i, assignTx(`w${i}`, 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    const stopped = new Promise<void>((resolve) => {
      const lookUp = ledger.transaction.bind(ledger)
      ledger.transaction = (umid) => {
        if (ledger.lookedUp.length === 20) resolve(fixture.follower.stop())
        return lookUp(umid)
      }
    })
    fixture.follower.start()
    await stopped
    assert.equal(ledger.isClosed, true)
    assert.equal(fixture.scheduler.pending, 0)
    const told = assigned(service).length
    assert.ok(told < 100, `${told} were told`)
    assert.equal(service.memory?.taken.length ?? 0, told)
    await followOnce(ledger, service)
    assert.deepEqual([assigned(service).length, service.told], [100, 100])
  })

  test('stops during a pause', async () => {
    const { ledger, service } = world()
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    await fixture.follower.stop()
    assert.equal(fixture.scheduler.pending, 0)
    assert.equal(ledger.asked.length, 1)
  })
})

describe('a follower whose ledger fails', () => {
  test('waits longer each time, up to a limit, and begins anew when it is back', async () => {
    const { ledger, service } = world()
    ledger.failure = 'refused'
    const fixture = new FollowerFixture(ledger, service)
    const pauses = [await fixture.start()]
    for (let look = 0; look < 8; look += 1) pauses.push(await fixture.pass(BACKOFF_MAX_MS))
    assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000, 15_000])
    ledger.failure = null
    assert.equal(await fixture.pass(BACKOFF_MAX_MS), POLL_MS)
    ledger.failure = 'refused'
    assert.equal(await fixture.pass(POLL_MS), 1000)
    await fixture.follower.stop()
  })

  test('waits at least half as long as it may', async () => {
    const { ledger, service } = world()
    ledger.failure = 'refused'
    const fixture = new FollowerFixture(ledger, service, { random: () => 0 })
    assert.deepEqual([await fixture.start(), await fixture.pass(500), await fixture.pass(1000)], [500, 1000, 2000])
    await fixture.follower.stop()
  })

  test('does not look up a page when nodes fail', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < 100; i += 1) ledger.broken.add(ledger.commit(T + i, assignTx(`w${i}`, 'alice')))
    const { follower } = await followOnce(ledger, service)
    assert.ok(ledger.lookedUp.length < 20, `${ledger.lookedUp.length} were looked up`)
    assert.equal(follower.state().failure, 'status 500')
    assert.equal(service.memory, undefined)
  })

  test('says why once, not at every look', async () => {
    const { ledger, service } = world()
    ledger.failure = 'status 500'
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    await fixture.pass(BACKOFF_MAX_MS)
    ledger.failure = 'too late'
    await fixture.pass(BACKOFF_MAX_MS)
    await fixture.pass(BACKOFF_MAX_MS)
    assert.deepEqual(
      fixture.complaints.map(({ level, why, store }) => [level, why, store ?? null]),
      [
        ['warn', 'status 500', 'store 0'],
        ['warn', 'the listing: status 500', null],
        ['warn', 'the listing: too late', null],
      ],
    )
    assert.equal(fixture.follower.state().failures, 4)
    await fixture.follower.stop()
  })

  test('says from when on it follows, and once that it has caught up', async () => {
    const { ledger, service } = world()
    ledger.commit(T, assignTx('w1', 'alice'))
    const fixture = new FollowerFixture(ledger, service, { fromMs: T - 1 })
    await fixture.start()
    await fixture.pass(POLL_MS)
    assert.deepEqual(
      fixture.log.map(({ level, msg, fromMs, transactions }) => [level, msg, fromMs ?? transactions]),
      [
        ['info', 'following the ledger', T - 1],
        ['info', 'caught up with the ledger', 1],
      ],
    )
    await fixture.follower.stop()
  })

  test('knows how old its knowledge is', async () => {
    const { ledger, service } = world()
    ledger.failure = 'refused'
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    const lagOf = ({ lagMs, wasRead }: FollowerState) => [lagMs, wasRead]
    assert.deepEqual(lagOf(fixture.follower.state()), [0, false])
    ledger.failure = null
    await fixture.pass(1000)
    assert.deepEqual(lagOf(fixture.follower.state()), [0, true])
    fixture.clock.advance(400)
    assert.equal(fixture.follower.state().lagMs, 400)
    ledger.failure = 'refused'
    await fixture.pass(1000)
    await fixture.pass(5000)
    assert.equal(fixture.follower.state().lagMs, 6400)
    await fixture.follower.stop()
  })

  test('takes the age of the last transaction after a restart', async () => {
    const { ledger, service } = world()
    ledger.commit(T - 7000, assignTx('w1', 'alice'))
    await followOnce(ledger, service)
    ledger.failure = 'refused'
    const { follower } = await followOnce(ledger, service)
    assert.equal(follower.state().lagMs, 7000)
    assert.equal(follower.state().lastTimestampMs, T - 7000)
  })
})

describe('a listed transaction that no node tells', () => {
  test('is set aside and holds up nobody, and is taken when a node tells it', async () => {
    const { ledger, service } = world()
    const umids = [0, 1, 2].map((i) => ledger.commit(T + i, assignTx(`w${i}`, 'alice')))
    const hidden = umids[1] ?? ''
    ledger.hidden.add(hidden)
    const fixture = new FollowerFixture(ledger, service)
    assert.equal(await fixture.start(), POLL_MS)
    assert.deepEqual(assigned(service), ['w0', 'w2'])
    assert.deepEqual(
      service.memory?.setAside.map(({ umid, attempts }) => [umid, attempts]),
      [[hidden, 1]],
    )
    ledger.hidden.clear()
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['w0', 'w2', 'w1'])
    assert.deepEqual(service.memory?.setAside, [])
    assert.deepEqual(fixture.complaints, [])
    await fixture.follower.stop()
  })

  test('is counted at once and logged after about a minute, is asked for less and less often, and survives restarts', async () => {
    const { ledger, service } = world()
    const umid = ledger.commit(T, assignTx('w1', 'alice'))
    ledger.hidden.add(umid)
    const clock = new ManualClock()
    let fixture = new FollowerFixture(ledger, service, { clock })
    await fixture.start()
    for (let passed = 0; passed < 3600; passed += 10) {
      const isLate = passed >= 60
      assert.deepEqual(
        fixture.follower.state().setAside,
        { missing: 1, failed: 0, undecided: 0, unasked: 0 },
        `after ${passed} s`,
      )
      assert.equal(fixture.complaints.length, isLate ? 1 : 0, `after ${passed} s`)
      await fixture.pass(10_000)
    }
    assert.deepEqual([fixture.complaints[0]?.['level'], fixture.complaints[0]?.['umid']], ['error', umid])
    assert.ok(ledger.lookedUp.length < 20, `asked ${ledger.lookedUp.length} times in an hour`)
    assert.equal(fixture.follower.state().failure, null)
    await fixture.follower.stop()
    fixture = new FollowerFixture(ledger, service, { clock })
    await fixture.start()
    assert.equal(fixture.follower.state().setAside.missing, 1)
    ledger.hidden.clear()
    await fixture.pass(ASK_AGAIN_MAX_MS)
    assert.deepEqual(assigned(service), ['w1'])
    assert.equal(fixture.follower.state().setAside.missing, 0)
    await fixture.follower.stop()
  })

  test('does not overwrite a later assignment when it is told at last', async () => {
    const { ledger, service } = world()
    ledger.hidden.add(ledger.commit(T, assignTx('w', 'alice')))
    ledger.commit(T + 1, assignTx('w', 'bob'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.hidden.clear()
    await fixture.pass(POLL_MS)
    assert.equal(service.owners().get('w'), 'bob')
    assert.deepEqual(service.memory?.setAside, [])
    await fixture.follower.stop()
  })

  test('is set aside, too, when nodes fail to tell it and tell others', async () => {
    const { ledger, service } = world()
    const umids = [0, 1, 2].map((i) => ledger.commit(T + i, assignTx(`w${i}`, 'alice')))
    ledger.broken.add(umids[0] ?? '')
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['w1', 'w2'])
    assert.equal(fixture.follower.state().failure, null)
    assert.deepEqual(fixture.follower.state().setAside, { missing: 0, failed: 1, undecided: 0, unasked: 0 })
    await fixture.follower.stop()
  })

  test('is one whose owner no node knows yet', async () => {
    const { ledger, service } = world()
    ledger.keyless.add('alice')
    ledger.commit(T, assignTx('w1', 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.deepEqual(assigned(service), [])
    ledger.keyless.clear()
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['w1'])
    await fixture.follower.stop()
  })

  test('takes the place of others when too many are set aside, and the follower says so', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < SET_ASIDE_MAX + 10; i += 1) {
      ledger.rows.push({ umid: i.toString(16).padStart(64, '0'), timestampMs: T })
    }
    const fixture = await followOnce(ledger, service)
    assert.equal(service.memory?.setAside.length, SET_ASIDE_MAX)
    assert.equal(fixture.complaints[0]?.['msg'], 'transactions are not asked for any more')
  })
})

describe('a transaction that is listed late', () => {
  test('is found although later ones were read before, within the overlap', async () => {
    for (const lateMs of [1, 40, SHORT_POLL_MS - 1, SHORT_POLL_MS + 1, OVERLAP_MS - 1000]) {
      const { ledger, service } = world()
      ledger.commit(T, assignTx('w1', 'alice'))
      const fixture = new FollowerFixture(ledger, service)
      await fixture.start()
      await fixture.pass(POLL_MS)
      ledger.commit(T - lateMs, assignTx('late', 'alice'))
      await fixture.pass(POLL_MS)
      if (lateMs > SHORT_POLL_MS) await fixture.pass(SHORT_POLL_MS)
      assert.deepEqual(assigned(service), ['w1', 'late'], `${lateMs} ms late`)
      await fixture.follower.stop()
    }
  })

  test('is found after a restart, and what is known is not looked up again', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < 10; i += 1) ledger.commit(T + i, assignTx(`w${i}`, 'alice'))
    await followOnce(ledger, service)
    const late = ledger.commit(T - 500, assignTx('late', 'alice'))
    ledger.lookedUp.length = 0
    await followOnce(ledger, service)
    assert.deepEqual(ledger.lookedUp, [late])
    assert.equal(assigned(service).at(-1), 'late')
  })

  test('does not overwrite a later assignment of the wallet', async () => {
    const { ledger, service } = world()
    ledger.commit(T, assignTx('w', 'bob'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.commit(T - 10, assignTx('w', 'alice'))
    await fixture.pass(POLL_MS)
    assert.equal(ledger.lookedUp.length, 2)
    assert.equal(service.owners().get('w'), 'bob')
    await fixture.follower.stop()
  })

  test('is found behind a transaction of a node whose clock is fast', async () => {
    const { ledger, service } = world()
    ledger.commit(T + DAY_MS / 2, assignTx('future', 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.commit(T, assignTx('present', 'alice'))
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['future', 'present'])
    assert.equal(fixture.follower.state().lagMs, 0)
    await fixture.follower.stop()
  })

  test('is found by the comparison of the next day when it came later than the overlap', async () => {
    const { ledger, service } = world()
    ledger.commit(T, assignTx('w1', 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.commit(T - OVERLAP_MS - 1, assignTx('late', 'alice'))
    await fixture.pass(SHORT_POLL_MS)
    assert.deepEqual(assigned(service), ['w1'])
    await fixture.pass(DAY_MS)
    assert.deepEqual(assigned(service), ['w1', 'late'])
    assert.equal(fixture.follower.state().missed, 1)
    assert.deepEqual(
      fixture.complaints.map(({ level, msg }) => [level, msg]),
      [['warn', 'a fact of the ledger had been missed']],
    )
    await fixture.follower.stop()
  })
})

describe('the comparison with the whole ledger', () => {
  /** A ledger with so many transactions, of which one was not told. */
  async function worldWithGap(count: number) {
    const { ledger, service } = world()
    for (let i = 0; i < count; i += 1) ledger.commit(T - DAY_MS + i, OTHER)
    ledger.commit(T, assignTx('w1', 'alice'))
    const clock = new ManualClock()
    const fixture = new FollowerFixture(ledger, service, { clock })
    await fixture.start()
    ledger.commit(T - DAY_MS + 5, assignTx('gap', 'alice'))
    return { ledger, service, fixture, clock }
  }

  test('takes a bounded step after each look', async () => {
    const { ledger, service, fixture } = await worldWithGap(1000)
    await fixture.pass(DAY_MS)
    ledger.lookedUp.length = 0
    for (let step = 0; step < 3; step += 1) {
      assert.equal(await fixture.pass(POLL_MS), POLL_MS)
      assert.ok(ledger.lookedUp.length <= COMPARED_ROWS * (step + 1))
    }
    assert.deepEqual(assigned(service), ['w1', 'gap'])
    assert.notEqual(service.memory?.progress.comparingMs, null)
    for (let step = 0; step < 10; step += 1) await fixture.pass(POLL_MS)
    assert.equal(service.memory?.progress.comparingMs, null)
    assert.equal(fixture.log.filter(({ msg }) => msg === 'compared with the whole ledger').length, 1)
    ledger.lookedUp.length = 0
    await fixture.pass(POLL_MS)
    assert.deepEqual(ledger.lookedUp, [])
    await fixture.follower.stop()
  })

  test('goes on after a restart where it was', async () => {
    const { ledger, service, fixture, clock } = await worldWithGap(500)
    await fixture.pass(DAY_MS)
    await fixture.pass(POLL_MS)
    await fixture.follower.stop()
    ledger.lookedUp.length = 0
    const next = new FollowerFixture(ledger, service, { clock })
    await next.start()
    for (let step = 0; step < 10; step += 1) await next.pass(POLL_MS)
    assert.equal(service.memory?.progress.comparingMs, null)
    assert.ok(ledger.lookedUp.length < 400, `${ledger.lookedUp.length} were looked up`)
    await next.follower.stop()
  })

  test('does not tell again what was malformed, and counts nothing that was known', async () => {
    const { ledger, service } = world()
    ledger.commit(T - DAY_MS, {})
    ledger.commit(T - DAY_MS, assignTx('w1', 'alice'))
    ledger.commit(T, OTHER)
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    await fixture.pass(DAY_MS)
    const { malformed, missed } = fixture.follower.state()
    assert.deepEqual([malformed, missed, fixture.complaints.length, ledger.lookedUp.length], [1, 0, 1, 5])
    await fixture.follower.stop()
  })
})

describe('several stores', () => {
  test('are merged: what only one of them lists is taken, and what all list is taken once', async () => {
    const service = new ScriptedService()
    const ledger = new ScriptedLedger(3)
    ledger.commit(T, assignTx('all', 'alice'))
    ledger.commit(T + 1, assignTx('first', 'alice'), undefined, [0])
    ledger.commit(T + 2, assignTx('last', 'alice'), undefined, [2])
    await followOnce(ledger, service)
    assert.deepEqual(assigned(service), ['all', 'first', 'last'])
    assert.equal(new Set(ledger.lookedUp).size, 3)
  })

  test('are read to the end of each when their pages are full at different times', async () => {
    const service = new ScriptedService()
    const ledger = new ScriptedLedger(2)
    for (let i = 0; i < LISTED_ROWS * 3; i += 1) ledger.commit(T + i, OTHER, undefined, [0])
    for (let i = 0; i < 20; i += 1) ledger.commit(T + i * 500, assignTx(`w${i}`, 'alice'), undefined, [1])
    await followOnce(ledger, service)
    assert.equal(new Set(ledger.lookedUp).size, LISTED_ROWS * 3 + 20)
    assert.equal(assigned(service).length, 20)
  })

  test('are followed as long as one answers; which does not is told once, and when it is back', async () => {
    const service = new ScriptedService()
    const ledger = new ScriptedLedger(2)
    const [, second] = ledger.nodes
    assert.ok(second !== undefined)
    second.failure = 'refused'
    ledger.commit(T, assignTx('w1', 'alice'), undefined, [0])
    ledger.commit(T, assignTx('w2', 'alice'), undefined, [1])
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['w1'])
    const { failure, silentStores, stores } = fixture.follower.state()
    assert.deepEqual([failure, silentStores, stores], [null, 1, 2])
    second.failure = null
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['w1', 'w2'])
    assert.equal(fixture.follower.state().silentStores, 0)
    const told = fixture.log.filter(({ store }) => store === 'store 1').map(({ msg }) => msg)
    assert.deepEqual(told, ['a store of the ledger does not answer', 'a store of the ledger answers again'])
    await fixture.follower.stop()
  })

  test('that were silent for longer than the overlap are compared when they are back', async () => {
    const service = new ScriptedService()
    const ledger = new ScriptedLedger(2)
    const [, second] = ledger.nodes
    assert.ok(second !== undefined)
    ledger.commit(T, assignTx('w1', 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    second.failure = 'refused'
    await fixture.pass(POLL_MS)
    ledger.commit(T + 5000, assignTx('w2', 'alice'), undefined, [1])
    ledger.commit(T + 2 * OVERLAP_MS, assignTx('w3', 'alice'), undefined, [0])
    await fixture.pass(2 * OVERLAP_MS)
    assert.deepEqual(assigned(service), ['w1', 'w3'])
    second.failure = null
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['w1', 'w3', 'w2'])
    assert.equal(fixture.follower.state().missed, 1)
    await fixture.follower.stop()
  })

  test('must all answer for a comparison', async () => {
    const service = new ScriptedService()
    const ledger = new ScriptedLedger(2)
    const [, second] = ledger.nodes
    assert.ok(second !== undefined)
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    second.failure = 'refused'
    await fixture.pass(DAY_MS)
    const { comparedAtMs } = fixture.follower.state()
    assert.equal(comparedAtMs, T)
    second.failure = null
    await fixture.pass(POLL_MS)
    assert.equal(fixture.follower.state().comparedAtMs, T + DAY_MS + POLL_MS)
    await fixture.follower.stop()
  })
})

describe('who is away', () => {
  test('is known while there is nothing to look up: read APIs, each logged once, and again when it is back', async () => {
    const { ledger, service } = world()
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.equal(fixture.follower.state().silentReadApis, 0)
    ledger.silentApis = [{ node: 'api 1', why: 'refused' }]
    await fixture.pass(POLL_MS)
    await fixture.pass(POLL_MS)
    const { silentReadApis, readApis } = fixture.follower.state()
    assert.deepEqual([silentReadApis, readApis], [1, 2])
    ledger.silentApis = []
    await fixture.pass(POLL_MS)
    assert.equal(fixture.follower.state().silentReadApis, 0)
    const told = fixture.log.filter(({ readApi }) => readApi === 'api 1').map(({ msg }) => msg)
    assert.deepEqual(told, ['a read API of the ledger does not answer', 'a read API of the ledger answers again'])
    await fixture.follower.stop()
  })

  test('is known at the first poll that fails: all stores, and read APIs all the same', async () => {
    const service = new ScriptedService()
    const ledger = new ScriptedLedger(3)
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.failure = 'refused'
    ledger.silentApis = [{ node: 'api 0', why: 'refused' }]
    await fixture.pass(POLL_MS)
    const { silentStores, silentReadApis, failuresInARow } = fixture.follower.state()
    assert.deepEqual([silentStores, silentReadApis, failuresInARow], [3, 1, 1])
    await fixture.pass(BACKOFF_MAX_MS)
    assert.equal(fixture.follower.state().failuresInARow, 2)
    ledger.failure = null
    await fixture.pass(BACKOFF_MAX_MS)
    assert.deepEqual([fixture.follower.state().silentStores, fixture.follower.state().failuresInARow], [0, 0])
    await fixture.follower.stop()
  })

  test('is compared from the time when all stores went away, when one of them comes back later than the others', async () => {
    const service = new ScriptedService()
    const ledger = new ScriptedLedger(2)
    const [, second] = ledger.nodes
    assert.ok(second !== undefined)
    ledger.commit(T, assignTx('w1', 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.failure = 'refused'
    await fixture.pass(POLL_MS)
    ledger.commit(T + 5000, assignTx('w2', 'alice'), undefined, [1])
    ledger.commit(T + 2 * OVERLAP_MS, assignTx('w3', 'alice'), undefined, [0])
    ledger.failure = null
    second.failure = 'refused'
    await fixture.pass(2 * OVERLAP_MS)
    second.failure = null
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['w1', 'w3', 'w2'])
    await fixture.follower.stop()
  })
})

describe('a wallet that an assignment takes which is not believed', () => {
  const $entry = { $entry: 'release' }
  const { $tx } = assignTx('w1', 'alice')
  const rows: readonly (readonly [what: string, transaction: Readonly<Record<string, unknown>>])[] = [
    ['is signed by somebody else', assignTx('w1', 'alice', 'mallory')],
    ['is not signed at all', { ...assignTx('w1', 'alice'), $sigs: {} }],
    ['has a bogus object for a signature', { ...assignTx('w1', 'alice'), $sigs: { [idOf('alice')]: { ff: 'x' } } }],
    ['names an entry point', { $sigs: {}, $tx: { ...$tx, ...$entry } }],
    ['has another label', { $sigs: {}, $tx: { ...$tx, $o: { purse: { $stream: idOf('w1') } } } }],
    ['has further outputs', { $sigs: {}, $tx: { ...$tx, $o: { ...$tx.$o, more: { $stream: idOf('w2') } } } }],
    ['has no inputs', { $sigs: {}, $tx: { ...$tx, $i: null } }],
    [
      'spells the wallet in a longer text',
      { $sigs: {}, $tx: { ...$tx, $o: { wallet: { $stream: `ab${idOf('w1')}:x` } } } },
    ],
    ['names the contract by a path', { $sigs: {}, $tx: { ...$tx, $contract: 'c2@/../../shop/c2' } }],
    ['is of a contract that is not followed, of the same shape', { $sigs: {}, $tx: { ...$tx, $contract: 'assign' } }],
  ]
  for (const [what, transaction] of rows) {
    test(`is withdrawn when it ${what}, once, and says so`, async () => {
      const { ledger, service } = world()
      const umid = ledger.commit(T, transaction)
      const fixture = new FollowerFixture(ledger, service)
      await fixture.start()
      await fixture.pass(DAY_MS)
      assert.equal(service.withdrawn.get('w1'), umid)
      assert.deepEqual(assigned(service), [])
      const told = fixture.log.filter(({ wallet }) => wallet === idOf('w1')).map(({ level }) => level)
      assert.deepEqual([told, fixture.follower.state().withdrawn], [['warn'], service.withdrawn.size])
      await fixture.follower.stop()
    })
  }

  test('is withdrawn at once where the signer cannot be decided, and assigned when it can', async () => {
    const { ledger, service } = world()
    ledger.keyless.add('alice')
    ledger.commit(T, assignTx('w1', 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.deepEqual([...service.withdrawn.keys()], ['w1'])
    ledger.keyless.clear()
    await fixture.pass(POLL_MS)
    assert.deepEqual(assigned(service), ['w1'])
    await fixture.follower.stop()
  })

  test('is not withdrawn while there is more to read of its owner', async () => {
    const { ledger, service } = world()
    const count = 300
    for (let i = 0; i < count; i += 1) ledger.commit(T + i, assignTx(`w${i}`, 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.ok((service.memory?.setAside.length ?? 0) > 0)
    for (let i = 0; i < 10; i += 1) await fixture.pass(POLL_MS)
    assert.deepEqual([assigned(service).length, fixture.follower.state().withdrawn], [count, 0])
    await fixture.follower.stop()
  })

  test('is no business of onboardings, of other namespaces, of names that lead elsewhere, of other shapes of neighbours, and of believed ones', async () => {
    const { ledger, service } = world()
    const $o = { wallet: { $stream: idOf('w1') } }
    ledger.commit(T, { $sigs: {}, $tx: { $contract: 'c1', $namespace: 'shop', $i: {}, $o } })
    ledger.commit(T, { $sigs: {}, $tx: { ...$tx, $namespace: 'elsewhere' } })
    ledger.commit(T, { $sigs: {}, $tx: { ...$tx, $contract: 'paint', $i: { painter: { $stream: idOf('bob') } } } })
    // A node runs another contract than the one that the name begins with.
    ledger.commit(T, { $sigs: {}, $tx: { ...$tx, $contract: 'c2@/../../elsewhere/c9' } })
    ledger.commit(T, { $sigs: {}, $tx: { ...$tx, $contract: 'c1@/../c1' } })
    ledger.commit(T, assignTx('w2', 'alice'))
    await followOnce(ledger, service)
    assert.deepEqual([...service.withdrawn], [])
  })
})
