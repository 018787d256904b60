import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { BACKOFF_MAX_MS, PAGE_ROWS, PAGE_ROWS_MAX } from '../../src/ledger/follower.js'
import { START_MS } from '../support/manual-clock.js'
import {
  assignTx,
  FollowerFixture,
  followOnce,
  idOf,
  nameOf,
  onboardTx,
  POLL_MS,
  ScriptedLedger,
  ScriptedService,
} from './follower-fixture.js'

const T = START_MS

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
    const onboarding = ledger.commit(T, onboardTx('0x02ab'))
    ledger.commit(T + 1, { $tx: { $contract: 'other', $namespace: 'shop', $i: {} } })
    ledger.commit(T + 1, { $tx: { $contract: 'c2', $namespace: 'elsewhere', $i: {} } })
    const assignment = ledger.commit(T + 2, assignTx('w1', 'alice'))
    const { follower } = await followOnce(ledger, service)
    const identity = createHash('sha256').update('0x02abshop.onboarding').digest('hex')
    assert.deepEqual(service.applied, [
      { eventId: `ledger:${onboarding}`, fact: { type: 'identity.onboarded', identity } },
      {
        eventId: `ledger:${assignment}`,
        fact: { type: 'wallet.assigned', id: idOf('w1'), address: null, network: null, owner: idOf('alice') },
      },
    ])
    assert.deepEqual(service.cursor, { origin: 'origin', timestampMs: T + 2, umids: [assignment] })
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
    assert.deepEqual(ledger.lookedUp, [later, last])
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
    assert.equal(service.cursor?.origin, 'another')
  })

  test('goes through pages at once, without a pause', async () => {
    const { ledger, service } = world()
    const count = PAGE_ROWS * 3 + 1
    for (let i = 0; i < count; i += 1) ledger.commit(T + i, assignTx(`w${i}`, 'alice'))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.equal(assigned(service).length, count)
    assert.equal(service.told, count)
    assert.ok(ledger.asked.length <= 5, `${ledger.asked.length} listings`)
    await fixture.follower.stop()
  })

  test('takes more transactions of one millisecond than fill a page, each once', async () => {
    const { ledger, service } = world()
    const count = PAGE_ROWS * 2 + 7
    for (let i = 0; i < count; i += 1) ledger.commit(T, assignTx(`w${i}`, 'alice'))
    ledger.commit(T + 1, assignTx('last', 'alice'))
    await followOnce(ledger, service)
    assert.equal(new Set(assigned(service)).size, count + 1)
    assert.equal(service.told, count + 1)
    assert.equal(ledger.lookedUp.length, count + 1)
    assert.equal(assigned(service).at(-1), 'last')
  })

  test('stands still, loudly, when a millisecond has more than can be listed', async () => {
    const { ledger, service } = world()
    const umids = Array.from({ length: PAGE_ROWS_MAX }, (_, i) => i.toString(16).padStart(64, 'f'))
    service.cursor = { origin: 'origin', timestampMs: T, umids }
    const { follower } = await followOnce(ledger, service)
    assert.match(follower.state().failure ?? '', /in one millisecond/)
    assert.equal(service.cursor.umids.length, PAGE_ROWS_MAX)
  })

  test('stands still, loudly, when a full page repeats itself', async () => {
    const { ledger, service } = world()
    const umid = ledger.commit(T, assignTx('w', 'alice'))
    await followOnce(ledger, service)
    ledger.umids = async (_, limit) => ({
      kind: 'rows',
      rows: Array.from({ length: limit }, () => ({ umid, timestampMs: T })),
    })
    const { follower } = await followOnce(ledger, service)
    assert.match(follower.state().failure ?? '', /without a new transaction/)
    assert.equal(service.told, 1)
  })

  test('waits for a transaction that no node can tell yet, and for nothing before it', async () => {
    const { ledger, service } = world()
    const umids = [0, 1, 2, 3].map((i) => ledger.commit(T + i, assignTx(`w${i}`, 'alice')))
    const hidden = umids[2] ?? ''
    ledger.hidden.add(hidden)
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    for (let look = 0; look < 3; look += 1) {
      assert.deepEqual(assigned(service), ['w0', 'w1'])
      assert.equal(fixture.follower.state().waitingFor, hidden)
      assert.equal(service.cursor?.timestampMs, T + 1)
      await fixture.pass(BACKOFF_MAX_MS)
    }
    ledger.hidden.clear()
    await fixture.pass(BACKOFF_MAX_MS)
    assert.deepEqual(assigned(service), ['w0', 'w1', 'w2', 'w3'])
    const { waitingFor, failure, failures } = fixture.follower.state()
    assert.deepEqual([waitingFor, failure, failures], [null, null, 4])
    await fixture.follower.stop()
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
    assert.equal(service.cursor, undefined)
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
    assert.equal(service.cursor?.timestampMs, T)
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
    assert.equal(service.cursor === undefined ? 0 : service.cursor.timestampMs - T + 1, told)
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
    assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
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

  test('does not wait longer and longer as long as it gets on', async () => {
    const { ledger, service } = world()
    const hide = (i: number) => ledger.hidden.add(ledger.commit(T + i, assignTx(`w${i}`, 'alice')))
    hide(0)
    const fixture = new FollowerFixture(ledger, service)
    const pauses = [await fixture.start(), await fixture.pass(1000)]
    for (let i = 1; i < 4; i += 1) {
      ledger.hidden.clear()
      hide(i)
      pauses.push(await fixture.pass(2000))
    }
    assert.deepEqual(pauses, [1000, 2000, 1000, 1000, 1000])
    assert.deepEqual(assigned(service), ['w0', 'w1', 'w2'])
    await fixture.follower.stop()
  })

  test('does not look up a page behind a transaction that no node can tell', async () => {
    const { ledger, service } = world()
    for (let i = 0; i < 100; i += 1) ledger.commit(T + i, assignTx(`w${i}`, 'alice'))
    ledger.hidden.add(ledger.rows[0]?.umid ?? '')
    await followOnce(ledger, service)
    assert.ok(ledger.lookedUp.length < 20, `${ledger.lookedUp.length} were looked up`)
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
      fixture.complaints.map(({ level, why }) => [level, why]),
      [
        ['warn', 'the listing: status 500'],
        ['warn', 'the listing: too late'],
      ],
    )
    assert.equal(fixture.follower.state().failures, 4)
    await fixture.follower.stop()
  })

  test('says nothing of a transaction that is told a moment later, only of one that is not', async () => {
    const { ledger, service } = world()
    ledger.hidden.add(ledger.commit(T, assignTx('w1', 'alice')))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    ledger.hidden.clear()
    const held = ledger.commit(T + 1, assignTx('w2', 'alice'))
    ledger.hidden.add(held)
    await fixture.pass(BACKOFF_MAX_MS)
    assert.deepEqual(assigned(service), ['w1'])
    assert.deepEqual(fixture.complaints, [])
    await fixture.pass(BACKOFF_MAX_MS)
    await fixture.pass(BACKOFF_MAX_MS)
    assert.deepEqual(
      fixture.complaints.map(({ why }) => why),
      [`transaction ${held}: it is listed, and no node has it`],
    )
    ledger.hidden.clear()
    await fixture.pass(BACKOFF_MAX_MS)
    assert.equal(fixture.log.filter(({ msg }) => msg === 'the ledger is followed again').length, 1)
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
    assert.equal(fixture.follower.state().lagMs, null)
    ledger.failure = null
    await fixture.pass(1000)
    assert.equal(fixture.follower.state().lagMs, 0)
    fixture.clock.advance(400)
    assert.equal(fixture.follower.state().lagMs, 400)
    ledger.failure = 'refused'
    await fixture.pass(1000)
    await fixture.pass(5000)
    assert.equal(fixture.follower.state().lagMs, 6400)
    await fixture.follower.stop()
  })

  test('takes the age of the last transaction while it waits for the next, and after a restart', async () => {
    const { ledger, service } = world()
    ledger.commit(T - 7000, assignTx('w1', 'alice'))
    ledger.hidden.add(ledger.commit(T - 5000, assignTx('w2', 'alice')))
    const fixture = new FollowerFixture(ledger, service)
    await fixture.start()
    assert.equal(fixture.follower.state().lagMs, 7000)
    await fixture.follower.stop()
    ledger.failure = 'refused'
    const { follower } = await followOnce(ledger, service)
    assert.equal(follower.state().lagMs, 7000)
    assert.equal(follower.state().lastTimestampMs, T - 7000)
  })
})
