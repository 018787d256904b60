import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SignedRequests } from '../../src/auth/signed-request.js'
import { Tarpit } from '../../src/auth/tarpit.js'
import type { Rejection } from '../../src/verify/lanes.js'
import type { VerifyPool } from '../../src/verify/pool.js'
import { ManualScheduler } from '../support/manual-scheduler.js'
import { testKey } from '../support/signing.js'

const NOW_MS = 1_700_000_000_000
const ROUTE = { routeTag: 'POST /api/invoices', permission: null }
const HEADERS = { apiKey: testKey('stranger').publicKeyHex, timestamp: String(NOW_MS), signature: 'AAAA' }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A pool without room, and the answers that a request gets. */
function rejected(how: Rejection) {
  let nowMs = 0
  const scheduler = new ManualScheduler()
  const keys = { find: () => Promise.resolve(undefined) }
  const pool = { verify: () => how } as unknown as VerifyPool
  const clock = { now: () => NOW_MS }
  const requests = new SignedRequests(keys, pool, clock, () => ({ key: '' }), new Tarpit(() => nowMs, scheduler))
  const request = { body: Buffer.from('{}'), header: () => undefined, remoteAddress: () => '' }
  const answers: unknown[] = []
  const ask = async () => {
    const outcome = await requests.authenticate(HEADERS, request, ROUTE)
    answers.push(outcome.ok ? 'authenticated' : outcome.failure.code)
  }
  const pass = (ms: number) => {
    nowMs += ms
    scheduler.pass(ms)
  }
  return { asked: ask(), answers, scheduler, pass }
}

describe('a signed request for which there is no room', () => {
  test('among those with priority is told so at once', async () => {
    const { asked, answers, scheduler } = rejected('overloaded')
    await asked
    assert.deepEqual(answers, ['overloaded'])
    assert.equal(scheduler.pending, 0)
  })

  test('among those without priority is told so later, and so comes back later', async () => {
    const { asked, answers, pass } = rejected('crowded_out')
    await nextTurn()
    pass(999)
    await nextTurn()
    assert.deepEqual(answers, [])
    pass(1)
    await asked
    assert.deepEqual(answers, ['overloaded'])
  })
})
