import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batcher } from '../../../../src/store/postgres/connection/batcher.js'
import { type Deferred, deferred } from '../../../support/deferred.js'

/** Statements that the test answers when it likes, each with the questions in it. */
class Asked {
  readonly batches: (readonly string[])[] = []
  readonly batcher: Batcher<string, string>
  private readonly answers: Deferred<ReadonlyMap<string, string>>[] = []

  constructor(weightOf?: (question: string) => number) {
    this.batcher = new Batcher((questions) => {
      this.batches.push(questions)
      const answer = deferred<ReadonlyMap<string, string>>()
      this.answers.push(answer)
      return answer.promise
    }, weightOf)
  }

  /** Asks as soon as the batcher would, and answers the batch with what `of` says; undefined for no answer. */
  async answer(batch: number, of: (question: string) => string | undefined): Promise<void> {
    await turn()
    const answers = (this.batches[batch] ?? []).map((question) => [question, of(question)] as const)
    this.answers[batch]?.resolve(new Map(answers.filter((pair): pair is [string, string] => pair[1] !== undefined)))
    await turn()
  }

  async fail(batch: number, error: Error): Promise<void> {
    await turn()
    this.answers[batch]?.reject(error)
    await turn()
  }
}

/** All that was promised has been done then. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('what is asked in one turn is asked together, each question once', async () => {
  const asked = new Asked()
  const answers = Promise.all(['a', 'b', 'a', 'c', 'b'].map((question) => asked.batcher.ask(question)))
  await asked.answer(0, (question) => (question === 'c' ? undefined : question.toUpperCase()))
  assert.deepEqual(await answers, ['A', 'B', 'A', undefined, 'B'])
  assert.deepEqual(asked.batches, [['a', 'b', 'c']])
})

test('what is asked while others are asked waits, and is asked together next', async () => {
  const asked = new Asked()
  const first = asked.batcher.ask('a')
  await turn()
  const second = asked.batcher.ask('b')
  await turn()
  const third = asked.batcher.ask('c')
  await turn()
  assert.deepEqual(asked.batches, [['a']])
  await asked.answer(0, (question) => question)
  assert.equal(await first, 'a')
  assert.deepEqual(asked.batches, [['a'], ['b', 'c']])
  await asked.answer(1, (question) => question)
  assert.deepEqual(await Promise.all([second, third]), ['b', 'c'])
  const last = asked.batcher.ask('d')
  await asked.answer(2, (question) => question)
  assert.equal(await last, 'd')
})

test('a question that is under way is asked again for whoever asks later: no answer is older than its question', async () => {
  const asked = new Asked()
  const early = asked.batcher.ask('a')
  await turn()
  const late = asked.batcher.ask('a')
  await asked.answer(0, () => 'old')
  await asked.answer(1, () => 'new')
  assert.deepEqual([await early, await late], ['old', 'new'])
})

test('more questions than a statement takes are asked in the order in which they came', async () => {
  const asked = new Asked()
  const questions = Array.from({ length: 600 }, (_, i) => String(i))
  const answers = Promise.all(questions.map((question) => asked.batcher.ask(question)))
  await turn()
  // It waits still, so it is not asked twice.
  const again = asked.batcher.ask('599')
  for (let batch = 0; batch < 3; batch += 1) await asked.answer(batch, (question) => question)
  assert.deepEqual(await answers, questions)
  assert.equal(await again, '599')
  assert.deepEqual(
    asked.batches.map(({ length }) => length),
    [256, 256, 88],
  )
  assert.deepEqual(asked.batches.flat(), questions)
})

test('a failure rejects those that were asked together, and nobody else', async () => {
  const asked = new Asked()
  const failed = Promise.allSettled(['a', 'b', 'a'].map((question) => asked.batcher.ask(question)))
  await turn()
  const next = asked.batcher.ask('a')
  const error = new Error('lost')
  await asked.fail(0, error)
  assert.deepEqual(
    await failed,
    [1, 2, 3].map(() => ({ status: 'rejected', reason: error })),
  )
  await asked.answer(1, (question) => question)
  assert.equal(await next, 'a')
})

test('a statement that cannot even be made rejects its questions, and the next ones are asked', async () => {
  let isBroken = true
  const batcher = new Batcher<string, string>((questions) => {
    if (isBroken) throw new Error('broken')
    return Promise.resolve(new Map(questions.map((question) => [question, question])))
  })
  await assert.rejects(batcher.ask('a'), /broken/)
  isBroken = false
  assert.equal(await batcher.ask('a'), 'a')
})

test('a statement asks as much as its questions weigh, and one that weighs more alone', async () => {
  const asked = new Asked(Number)
  const questions = ['100', '156', '1', '500', '2', '3']
  const answers = Promise.all(questions.map((question) => asked.batcher.ask(question)))
  for (let batch = 0; batch < 4; batch += 1) await asked.answer(batch, (question) => question)
  assert.deepEqual(await answers, questions)
  assert.deepEqual(asked.batches, [['100', '156'], ['1'], ['500'], ['2', '3']])
})
