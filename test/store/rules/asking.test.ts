import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Awaitable } from '../../../src/store/reading.js'
import { type Asking, answeredLater, answeredNow, ask } from '../../../src/store/rules/asking.js'

function* sum(facts: readonly (() => Awaitable<number>)[]): Asking<number> {
  let total = 0
  for (const fact of facts) total += yield* ask(fact())
  return total
}

function* orElse(fact: () => Awaitable<string>): Asking<string> {
  try {
    return yield* ask(fact())
  } catch (error) {
    return `failed: ${error instanceof Error ? error.message : 'with no error'}`
  }
}

describe('a rule', () => {
  test('has its answers at once from one engine, and later from another', async () => {
    assert.equal(answeredNow(sum([() => 1, () => 2])), 3)
    assert.equal(await answeredLater(sum([() => Promise.resolve(1), () => 2])), 3)
    assert.equal(answeredNow(sum([])), 0)
  })

  test('asks in its order, each question behind the answer before', async () => {
    const asked: string[] = []
    const fact = (name: string) => async () => {
      asked.push(name)
      await Promise.resolve()
      asked.push(`${name} answered`)
      return 1
    }
    await answeredLater(sum([fact('first'), fact('second')]))
    assert.deepEqual(asked, ['first', 'first answered', 'second', 'second answered'])
  })

  test('meets a failure where it has asked', async () => {
    const failing = async () => Promise.reject(new Error('no answer'))
    assert.equal(await answeredLater(orElse(failing)), 'failed: no answer')
    await assert.rejects(answeredLater(sum([failing])), /no answer/)
  })
})
