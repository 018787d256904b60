import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FollowerRecord } from '../../src/ledger/follower-state.js'
import {
  ASKED_WALLETS,
  CHANGES_MAX,
  PoolCheck,
  type PoolStep,
  ROUND_PAUSE_MS,
  SECOND_LOOK_MS,
  SUSPECTS_MAX,
} from '../../src/ledger/pool-check.js'
import { createLog } from '../../src/log.js'
import { ManualClock, START_MS } from '../support/manual-clock.js'
import {
  assignTx,
  FOLLOWED,
  FollowerFixture,
  followOnce,
  idOf,
  POLL_MS,
  replaceTx,
  ScriptedLedger,
  ScriptedService,
} from './follower-fixture.js'

const T = START_MS
/** More polls than a round through the pools of the tests takes. */
const POLLS_OF_ROUND = 8

/** A pool of wallets by name, and a ledger on which nobody has touched them. */
async function world(names: readonly string[]) {
  const ledger = new ScriptedLedger()
  const service = new ScriptedService()
  service.free = names.map(idOf)
  const fixture = new FollowerFixture(ledger, service)
  return { ledger, service, fixture }
}

async function polls(fixture: FollowerFixture, count = POLLS_OF_ROUND): Promise<void> {
  for (let i = 0; i < count; i += 1) await fixture.pass(POLL_MS)
}

/** Starts, and goes on until every wallet has had its second look. */
async function round(fixture: FollowerFixture): Promise<void> {
  await fixture.start()
  await polls(fixture)
  await fixture.pass(SECOND_LOOK_MS)
  await polls(fixture)
}

const UNSIGNED = { ...assignTx('w1', 'alice'), $sigs: {} }
const $o = { wallet: { $stream: idOf('w1') } }
/** Of a contract that is neither followed nor beside a followed one. */
const PAINTED = { $sigs: {}, $tx: { $contract: 'paint', $namespace: 'elsewhere', $i: {}, $o } }

