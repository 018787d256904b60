import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type NetworkReader, NodeUnavailable, WrongNode } from '../../src/networks/network-reader.js'
import { retrying } from '../../src/networks/retrying-reader.js'
import type { Cancel, Scheduler } from '../../src/scheduler.js'
import { Random } from '../simulation/random.js'
import { SimulatedChain } from './simulated-chain.js'
import { SimulatedReader } from './simulated-reader.js'

const HEAD = { latest: 0, confirmed: 0, ageMs: 0 }

/** A reader whose answers the test gives, and time that passes at once, unless the test wants it to stand still. */
function impatient(answers: readonly (Error | null)[], { standsStill = false } = {}) {
  const pauses: number[] = []
  const stop = new AbortController()
  let asked = 0
  let cancelled = 0
  const inner: NetworkReader = new SimulatedReader(new SimulatedChain(1), new Random(1))
  inner.head = async () => {
    const answer = answers[Math.min(asked, answers.length - 1)]
    asked += 1
    if (answer) throw answer
    return HEAD
  }
  const scheduler: Scheduler = {
    after(delayMs, task): Cancel {
      pauses.push(delayMs)
      if (!standsStill) queueMicrotask(task)
      return () => {
        cancelled += 1
      }
    },
  }
  const reader = retrying(inner, scheduler, stop.signal)
  return { reader, pauses, stop, asked: () => asked, cancelled: () => cancelled }
}

describe('a patient reader', () => {
  test('asks again after longer and longer pauses until a node answers', async () => {
    const gone = new NodeUnavailable('gone')
    const { reader, pauses } = impatient([gone, gone, gone, null])
    assert.deepEqual(await reader.head(), HEAD)
    assert.deepEqual(pauses, [1000, 2000, 4000])
  })

  test('begins with a short pause again at the next question', async () => {
    const gone = new NodeUnavailable('gone')
    const { reader, pauses } = impatient([gone, gone, null, gone, null])
    await reader.head()
    await reader.head()
    assert.deepEqual(pauses, [1000, 2000, 1000])
  })

  test('gives up after some minutes with the last failure', async () => {
    const { reader, pauses, asked } = impatient([new NodeUnavailable('gone'), new NodeUnavailable('still gone')])
    await assert.rejects(reader.head(), /still gone/)
    assert.equal(asked(), 9)
    assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  })

  test('has no patience with a wrong node', async () => {
    const { reader, asked } = impatient([new WrongNode('another chain'), null])
    await assert.rejects(reader.head(), WrongNode)
    assert.equal(asked(), 1)
  })

  test('that is stopped ends its pause, asks once more, and passes the failure on', async () => {
    const { reader, stop, asked, cancelled } = impatient([new NodeUnavailable('gone')], { standsStill: true })
    const head = reader.head()
    await new Promise(setImmediate)
    assert.equal(asked(), 1)
    stop.abort()
    await assert.rejects(head, NodeUnavailable)
    assert.deepEqual([asked(), cancelled()], [2, 1])
  })
})
