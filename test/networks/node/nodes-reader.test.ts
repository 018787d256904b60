import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createLog } from '../../../src/log.js'
import { NodeUnavailable, WrongNode } from '../../../src/networks/network-reader.js'
import { BadAnswer } from '../../../src/networks/node/answer.js'
import { CHECK_HOLDS_MS, PAUSE_MAX_MS, PAUSE_MIN_MS } from '../../../src/networks/node/endpoint.js'
import type { HttpJson } from '../../../src/networks/node/http-json.js'
import { scalar } from '../../../src/networks/node/json-shape.js'
import { NodesReader, type NodesReaderOptions } from '../../../src/networks/node/nodes-reader.js'
import { wakefulScheduler } from '../../../src/scheduler.js'
import { deferred } from '../../support/deferred.js'
import { ManualClock } from '../../support/manual-clock.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'

/** What a node of these tests answers: a value, or a status with `Retry-After`. */
type Answer = number | { readonly status: number; readonly retryAfter?: string }

describe('the reader of nodes', () => {
  let clock: ManualClock
  let lines: string[]
  let nodes: Receiver[]
  let answers: Answer[]
  let checks: number
  let wrong: string | null
  let confirmed: number
  /** Whether a block was asked for as a confirmed one. */
  let asConfirmed: boolean[]
  let reader: NodesReader
  /** What a query asks a node. */
  let work: (http: HttpJson) => Promise<unknown>

  beforeEach(async () => {
    clock = new ManualClock()
    lines = []
    answers = [1, 2]
    checks = 0
    wrong = null
    confirmed = 0
    asConfirmed = []
    nodes = await Promise.all(
      answers.map((_, i) =>
        openReceiver((_request, response) => {
          const answer = answers[i]
          if (typeof answer === 'number') response.end(String(answer))
          else response.writeHead(answer?.status ?? 500, { 'retry-after': answer?.retryAfter ?? '' }).end()
        }),
      ),
    )
    work = post
    reader = new NodesReader(options())
  })

  function options(): NodesReaderOptions {
    return {
      network: 'SEP',
      addresses: nodes.map(({ url }) => ({ url: `${url}/secret-key` })),
      timeoutMs: 60_000,
      answerLimitBytes: 1000,
      clock,
      scheduler: wakefulScheduler,
      random: () => 0.999_999,
      log: createLog('debug', { write: (line) => lines.push(line) }),
      nodeOf: (http) => {
        const check = async () => {
          checks += 1
          if (http.name === wrong) throw new WrongNode('another chain')
        }
        const head = async () => ({ latest: confirmed, confirmed, timeMs: clock.now() })
        const ask = () => work(http) as Promise<never>
        const block = (_height: number, _watched: unknown, isConfirmed: boolean) => {
          asConfirmed.push(isConfirmed)
          return ask()
        }
        return { check, head, timeOf: ask, examine: ask, block, fresh: ask, blocks: ask, hashes: ask }
      },
      headAgeMaxMs: 0,
    }
  }

  afterEach(async () => {
    await reader.close()
    for (const node of nodes) await node.close()
  })

  const post = (http: HttpJson): Promise<unknown> => http.post('', '', scalar)
  const nobody = { has: () => false, few: () => [] }
  const ask = (): Promise<unknown> => reader.block(0, nobody)

  async function assertUnavailable(answer: Promise<unknown>): Promise<void> {
    await assert.rejects(answer, (error) => error instanceof NodeUnavailable && !error.message.includes('secret-key'))
  }

  function counts(): readonly number[] {
    return reader.endpoints().map(({ requests }) => requests)
  }

  test('asks the first while it is well', async () => {
    assert.equal(await ask(), 1)
    assert.equal(await ask(), 1)
    assert.deepEqual(counts(), [2, 0])
    assert.equal(checks, 1)
  })

  test('begins a question anew with the next endpoint when a part of it fails', async () => {
    const asked: unknown[] = []
    work = async (node) => {
      asked.push(await node.post('', '', scalar))
      if (asked.length === 1) throw new BadAnswer('parts disagree')
      asked.push(await node.post('', '', scalar))
      return asked
    }
    assert.deepEqual(await ask(), [1, 2, 2])
    assert.deepEqual(
      reader.endpoints().map(({ name, isUsed, failures }) => ({ name, isUsed, failures })),
      [
        { name: nodes[0]?.url, isUsed: false, failures: 1 },
        { name: nodes[1]?.url, isUsed: true, failures: 0 },
      ],
    )
  })

  test('tells nodes of one host apart, without what is secret in their addresses', async () => {
    const host = 'https://node.example'
    const twins = new NodesReader({
      ...options(),
      addresses: ['first-key', 'second-key', 'third-key'].map((key) => ({ url: `${host}/${key}` })),
    })
    const named = twins.endpoints().map(({ name, origin }) => [name, origin])
    await twins.close()
    assert.deepEqual(named, [
      [host, host],
      [`${host} #2`, host],
      [`${host} #3`, host],
    ])
  })

  test('leaves a failed one alone for a pause, then lets one question find out', async () => {
    answers[0] = { status: 500 }
    assert.equal(await ask(), 2)
    assert.equal(await ask(), 2)
    assert.deepEqual(counts(), [1, 2])
    clock.advance(PAUSE_MIN_MS)
    answers[0] = 1
    const { promise, resolve } = deferred<void>()
    work = (node) => promise.then(() => post(node))
    const trial = ask()
    work = post
    assert.equal(await ask(), 2, 'one at a time')
    resolve()
    assert.equal(await trial, 1)
    assert.equal(await ask(), 1)
    assert.equal(reader.endpoints()[0]?.isUsed, true)
    assert.match(lines.join(''), /a node failed.*a node is well again/s)
  })

  test('pauses longer with every failure in a row, up to a limit, and starts anew after a success', async () => {
    answers = [{ status: 500 }, { status: 500 }]
    for (let pauseMs = PAUSE_MIN_MS; pauseMs < 4 * PAUSE_MAX_MS; pauseMs *= 2) {
      const before = counts()[0] ?? 0
      await assertUnavailable(ask())
      clock.advance(Math.min(pauseMs, PAUSE_MAX_MS) - 2)
      await assertUnavailable(ask())
      assert.equal(counts()[0], before + 1, `no request before ${pauseMs} ms`)
      clock.advance(2)
    }
    answers = [1, 2]
    assert.equal(await ask(), 1)
    answers[0] = { status: 500 }
    assert.equal(await ask(), 2)
    clock.advance(PAUSE_MIN_MS)
    answers[0] = 1
    assert.equal(await ask(), 1)
  })

  test('says when the first of those that failed may be asked again', async () => {
    const againInMs = async () => {
      const failure = await ask().catch((error: unknown) => error)
      assert.ok(failure instanceof NodeUnavailable)
      return failure.againInMs
    }
    answers = [{ status: 500 }, { status: 500 }]
    assert.equal(await againInMs(), PAUSE_MIN_MS)
    clock.advance(PAUSE_MIN_MS)
    assert.equal(await againInMs(), 2 * PAUSE_MIN_MS)
    clock.advance(PAUSE_MIN_MS / 2)
    assert.equal(await againInMs(), 1.5 * PAUSE_MIN_MS, 'neither was asked')
  })

  test('a clock that is set back does not prolong a pause', async () => {
    answers = [{ status: 500 }, { status: 500 }]
    await assertUnavailable(ask())
    answers = [1, 2]
    clock.advance(-1_000_000)
    assert.equal(await ask(), 1)
  })

  test('a failure that is none of the node is thrown, and costs it nothing', async () => {
    const defect = async () => {
      throw new TypeError('a defect')
    }
    work = defect
    await assert.rejects(ask(), TypeError)
    assert.deepEqual(
      reader.endpoints().map(({ failures }) => failures),
      [0, 0],
    )
    work = post
    answers[0] = { status: 500 }
    await ask()
    answers[0] = 1
    clock.advance(PAUSE_MIN_MS)
    work = defect
    await assert.rejects(ask(), TypeError)
    work = post
    assert.equal(await ask(), 1, 'the trial was given back')
  })

  test('asks one after another for a block, no further than until one has it', async () => {
    const blocks: unknown[] = [null, 2]
    work = async (node) => blocks[(await post(node)) === 1 ? 0 : 1]
    assert.equal(await reader.block(0, nobody), 2)
    assert.deepEqual(counts(), [1, 1])
    blocks[0] = 1
    assert.equal(await reader.block(0, nobody), 1)
    assert.deepEqual(counts(), [2, 1])
  })

  test('does not use a node of another network, and says so when asked', async () => {
    wrong = nodes[0]?.url ?? null
    assert.equal(await ask(), 2)
    assert.equal(nodes[0]?.requests.length, 0)
    await assert.rejects(reader.verify(), WrongNode)
    clock.advance(PAUSE_MIN_MS)
    assert.equal(await ask(), 2, 'it is checked again before it is used')
    wrong = null
    await reader.verify()
    assert.equal(await ask(), 1)
  })

  test('forgets what was confirmed, and checks a node again, when it is not trusted any more', async () => {
    confirmed = 900
    await reader.head()
    confirmed = 5
    await reader.head()
    await reader.block(800, nobody)
    assert.deepEqual([checks, asConfirmed], [1, [true]], 'a node that is a little behind takes nothing back')
    reader.distrust()
    await reader.block(800, nobody)
    await reader.block(5, nobody)
    assert.deepEqual([checks, asConfirmed], [2, [true, false, true]])
  })

  test('checks a node again after a failure, but not all the time', async () => {
    await ask()
    answers[0] = { status: 500 }
    await ask()
    answers[0] = 1
    clock.advance(PAUSE_MIN_MS)
    assert.equal(checks, 2)
    await ask()
    assert.equal(checks, 2)
    clock.advance(CHECK_HOLDS_MS)
    await ask()
    assert.equal(checks, 3)
    clock.advance(CHECK_HOLDS_MS)
    await ask()
    assert.equal(checks, 3, 'nothing has failed since')
  })
})
