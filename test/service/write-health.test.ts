import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/log.js'
import { BEAT_MS, WriteHealth } from '../../src/service/write-health.js'
import { ANSWER_TIMEOUT_MS, UNREAD_MS } from '../../src/store/postgres/connection/session.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

test('a disk that refused a commit is well again when a probe succeeds, and not before', async () => {
  const scheduler = new ManualScheduler()
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  let isFull = true
  let probes = 0
  const store = {
    isOpen: () => true,
    probeWrite: async () => {
      probes += 1
      if (isFull) throw new Error('full')
    },
  }
  const health = new WriteHealth(log, scheduler, () => store)
  assert.deepEqual([health.takesWrites, health.refusal], [true, null])

  const reason = new StorageUnavailable(new Error('no space left'))
  health.commitFailed(reason)
  health.commitFailed(reason)
  assert.deepEqual([health.takesWrites, health.refusal], [false, 'no space left'])
  const probe = async () => {
    scheduler.pass(1000)
    await new Promise(setImmediate)
  }
  await probe()
  assert.deepEqual([probes, health.takesWrites], [1, false])
  isFull = false
  await probe()
  assert.deepEqual([probes, health.takesWrites, health.refusal], [2, true, null])
  await probe()
  assert.equal(probes, 2)
  assert.equal(lines.length, 2)
})

test('a database that nobody writes to is probed, so that one that hangs is noticed in ten seconds', async () => {
  assert.ok(BEAT_MS + ANSWER_TIMEOUT_MS + UNREAD_MS < 10_000)
  const scheduler = new ManualScheduler()
  const lines: string[] = []
  let fail: (error: Error) => void = () => {}
  let answer: () => void = () => {}
  let probes = 0
  const store = {
    isOpen: () => true,
    probeWrite: () => {
      probes += 1
      return new Promise<void>((resolve, reject) => {
        answer = resolve
        fail = reject
      })
    },
  }
  const turn = () => new Promise(setImmediate)
  const health = new WriteHealth(createLog('info', { write: (line) => lines.push(line) }), scheduler, () => store)
  health.beat()
  assert.equal(scheduler.pending, 1)
  scheduler.pass(BEAT_MS)
  answer()
  await turn()
  assert.deepEqual([probes, health.takesWrites, lines.length], [1, true, 0])
  scheduler.pass(BEAT_MS)
  // A request is refused meanwhile, and no second probe begins beside the one that waits.
  health.commitFailed(new StorageUnavailable(new Error('silent')))
  scheduler.pass(10 * BEAT_MS)
  assert.equal(probes, 2)
  fail(new Error('no answer'))
  await turn()
  assert.deepEqual([health.takesWrites, scheduler.pending], [false, 1])
  scheduler.pass(BEAT_MS)
  answer()
  await turn()
  assert.deepEqual([probes, health.takesWrites, lines.length], [3, true, 2])
  scheduler.pass(BEAT_MS)
  fail(new Error('no answer'))
  await turn()
  assert.equal(health.takesWrites, false, 'the probe itself notices')
})
