import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { AuditTrail } from '../../src/audit/trail.js'
import { AUDIT_TEXT_MAX, type AuditEnd, type AuditedAction, DONE } from '../../src/domain/audit.js'
import { auditLog, createLog } from '../../src/log.js'
import type { AuditPort } from '../../src/store/audit.js'
import { StorageUnavailable } from '../../src/store/refusals.js'

const ACTION: AuditedAction = {
  who: 'root (uid 0)',
  from: 'command line on shop',
  action: 'key.revoke',
  owner: 'alice',
  subject: 'f'.repeat(16),
}
const FULL = new StorageUnavailable(new Error('the disk is full'))

describe('the trail of what operators do', () => {
  /** What happened, in order. */
  let told: unknown[]
  let lines: Record<string, unknown>[]
  let refusals: { begin?: Error; note?: Error }
  let trail: AuditTrail

  beforeEach(() => {
    told = []
    lines = []
    refusals = {}
    const audit: Pick<AuditPort, 'begin' | 'note'> = {
      begin: async (action) => {
        if (refusals.begin !== undefined) throw refusals.begin
        told.push(action)
        return { ...action, id: 'r1', at: 1, outcome: null, detail: null, endedAt: null }
      },
      note: async (id, end) => {
        if (refusals.note !== undefined) throw refusals.note
        told.push([id, end])
      },
    }
    const log = createLog('warn', { write: (line) => lines.push(JSON.parse(line)) })
    trail = new AuditTrail({ audit, log: auditLog(log) })
  })

  const work = () => {
    told.push('the action')
    return 'answer'
  }
  const line = (end: AuditEnd, id: string | null = 'r1') => ({ level: 'info', id, ...ACTION, ...end, msg: 'audit' })
  const linesWithoutTime = () => lines.map(({ time: _, ...rest }) => rest)

  test('has the record before the action, its end behind it, and a line whatever the level of the log is', async () => {
    assert.equal(await trail.follow(ACTION, work, () => DONE), 'answer')
    assert.deepEqual(told, [ACTION, 'the action', ['r1', DONE]])
    assert.deepEqual(linesWithoutTime(), [line(DONE)])
  })

  test('does nothing that it cannot record', async () => {
    refusals = { begin: FULL }
    await assert.rejects(
      trail.follow(ACTION, work, () => DONE),
      FULL,
    )
    assert.deepEqual([told, lines], [[], []])
  })

  test('answers for an action that is over although its end cannot be recorded', async () => {
    refusals = { note: FULL }
    assert.equal(await trail.follow(ACTION, work, () => DONE), 'answer')
    const [first, second] = linesWithoutTime()
    assert.deepEqual(first, line(DONE))
    assert.deepEqual([second?.['level'], second?.['id']], ['error', 'r1'])
  })

  test('records why an action was refused, and of one that failed no more than the kind of the failure', async () => {
    const refused: AuditEnd = { outcome: 'refused', detail: 'api_key_not_found' }
    await trail.follow(ACTION, work, () => refused)
    const failing = () =>
      assert.rejects(
        trail.follow(
          ACTION,
          () => Promise.reject(new TypeError('a secret')),
          () => DONE,
        ),
        TypeError,
      )
    await failing()
    const failed: AuditEnd = { outcome: 'failed', detail: 'TypeError' }
    assert.deepEqual(told, [ACTION, 'the action', ['r1', refused], ACTION, ['r1', failed]])
    assert.deepEqual(linesWithoutTime(), [line(refused), line(failed)])
    // An end that the store notes with the action is noted here when there was no action.
    await trail.follow(ACTION, work, () => DONE, { isNoted: true })
    await trail.follow(ACTION, work, () => refused, { isNoted: true })
    assert.deepEqual(told.slice(5), [ACTION, 'the action', ACTION, 'the action', ['r1', refused]])
  })

  test('tells of long work when it begins, too', async () => {
    await trail.followLong(ACTION, work, () => DONE)
    assert.deepEqual(linesWithoutTime(), [line({ outcome: null, detail: null }), line(DONE)])
  })

  test('keeps texts that clients chose within bounds, and without what a database refuses', async () => {
    const long = `\0\ud800${'x'.repeat(5000)}`
    await trail.follow({ ...ACTION, who: long, from: long, owner: long, subject: long }, work, () => ({
      ...DONE,
      detail: long,
    }))
    const kept = `\ufffd\ufffd${'x'.repeat(AUDIT_TEXT_MAX - 2)}`
    assert.deepEqual(told[0], { ...ACTION, who: kept, from: kept, owner: kept, subject: kept })
    assert.deepEqual(told[2], ['r1', { ...DONE, detail: kept }])
  })
})

test('a log of operators is silent only where all of the log is', () => {
  for (const [level, isWritten] of [
    ['silent', false],
    ['fatal', true],
    ['info', true],
  ] as const) {
    const written: string[] = []
    auditLog(createLog(level, { write: (line) => written.push(line) })).info('audit')
    assert.equal(written.length === 1, isWritten, level)
  }
})
