import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { REQUEST_LOOP, RequestTurns } from '../../src/http/request-turns.js'

/** Begins a request as the router does. */
function begin<T>(turns: RequestTurns, client: string, handle: () => T | Promise<T>): T | Promise<T> {
  return turns.isFree() ? handle() : turns.wait(client, handle)
}

/** An event loop and a clock that the test moves. */
function world() {
  let nowMs = 0
  const others: (() => void)[] = []
  const these: (() => void)[] = []
  const begun: string[] = []
  const turns = new RequestTurns({
    now: () => nowMs,
    afterOthers: (task) => others.push(task),
    afterThis: (task) => these.push(task),
  })
  return {
    begun,
    /** A request whose handler takes time. */
    ask: (client: string, name: string, takesMs = 0) =>
      begin(turns, client, () => {
        begun.push(name)
        nowMs += takesMs
        return name
      }),
    /** The next turn of the event loop, and what goes on in it. */
    next: () => {
      for (const task of others.splice(0)) task()
      for (let task = these.shift(); task !== undefined; task = these.shift()) task()
    },
    isIdle: () => others.length === 0 && these.length === 0,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('turns of requests', () => {
  test('requests begin at once while there is time', () => {
    const { ask } = world()
    assert.equal(ask('a', 'a1', 3), 'a1')
    assert.equal(ask('b', 'b1', 3), 'b1')
  })

  test('when the time of a turn is up, requests wait for the next one', async () => {
    const { ask, begun, next } = world()
    ask('a', 'a1', 4)
    const waiting = ask('a', 'a2')
    assert.deepEqual(begun, ['a1'])
    next()
    assert.equal(await waiting, 'a2')
  })

  test('what handlers do after their first wait counts, too', () => {
    const { ask, begun, pass } = world()
    ask('a', 'a1')
    pass(4)
    void ask('a', 'a2')
    assert.deepEqual(begun, ['a1'])
  })

  test('clients have their turns one after the other, whoever asked first', () => {
    const { ask, begun, next } = world()
    for (let i = 1; i <= 4; i += 1) void ask('a', `a${i}`, 4)
    void ask('b', 'b1', 4)
    next()
    next()
    assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  })

  test('several that waited begin in one turn while there is time, and those that come meanwhile stay behind them', () => {
    const { ask, begun, next } = world()
    ask('a', 'a1', 4)
    for (let i = 2; i <= 5; i += 1) void ask('a', `a${i}`, 2)
    next()
    assert.deepEqual(begun, ['a1', 'a2', 'a3'])
    void ask('a', 'a6')
    next()
    assert.deepEqual(begun.slice(3), ['a4', 'a5'])
    next()
    assert.deepEqual(begun.slice(5), ['a6'])
  })

  test('a handler that throws fails its own request alone', async () => {
    let nowMs = 0
    const turns = new RequestTurns({ ...REQUEST_LOOP, now: () => nowMs })
    const fails = () => {
      throw new Error('a defect')
    }
    assert.throws(() => begin(turns, 'a', fails), /a defect/)
    nowMs = 4
    const [failed, answered] = [begin(turns, 'a', fails), begin(turns, 'a', () => 'answered')]
    await assert.rejects(async () => await failed, /a defect/)
    assert.equal(await answered, 'answered')
  })

  test('one watch is enough for the turns of a few milliseconds', () => {
    const { ask, isIdle, next, pass } = world()
    ask('a', 'a1')
    next()
    pass(3)
    ask('a', 'a2')
    assert.equal(isIdle(), true)
    pass(1)
    ask('a', 'a3')
    assert.equal(isIdle(), false)
  })

  test('without requests no turn is asked for', () => {
    const { ask, isIdle, next } = world()
    ask('a', 'a1')
    next()
    assert.equal(isIdle(), true)
  })

  test('on the machine, handlers that go on in microtasks do so before the next one begins', async () => {
    let nowMs = 0
    const turns = new RequestTurns({ ...REQUEST_LOOP, now: () => nowMs })
    const done: string[] = []
    const handle = (name: string) => async () => {
      done.push(`${name} begins`)
      await null
      await null
      done.push(`${name} ends`)
    }
    const first = begin(turns, 'a', handle('1'))
    nowMs = 4
    const others = [begin(turns, 'a', handle('2')), begin(turns, 'a', handle('3'))]
    await Promise.all([first, ...others])
    assert.deepEqual(done, ['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends'])
  })
})
