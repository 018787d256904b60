import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Deposit, DepositReport } from '../../../src/domain/deposit.js'
import { answeredNow } from '../../../src/store/rules/asking.js'
import { DepositJudge, judgeReport, SETTLING_PACE } from '../../../src/store/rules/judge-report.js'
import { depositFact, sighting } from '../../support/fixtures.js'
import { TEST_NETWORKS } from '../../support/networks.js'

const NOW_MS = 900
const judge = new DepositJudge({
  pace: SETTLING_PACE,
  decimals: TEST_NETWORKS.decimals,
  isRead: () => true,
  lateMs: 0,
  underpayment: 0,
  areWalletsShared: true,
})

function deposit(kind: DepositReport, fields: Partial<Deposit> = {}): Deposit {
  return { ...sighting(), kind, confirmedAt: kind === 'confirmed' ? 500 : null, ...fields }
}

describe('a report about a deposit', () => {
  const changes: readonly (readonly [DepositReport | 'unseen', DepositReport, DepositReport, readonly string[]])[] = [
    ['unseen', 'pending', 'pending', ['pending']],
    ['unseen', 'confirmed', 'confirmed', ['pending', 'confirmed']],
    ['pending', 'confirmed', 'confirmed', ['confirmed']],
    ['pending', 'dropped', 'dropped', []],
    ['confirmed', 'dropped', 'dropped', []],
    ['dropped', 'pending', 'pending', ['pending']],
    ['dropped', 'confirmed', 'confirmed', ['pending', 'confirmed']],
  ]
  for (const [from, report, kind, reaches] of changes) {
    test(`${report} makes one that was ${from} ${kind}`, () => {
      const known = from === 'unseen' ? undefined : deposit(from)
      const { outcome, change } = judge.judge(known, depositFact(report), NOW_MS)
      const after = deposit(kind, { confirmedAt: kind === 'confirmed' ? 900 : null })
      assert.deepEqual(outcome, { status: 'applied', deposit: after })
      assert.deepEqual(change, { from, reaches, deposit: after })
    })
  }

  const repetitions: readonly (readonly [DepositReport, DepositReport])[] = [
    ['pending', 'pending'],
    ['confirmed', 'pending'],
    ['confirmed', 'confirmed'],
    ['dropped', 'dropped'],
  ]
  for (const [kind, report] of repetitions) {
    test(`${report} changes nothing of one that is ${kind}`, () => {
      const known = deposit(kind)
      const judgement = judge.judge(known, depositFact(report), NOW_MS)
      assert.deepEqual(judgement, { outcome: { status: 'duplicate', deposit: known }, change: null })
    })
  }

  test('of one that cannot be recorded is refused, and nobody looks for it', () => {
    const looked: unknown[] = []
    const find = (wanted: unknown) => {
      looked.push(wanted)
      return { deposit: deposit('pending') }
    }
    const flawed = answeredNow(judgeReport(judge, depositFact('pending', { amount: '-1' }), NOW_MS, find))
    assert.equal(flawed.outcome.status, 'rejected')
    assert.deepEqual([flawed.isSound, flawed.change, flawed.known, looked], [false, null, undefined, []])
    const sound = answeredNow(judgeReport(judge, depositFact('confirmed'), NOW_MS, find))
    assert.deepEqual([sound.isSound, sound.outcome.status, sound.change?.from], [true, 'applied', 'pending'])
    assert.deepEqual([sound.known, looked], [{ deposit: deposit('pending') }, [sighting()]])
  })

  test('that drops an unknown one is rejected', () => {
    const { outcome, change } = judge.judge(undefined, depositFact('dropped'), NOW_MS)
    assert.deepEqual([outcome, change], [{ status: 'rejected', error: 'no such deposit' }, null])
  })

  test('that contradicts a known one is rejected, unless that was dropped or is dropped now', () => {
    const otherwise = { amount: '7' }
    const error = 'the deposit is known with another amount'
    assert.deepEqual(judge.judge(deposit('pending'), depositFact('confirmed', otherwise), NOW_MS).outcome, {
      status: 'rejected',
      error,
    })
    assert.equal(judge.judge(deposit('pending'), depositFact('dropped', otherwise), NOW_MS).outcome.status, 'applied')
    assert.equal(judge.judge(deposit('dropped'), depositFact('pending', otherwise), NOW_MS).change?.deposit.amount, '7')
  })

  test('takes what is known of a deposit, and what is new of one that was dropped', () => {
    const later = { receivedAt: 5000 }
    const received = (known: Deposit) =>
      judge.judge(known, depositFact('confirmed', later), NOW_MS).change?.deposit.receivedAt
    assert.equal(received(deposit('pending', { receivedAt: 4000 })), 4000)
    assert.equal(received(deposit('dropped', { receivedAt: 4000 })), 5000)
  })
})
