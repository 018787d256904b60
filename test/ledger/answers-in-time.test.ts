import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answersInTime, STRAGGLERS_MS } from '../../src/ledger/answers-in-time.js'
import type { NodeAnswer } from '../../src/ledger/node-http.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const YES: NodeAnswer = { kind: 'found', value: {} }
const NO: NodeAnswer = { kind: 'missing' }
const FAILED: NodeAnswer = { kind: 'unclear', why: 'status 500' }

/** What has been answered a second after some nodes have; the others (`null`) never do. Null while others are waited for. */
async function answered(nodes: readonly (NodeAnswer | null)[]): Promise<readonly string[] | null> {
  const scheduler = new ManualScheduler()
  let kinds: readonly string[] | null = null
  const queries = nodes.map((answer) => new Promise<NodeAnswer>((resolve) => answer !== null && resolve(answer)))
  answersInTime(queries, scheduler).then((answers) => {
    kinds = answers.map(({ kind }) => kind)
  })
  await new Promise(setImmediate)
  scheduler.pass(STRAGGLERS_MS - 1)
  await new Promise(setImmediate)
  assert.ok(kinds === null || !nodes.includes(null), 'it did not wait')
  scheduler.pass(1)
  await new Promise(setImmediate)
  return kinds
}

describe('the answers of several nodes', () => {
  test('are all of them, in order', async () => {
    assert.deepEqual(await answered([]), [])
    assert.deepEqual(await answered([NO, YES, FAILED]), ['missing', 'found', 'unclear'])
  })

  test('are waited for a second once most nodes have answered', async () => {
    assert.deepEqual(await answered([null, YES, YES]), ['unclear', 'found', 'found'])
    assert.deepEqual(await answered([NO, null, YES]), ['missing', 'unclear', 'found'])
  })

  test('are waited for to the end while most nodes have none', async () => {
    assert.equal(await answered([YES, null]), null)
    assert.equal(await answered([YES, FAILED, null]), null)
    assert.equal(await answered([null]), null)
  })
})
