import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Asking, ask } from '../../../src/store/rules/asking.js'
import { answeredTogether } from '../../../src/store/rules/lockstep.js'

/** Notes what rules do, and answers what they have asked when it is sent. */
class Desk {
  readonly noted: string[] = []
  private waiting: (() => void)[] = []
  private turnOf = -1

  ask(question: string): Promise<string> {
    return new Promise((resolve) => {
      this.noted.push(`${this.turnOf} asks ${question}`)
      this.waiting.push(() => resolve(`answer to ${question}`))
    })
  }

  note(text: string): void {
    this.noted.push(`${this.turnOf} ${text}`)
  }

  turn(index: number): void {
    this.turnOf = index
  }

  send(): void {
    this.noted.push('sent')
    for (const answer of this.waiting.splice(0)) answer()
  }
}

function* asking(desk: Desk, questions: readonly string[]): Asking<string> {
  let last = 'nothing'
  for (const question of questions) last = yield* ask(question === '' ? 'at hand' : desk.ask(question))
  desk.note(`ends with ${last}`)
  return last
}

describe('rules in lockstep', () => {
  test('ask together, round by round, each in its turn, and answer in order', async () => {
    const desk = new Desk()
    const answers = await answeredTogether(
      [['a', 'b'], [], ['c'], ['', 'd', '']].map((questions) => asking(desk, questions)),
      desk,
    )
    assert.deepEqual(answers, ['answer to b', 'nothing', 'answer to c', 'at hand'])
    assert.deepEqual(desk.noted, [
      '0 asks a',
      '1 ends with nothing',
      '2 asks c',
      '3 asks d',
      'sent',
      '0 asks b',
      '2 ends with answer to c',
      '3 ends with at hand',
      'sent',
      '0 ends with answer to b',
    ])
  })

  test('fail together when an answer fails, and nothing is sent without a question', async () => {
    const desk = new Desk()
    const failing = function* (): Asking<string> {
      return yield* ask(Promise.reject(new Error('no answer')))
    }
    await assert.rejects(answeredTogether([asking(desk, ['a']), failing()], desk), /no answer/)
    const quiet = new Desk()
    assert.deepEqual(await answeredTogether([asking(quiet, [])], quiet), ['nothing'])
    assert.deepEqual(await answeredTogether([], quiet), [])
    assert.deepEqual(quiet.noted, ['0 ends with nothing'])
  })
})
