import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { BadAnswer, HttpFailure, limitOf, RateLimited, RpcFailure } from '../../../src/networks/node/answer.js'
import { HttpJson } from '../../../src/networks/node/http-json.js'
import { JsonRpc, type RpcCall } from '../../../src/networks/node/json-rpc.js'
import { wakefulScheduler } from '../../../src/scheduler.js'
import { ManualClock } from '../../support/manual-clock.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'

const SECRET = 'a1b2c3d4e5f6'

interface Request {
  readonly id: number
  readonly params: readonly [number]
}

/** Answers a call by what it was given. */
const echo = ({ id, params: [result] }: Request) => ({ jsonrpc: '2.0', id, result })

/** So many calls, each of which is answered by its number. */
function calls(count: number): readonly RpcCall[] {
  return Array.from({ length: count }, (_, i) => ({ method: 'echo', params: [i] }))
}

describe('JSON-RPC', () => {
  let node: Receiver
  let http: HttpJson
  /** Answers a request, a list of them for a batch; null is HTTP status 413. */
  let script: (request: Request | Request[]) => unknown
  /** Calls of each request that came in. */
  let widths: number[]

  beforeEach(async () => {
    widths = []
    script = (request) => (Array.isArray(request) ? request.map(echo) : echo(request))
    node = await openReceiver(({ body }, response) => {
      const request = JSON.parse(body.toString()) as Request | Request[]
      widths.push(Array.isArray(request) ? request.length : 1)
      const answer = script(request)
      if (answer === null) response.writeHead(413).end()
      else response.end(JSON.stringify(answer))
    })
    const bounds = { timeoutMs: 60_000, answerLimitBytes: 100_000, clock: new ManualClock() }
    http = new HttpJson({ url: `${node.url}/${SECRET}` }, { ...bounds, scheduler: wakefulScheduler })
  })
  afterEach(async () => {
    await http.close()
    await node.close()
  })

  const count = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i)
  const ask = (rpc: JsonRpc, n: number) => rpc.all(calls(n), (result, i) => [result, i])
  const expected = (n: number) => count(n).map((i) => [i, i])

  test('answers call by call, in batches up to the limit', async () => {
    const rpc = new JsonRpc(http, 20)
    assert.equal(await rpc.call('echo', [7]), 7)
    assert.deepEqual(await ask(rpc, 100), expected(100))
    assert.equal(
      widths.reduce((sum, width) => sum + width, 0),
      101,
    )
    assert.equal(Math.max(...widths), 20)
    assert.deepEqual(await ask(rpc, 0), [])
  })

  test('sends no lists when a batch is one call', async () => {
    assert.deepEqual(await ask(new JsonRpc(http, 1), 5), expected(5))
    assert.deepEqual(widths, [1, 1, 1, 1, 1])
  })

  test('null is a result', async () => {
    script = () => ({ id: 1, result: null })
    assert.equal(await new JsonRpc(http, 1).call('a', []), null)
  })

  const refusals: readonly [name: string, refuse: (request: Request[]) => unknown][] = [
    ['HTTP 413', () => null],
    ['one error', () => ({ id: null, error: { code: -32600, message: 'batch too large' } })],
    ['an error for each call', (request) => request.map(({ id }) => ({ id, error: { code: -32003, message: 'no' } }))],
    ['too long an answer', (request) => [...request.map(echo), 'x'.repeat(100_000)]],
  ]
  for (const [name, refuse] of refusals) {
    test(`asks for less when a node refuses large batches by ${name}, and remembers it`, async () => {
      script = (request) => {
        if (!Array.isArray(request)) return echo(request)
        return request.length > 3 ? refuse(request) : request.map(echo)
      }
      const rpc = new JsonRpc(http, 50)
      assert.deepEqual(await ask(rpc, 20), expected(20))
      widths = []
      assert.deepEqual(await ask(rpc, 20), expected(20))
      assert.ok(Math.max(...widths) <= 4, `batches of ${widths.join()}`)
    })
  }

  const batchRefusals: readonly [name: string, refuse: (request: Request[]) => unknown][] = [
    ['HTTP 413', () => null],
    ['one error', () => ({ id: null, error: { code: -32600, message: 'batches are not supported' } })],
    ['the result of one call', ([first]) => ({ id: first?.id, result: 1 })],
  ]
  for (const [name, refuse] of batchRefusals) {
    test(`falls back to single requests for good when a node answers ${name} to every batch`, async () => {
      script = (request) => (Array.isArray(request) ? refuse(request) : echo(request))
      const rpc = new JsonRpc(http, 50)
      assert.deepEqual(await ask(rpc, 20), expected(20))
      assert.equal(rpc.takesBatches, false)
      widths = []
      assert.deepEqual(await ask(rpc, 100), expected(100))
      assert.ok(widths.every((width) => width === 1))
      rpc.forget()
      assert.equal(rpc.takesBatches, true)
    })
  }

  test('an error of one call of a batch does not stand for all batches', async () => {
    let isRefused = true
    script = (request) => {
      if (!Array.isArray(request)) return echo(request)
      const answer = request.map(({ id, params }) => (isRefused ? { id, error: { code: 1 } } : echo({ id, params })))
      isRefused = false
      return answer
    }
    const rpc = new JsonRpc(http, 2)
    assert.deepEqual(await ask(rpc, 2), expected(2))
    assert.equal(rpc.takesBatches, true)
  })

  const limits: readonly [error: { code: number; message: string; data?: unknown }, askedMs: number][] = [
    [{ code: 429, message: 'no' }, 0],
    [{ code: -32005, message: 'daily request count exceeded, request rate limited' }, 0],
    [{ code: -32005, message: 'project ID request rate exceeded', data: { rate: { backoff_seconds: 30 } } }, 30_000],
    [{ code: -32000, message: 'Too Many Requests' }, 0],
    [{ code: -32090, message: 'Too many requests, retry in 10s' }, 0],
    [{ code: -32029, message: 'no' }, 0],
    [{ code: -32600, message: 'Your app has exceeded its compute units per second capacity' }, 0],
    [{ code: -32007, message: '50/second request limit reached - reduce calls per second' }, 0],
  ]
  for (const [error, askedMs] of limits) {
    test(`takes ${error.code} "${error.message}" for a limit of the rate, and does not divide the batch`, async () => {
      script = (request) => [request].flat().map(({ id }) => ({ id, error }))
      await assert.rejects(ask(new JsonRpc(http, 8), 8), (failure) => {
        assert.ok(failure instanceof RateLimited, String(failure))
        assert.equal(limitOf(failure), askedMs)
        return true
      })
      assert.deepEqual(widths, [8])
      // Some answer the whole batch by one error.
      script = () => ({ id: null, error })
      await assert.rejects(ask(new JsonRpc(http, 8), 8), RateLimited)
    })
  }

  for (const message of ['query returned more than 10000 results', 'block range is too large', 'header not found']) {
    test(`does not take "${message}" for a limit of the rate`, async () => {
      script = () => ({ id: 1, error: { code: -32005, message } })
      await assert.rejects(new JsonRpc(http, 1).call('a', []), (failure) => limitOf(failure) === null)
    })
  }

  const bad: readonly [name: string, n: number, answer: (requests: Request[]) => unknown][] = [
    ['another id', 1, ([request]) => ({ id: (request?.id ?? 0) + 1, result: 1 })],
    ['no result', 1, ([request]) => ({ id: request?.id })],
    ['a list', 1, ([request]) => [{ id: request?.id, result: 1 }]],
    ['a text', 1, () => 'text'],
    ['a call left out', 3, (requests) => requests.slice(1).map(echo)],
    ['a call twice, another left out', 3, ([a, b]) => [a, b, b].map((each) => echo(each as Request))],
    ['a call too many', 2, ([a, b]) => [a, b, { id: 99, params: [1] as const }].map((each) => echo(each as Request))],
    ['other ids', 2, (requests) => requests.map((each) => ({ ...echo(each), id: each.id + 1 }))],
    ['ids as texts', 2, (requests) => requests.map((each) => ({ ...echo(each), id: String(each.id) }))],
    ['nulls', 2, () => [null, null]],
  ]
  for (const [name, n, answer] of bad) {
    test(`refuses ${name} as an answer to ${n} calls`, async () => {
      script = (request) => answer([request].flat())
      await assert.rejects(ask(new JsonRpc(http, 50), n), BadAnswer)
    })
  }

  test("tells a node's error without the secrets of its address, and short", async () => {
    script = () => ({ id: 1, error: { code: -32000, message: `no project ${SECRET}${'x'.repeat(1e4)}` } })
    await assert.rejects(new JsonRpc(http, 1).call('a', []), (error) => {
      assert.ok(error instanceof RpcFailure && error.code === -32000)
      assert.ok(error.message.startsWith('error -32000: no project …xxx') && error.message.length < 300, error.message)
      return true
    })
    script = () => ({ id: 1, error: 'no' })
    await assert.rejects(new JsonRpc(http, 1).call('a', []), { message: 'error 0: no message' })
  })

  test('stops asking when a call has failed', async () => {
    script = () => ({ id: 1, error: { code: 1, message: 'no' } })
    await assert.rejects(ask(new JsonRpc(http, 1), 100), RpcFailure)
    assert.ok(widths.length <= 4)
    script = () => null
    await assert.rejects(ask(new JsonRpc(http, 1), 1), HttpFailure)
  })
})
