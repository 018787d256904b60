import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Postponed } from '../../src/sandbox/postponed.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

function setUp() {
  const scheduler = new ManualScheduler()
  const errors: unknown[] = []
  const done: string[] = []
  const postponed = new Postponed(scheduler, (error) => errors.push(error))
  const note = (what: string) => async () => void done.push(what)
  return { scheduler, errors, done, postponed, note }
}

/** Lets promises that are ready settle. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe('postponed work', () => {
  test('is done after its delay and not before', () => {
    const { scheduler, done, postponed, note } = setUp()
    postponed.add('a', 200, note('a'))
    postponed.add('b', 100, note('b'))
    scheduler.pass(99)
    assert.deepEqual(done, [])
    scheduler.pass(1)
    assert.deepEqual(done, ['b'])
    scheduler.pass(100)
    assert.deepEqual(done, ['b', 'a'])
  })

  test('of one key is done once, and again after that', async () => {
    const { scheduler, done, postponed, note } = setUp()
    postponed.add('a', 100, note('first'))
    postponed.add('a', 10, note('second'))
    scheduler.pass(100)
    await settled()
    postponed.add('a', 10, note('third'))
    scheduler.pass(10)
    assert.deepEqual(done, ['first', 'third'])
  })

  test('that is cancelled is not done', async () => {
    const { scheduler, done, postponed, note } = setUp()
    postponed.add('a', 100, note('a'))
    postponed.cancel('a')
    postponed.cancel('b')
    scheduler.pass(100)
    await postponed.close()
    assert.deepEqual(done, [])
  })

  test('that fails is tried again five times in all, and each failure is told', async () => {
    const { scheduler, errors, postponed } = setUp()
    let attempts = 0
    postponed.add('a', 100, async () => {
      attempts += 1
      throw new Error(`attempt ${attempts}`)
    })
    for (let i = 0; i < 10; i += 1) {
      scheduler.pass(100)
      await settled()
    }
    assert.equal(attempts, 5)
    assert.equal(errors.length, 5)
    assert.equal(scheduler.pending, 0)
  })

  test('that fails and is cancelled meanwhile is not tried again', async () => {
    const { scheduler, postponed } = setUp()
    let attempts = 0
    let fail = (_: Error) => undefined as unknown
    postponed.add('a', 100, () => {
      attempts += 1
      return new Promise((_, reject) => {
        fail = reject
      })
    })
    scheduler.pass(100)
    postponed.cancel('a')
    fail(new Error('too late'))
    await settled()
    assert.equal(scheduler.pending, 0)
    assert.equal(attempts, 1)
  })

  test('is done at once when it is closed, and closing waits for it', async () => {
    const { scheduler, done, postponed, note } = setUp()
    let finish = () => undefined as unknown
    postponed.add('slow', 1, () => new Promise<void>((resolve) => (finish = resolve)))
    scheduler.pass(1)
    postponed.add('a', 1000, note('a'))
    let isClosed = false
    const closing = postponed.close().then(() => {
      isClosed = true
    })
    await settled()
    assert.deepEqual(done, ['a'])
    assert.equal(isClosed, false)
    finish()
    await closing
    assert.equal(scheduler.pending, 0)
    postponed.add('late', 1, note('late'))
    scheduler.pass(1)
    assert.deepEqual(done, ['a'])
  })

  test('that fails while closing is told and given up', async () => {
    const { scheduler, errors, postponed } = setUp()
    postponed.add('a', 1000, () => Promise.reject(new Error('no')))
    await postponed.close()
    assert.equal(errors.length, 1)
    assert.equal(scheduler.pending, 0)
  })
})
