import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Questions } from '../../../../src/store/postgres/connection/questions.js'

test('questions are answered together, those that were asked before they are sent, each with its own answer', async () => {
  const asked: (readonly number[])[] = []
  const questions = new Questions(async (numbers: readonly number[]) => {
    asked.push(numbers)
    return numbers.map((one) => one * 10)
  })
  const first = [questions.ask(1), questions.ask(2)]
  questions.send()
  const second = questions.ask(3)
  assert.deepEqual(await Promise.all(first), [10, 20])
  questions.send()
  questions.send()
  assert.equal(await second, 30)
  assert.deepEqual(asked, [[1, 2], [3]])
})

test('a failure is the answer to all of them, and so is an answer too few', async () => {
  const failing = new Questions(async () => Promise.reject(new Error('no database')))
  const short = new Questions(async (numbers: readonly number[]) => numbers.slice(1))
  const answers = [failing.ask(1), failing.ask(2), short.ask(1), short.ask(2)]
  failing.send()
  short.send()
  const fates = await Promise.allSettled(answers)
  const reasons = fates.map((fate) => (fate.status === 'rejected' ? String(fate.reason) : 'answered'))
  const none = 'Error: a question has no answer'
  assert.deepEqual(reasons, ['Error: no database', 'Error: no database', none, none])
})