describe('a wallet of the pool', () => {
  test('stays while nobody has touched it', async () => {
    const { ledger, service, fixture } = await world(['w1', 'w2'])
    await round(fixture)
    assert.deepEqual([ledger.askedFor, [...service.withdrawn], ledger.lookedUp], [['w1', 'w2'], [], []])
    await fixture.follower.stop()
  })

  const taking: readonly (readonly [what: string, commit: (ledger: ScriptedLedger) => string])[] = [
    ['no store lists, and that assigns it unsigned', (ledger) => ledger.unlisted(UNSIGNED)],
    [
      'no store lists, and whose contract only looks like the assigning one',
      (ledger) => ledger.unlisted({ $sigs: {}, $tx: { ...UNSIGNED.$tx, $contract: 'c2@/../../shop/c2' } }),
    ],
    [
      'no store lists, and that a neighbour runs in the shape of an assignment',
      (ledger) => ledger.unlisted({ $sigs: {}, $tx: { ...UNSIGNED.$tx, $contract: 'assign' } }),
    ],
    [
      'no store lists, and of the assigning contract without naming the wallet',
      (ledger) => {
        const umid = ledger.unlisted({ $sigs: {}, $tx: { $contract: 'c2', $namespace: 'shop', $i: {}, $o: [] } })
        ledger.change('w1', umid)
        return umid
      },
    ],
    [
      'no read API has',
      (ledger) => {
        const umid = ledger.unlisted(PAINTED)
        ledger.hidden.add(umid)
        return umid
      },
    ],
    [
      'every read API fails to tell',
      (ledger) => {
        const umid = ledger.unlisted(PAINTED)
        ledger.broken.add(umid)
        return umid
      },
    ],
    [
      'is listed and too long to be read',
      (ledger) => {
        const umid = ledger.commit(T, 'too-long')
        ledger.change('w1', umid)
        return umid
      },
    ],
  ]
  for (const [what, commit] of taking) {
    test(`is withdrawn by a transaction that ${what}, at the second look, once`, async () => {
      const { ledger, service, fixture } = await world(['w1', 'w2'])
      const umid = commit(ledger)
      await fixture.start()
      await polls(fixture)
      assert.deepEqual([...service.withdrawn], [])
      await fixture.pass(SECOND_LOOK_MS)
      await polls(fixture)
      assert.deepEqual([...service.withdrawn], [['w1', umid]])
      await fixture.pass(ROUND_PAUSE_MS)
      await polls(fixture)
      const told = fixture.log
        .filter(({ wallet }) => wallet === idOf('w1'))
        .map((line) => [line['level'], line['umid']])
      assert.deepEqual([told, fixture.follower.state().withdrawn], [[['warn', umid]], 1])
      const fact = service.withdrawals[0] ?? assert.fail()
      assert.deepEqual([fact.mayBeUnknown, fact.ledgerMs > T], [false, true])
      await fixture.follower.stop()
    })
  }

  test('is withdrawn by a transaction that others have followed that do not assign', async () => {
    const { ledger, service, fixture } = await world(['w1'])
    ledger.unlisted(PAINTED)
    const umid = ledger.unlisted(UNSIGNED)
    for (let i = 1; i < CHANGES_MAX; i += 1) ledger.unlisted(PAINTED)
    await round(fixture)
    assert.deepEqual([...service.withdrawn], [['w1', umid]])
    await fixture.follower.stop()
  })

  test('stays when transactions have changed it that can be read and do not assign', async () => {
    const { ledger, service, fixture } = await world(['w1'])
    ledger.unlisted(PAINTED)
    ledger.unlisted({ $sigs: {}, $tx: { $contract: 'c1', $namespace: 'shop', $i: {}, $o } })
    ledger.unlisted({ $sigs: {}, $tx: { $contract: 'make', $namespace: 'shop', $i: {}, $o } })
    ledger.change('w1', ledger.unlisted(replaceTx('alice', ['bob'])))
    await round(fixture)
    assert.deepEqual([ledger.lookedUp.length, [...service.withdrawn]], [4, []])
    await fixture.follower.stop()
  })

  test('is not looked through for more than the newest transactions', async () => {
    const { ledger, fixture } = await world(['w1'])
    for (let i = 0; i < 3 * CHANGES_MAX; i += 1) ledger.unlisted(PAINTED)
    await round(fixture)
    assert.equal(ledger.lookedUp.length, CHANGES_MAX)
    await fixture.follower.stop()
  })

  test('is not withdrawn when its assignment is believed by the second look', async () => {
    const { ledger, service, fixture } = await world(['w1'])
    const umid = ledger.unlisted(assignTx('w1', 'alice'))
    await fixture.start()
    ledger.list(T, umid)
    await round(fixture)
    assert.deepEqual([[...service.owners()], [...service.withdrawn]], [[['w1', 'alice']], []])
    await fixture.follower.stop()
  })

  test('is not withdrawn for a transaction that can be read at the second look', async () => {
    const { ledger, service, fixture } = await world(['w1'])
    const umid = ledger.unlisted(PAINTED)
    ledger.broken.add(umid)
    await fixture.start()
    await polls(fixture)
    ledger.broken.clear()
    await fixture.pass(SECOND_LOOK_MS)
    await polls(fixture)
    assert.deepEqual([ledger.lookedUp, [...service.withdrawn]], [[umid, umid], []])
    await fixture.follower.stop()
  })

  test('whose id is no id of a stream is never asked for', async () => {
    const { ledger, service, fixture } = await world([])
    service.free = ['w1', '', '_all_docs', idOf('w2').toUpperCase().replace(/^0/, 'A'), idOf('w3')]
    await round(fixture)
    assert.deepEqual(ledger.askedFor, ['w3'])
    await fixture.follower.stop()
  })
})

