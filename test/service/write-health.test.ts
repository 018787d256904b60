import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/log.js'
import { WriteHealth } from '../../src/service/write-health.js'
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
  const heard: string[] = []
  const observer = health.observing({
    now: () => 7,
    committed: (units) => heard.push(`committed ${units}`),
    failed: (units) => heard.push(`failed ${units}`),
  })
  assert.equal(observer.now(), 7)
  assert.equal(health.takesWrites, true)

  observer.failed(3)
  observer.failed(1)
  // A small commit may find room where others do not.
  observer.committed(1, 1)
  assert.equal(health.takesWrites, false)
  assert.deepEqual(heard, ['failed 3', 'failed 1', 'committed 1'])
  const probe = async () => {
    scheduler.pass(1000)
    await new Promise(setImmediate)
  }
  await probe()
  assert.deepEqual([probes, health.takesWrites], [1, false])
  isFull = false
  await probe()
  assert.deepEqual([probes, health.takesWrites], [2, true])
  await probe()
  assert.equal(probes, 2)
  assert.equal(lines.length, 2)
})
