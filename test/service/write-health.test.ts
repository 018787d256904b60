import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/log.js'
import { WriteHealth } from '../../src/service/write-health.js'
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
  assert.equal(health.takesWrites, true)

  const reason = new StorageUnavailable(new Error('no space left'))
  health.commitFailed(reason)
  health.commitFailed(reason)
  assert.equal(health.takesWrites, false)
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