describe('a round through the pool', () => {
  const names = Array.from({ length: 3 * ASKED_WALLETS + 1 }, (_, i) => `w${i}`)

  test('asks for a bounded number of wallets after each poll, for each once, and begins again a day later', async () => {
    const { ledger, fixture } = await world(names)
    await fixture.start()
    for (let poll = 1; poll <= POLLS_OF_ROUND; poll += 1) {
      const before = ledger.askedFor.length
      await fixture.pass(POLL_MS)
      assert.ok(ledger.askedFor.length - before <= ASKED_WALLETS)
    }
    assert.deepEqual(ledger.askedFor, names)
    await fixture.pass(ROUND_PAUSE_MS / 2)
    await polls(fixture)
    assert.deepEqual(ledger.askedFor, names)
    await fixture.pass(ROUND_PAUSE_MS / 2)
    await polls(fixture)
    assert.deepEqual(ledger.askedFor, [...names, ...names])
    await fixture.follower.stop()
  })

  test('gives second looks to a bounded number of wallets, too', async () => {
    const { ledger, service, fixture } = await world(names)
    for (const name of names) ledger.unlisted({ ...assignTx(name, 'alice'), $sigs: {} })
    await fixture.start()
    await polls(fixture)
    await fixture.pass(SECOND_LOOK_MS)
    assert.equal(service.withdrawn.size, ASKED_WALLETS)
    await polls(fixture)
    assert.equal(service.withdrawn.size, names.length)
    await fixture.follower.stop()
  })

  test('asks for no more while many wallets wait for their second look, and goes on behind that', async () => {
    const many = Array.from({ length: SUSPECTS_MAX + 2 * ASKED_WALLETS }, (_, i) => `w${i}`)
    const { ledger, service, fixture } = await world(many)
    for (const name of many) ledger.unlisted({ ...assignTx(name, 'alice'), $sigs: {} })
    await fixture.start()
    await polls(fixture, many.length / ASKED_WALLETS + POLLS_OF_ROUND)
    assert.deepEqual([ledger.askedFor.length, service.withdrawn.size], [SUSPECTS_MAX, 0])
    for (let i = 0; i < 4; i += 1) {
      await fixture.pass(SECOND_LOOK_MS)
      await polls(fixture, many.length / ASKED_WALLETS + POLLS_OF_ROUND)
    }
    assert.equal(service.withdrawn.size, many.length)
    await fixture.follower.stop()
  })

  test('begins with the process', async () => {
    const { ledger, service, fixture } = await world(['w1'])
    await round(fixture)
    await fixture.follower.stop()
    const next = new FollowerFixture(ledger, service, { clock: fixture.clock })
    await round(next)
    assert.deepEqual(ledger.askedFor, ['w1', 'w1'])
    await next.follower.stop()
  })

  test('waits while half of the read APIs do not answer, and withdraws nothing meanwhile', async () => {
    const { ledger, service, fixture } = await world(['w1'])
    const umid = ledger.unlisted(UNSIGNED)
    ledger.silentApis = [{ node: 'a', why: 'refused' }]
    await fixture.start()
    await polls(fixture)
    // Nodes that do not answer are not asked with every poll.
    assert.deepEqual([ledger.askedFor, [...service.withdrawn]], [['w1'], []])
    ledger.silentApis = []
    await fixture.pass(SECOND_LOOK_MS)
    ledger.silentApis = [{ node: 'a', why: 'refused' }]
    await fixture.pass(SECOND_LOOK_MS)
    await polls(fixture)
    assert.deepEqual([...service.withdrawn], [])
    ledger.silentApis = []
    await fixture.pass(SECOND_LOOK_MS)
    assert.deepEqual([...service.withdrawn], [['w1', umid]])
    await fixture.follower.stop()
  })

  test('withdraws nothing because of look-ups that the end of the service has cut off', async () => {
    const { ledger, service, fixture } = await world(['w1'])
    const umid = ledger.unlisted(PAINTED)
    ledger.broken.add(umid)
    await fixture.start()
    await polls(fixture)
    const cut = new Promise<void>((resolve) => {
      ledger.onLookUp = () => {
        void fixture.follower.stop()
        resolve()
      }
    })
    fixture.clock.advance(SECOND_LOOK_MS)
    fixture.scheduler.pass(SECOND_LOOK_MS)
    await cut
    await fixture.follower.stop()
    assert.deepEqual([...service.withdrawn], [])
  })

  test('tells when there is nothing to do before wallets are due for their second look', async () => {
    const many = Array.from({ length: SUSPECTS_MAX + 1 }, (_, i) => `w${i}`)
    const { ledger, service } = await world(many)
    for (const name of many) ledger.unlisted({ ...assignTx(name, 'alice'), $sigs: {} })
    const clock = new ManualClock()
    const check = new PoolCheck({
      ...{ source: ledger, pool: service.pool, followed: FOLLOWED, clock, record: new FollowerRecord(clock) },
      ...{
        secondLookMs: 10,
        log: createLog('silent'),
        apply: (events) => service.apply(events),
        isStopped: () => false,
      },
    })
    const ends = async () => {
      const seen: PoolStep[] = []
      do seen.push(await check.step())
      while (seen.at(-1) === 'more')
      return seen.at(-1)
    }
    assert.deepEqual([await ends(), ledger.askedFor.length], ['waiting', SUSPECTS_MAX])
    clock.advance(10)
    assert.deepEqual([await ends(), service.withdrawn.size], ['waiting', SUSPECTS_MAX])
    clock.advance(10)
    assert.deepEqual([await ends(), service.withdrawn.size], ['done', many.length])
    assert.equal(await check.step(), 'done')
  })

  test('has nothing to ask for in an empty pool', async () => {
    const { ledger, service } = await world([])
    await followOnce(ledger, service)
    assert.deepEqual(ledger.askedFor, [])
  })
})
