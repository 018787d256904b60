import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import {
  BadAnswer,
  HttpFailure,
  isMissingMethod,
  limitOf,
  RateLimited,
  RpcFailure,
} from '../../../src/networks/node/answer.js'
import { HttpJson } from '../../../src/networks/node/http-json.js'
import { JsonRpc, type RpcCall } from '../../../src/networks/node/json-rpc.js'
import { scalar } from '../../../src/networks/node/json-shape.js'
import { ManualClock } from '../../support/manual-clock.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { HastyScheduler } from '../hasty-scheduler.js'

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
  /** Of the answers that are not null. */
  let status: number
  /** Calls of each request that came in. */
  let widths: number[]

  beforeEach(async () => {
    widths = []
    status = 200
    script = (request) => (Array.isArray(request) ? request.map(echo) : echo(request))
    node = await openReceiver(({ body }, response) => {
      const request = JSON.parse(body.toString()) as Request | Request[]
      widths.push(Array.isArray(request) ? request.length : 1)
      const answer = script(request)
      if (answer === null) response.writeHead(413).end()
      else response.writeHead(status).end(JSON.stringify(answer))
    })
    const bounds = { timeoutMs: 600_000, answerLimitBytes: 200_000, clock: new ManualClock() }
    const scheduler = new HastyScheduler(bounds.clock, bounds.timeoutMs)
    http = new HttpJson({ url: `${node.url}/${SECRET}` }, { ...bounds, scheduler })
  })
  afterEach(async () => {
    await http.close()
    await node.close()
  })

  const count = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i)
  const ask = (rpc: JsonRpc, n: number) => rpc.all(calls(n), scalar, (result, i) => [result, i])
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

  test('null is a result when it comes twice', async () => {
    script = () => ({ id: 1, result: null })
    assert.equal(await new JsonRpc(http, 1).call('a', []), null)
    assert.deepEqual(widths, [1, 1])
  })

  test('asks once more for what is null, and for nothing else', async () => {
    const nothing = new Set([1, 4])
    script = (request) => {
      return [request].flat().map((each) => {
        const [n] = each.params
        return nothing.delete(n) ? { id: each.id, result: null } : echo(each)
      })
    }
    const rpc = new JsonRpc(http, 8)
    const results = await rpc.all(calls(6), scalar, (result) => result)
    assert.deepEqual(results, count(6))
    assert.deepEqual(widths, [6, 2])
  })

  const refusals: readonly [name: string, refuse: (request: Request[]) => unknown][] = [
    ['HTTP 413', () => null],
    ['one error', () => ({ id: null, error: { code: -32600, message: 'batch too large' } })],
    ['an error for each call', (request) => request.map(({ id }) => ({ id, error: { code: -32003, message: 'no' } }))],
    ['an answer too many', (request) => [...request.map(echo), 'x'.repeat(100_000)]],
    ['a page', () => 'Payload'],
    ['too long an answer', (request) => [...request.map(echo), 'x'.repeat(200_000)]],
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

  test('goes on with batches when one fails now and then, whatever its size', async () => {
    let batches = 0
    script = (request) => {
      if (!Array.isArray(request)) return echo(request)
      batches += 1
      return batches % 20 === 0 ? null : request.map(echo)
    }
    const rpc = new JsonRpc(http, 2)
    assert.deepEqual(await ask(rpc, 200), expected(200))
    assert.equal(rpc.takesBatches, true)
  })

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

  /** Asks without the patience to wait for a turn. */
  const askAtOnce = (rpc: JsonRpc, n: number) =>
    http.pacer.during({ urgency: 'check', patienceMs: 0 }, () => ask(rpc, n))

  const limits: readonly [error: { code: number; message: string; data?: unknown }, askedMs: number][] = [
    [{ code: 429, message: 'no' }, 0],
    [{ code: -32005, message: 'project ID request rate exceeded', data: { rate: { backoff_seconds: 30 } } }, 30_000],
    [{ code: -32090, message: 'Too many requests, retry in 10s' }, 10_000],
  ]
  for (const [error, askedMs] of limits) {
    test(`takes ${error.code} "${error.message}" for a limit of the rate`, async () => {
      script = (request) => [request].flat().map(({ id }) => ({ id, error }))
      await assert.rejects(askAtOnce(new JsonRpc(http, 1), 1), (failure) => {
        assert.ok(failure instanceof RateLimited, String(failure))
        assert.equal(limitOf(failure), askedMs)
        return true
      })
      assert.deepEqual(widths, [1])
    })
  }

  test('makes a batch that is refused for its rate in two, each in its turn', async () => {
    let isRefused = true
    script = (request) => {
      if (!isRefused) return [request].flat().map(echo)
      isRefused = false
      return { id: null, error: { code: 429, message: 'no' } }
    }
    const rpc = new JsonRpc(http, 8)
    assert.deepEqual(await ask(rpc, 8), expected(8))
    assert.deepEqual(widths, [8, 4, 4])
    assert.equal(rpc.takesBatches, true)
    widths = []
    for (let n = 0; n < 10; n += 1) await ask(rpc, 8)
    assert.equal(Math.max(...widths), 4, 'batches do not grow while a limit is known')
  })

  test('makes all calls alone after a few steps where each call of a batch counts', async () => {
    script = (request) => (Array.isArray(request) ? { id: null, error: { code: 429, message: 'no' } } : echo(request))
    assert.deepEqual(await ask(new JsonRpc(http, 8), 8), expected(8))
    assert.deepEqual(widths, [8, 4, 2, ...Array.from({ length: 8 }, () => 1)])
  })

  test('of a batch calls again only what was refused for its rate', async () => {
    let allowed = 3
    const again: number[] = []
    script = (request) =>
      [request].flat().map((each) => {
        if (allowed < 1) return { id: each.id, error: { code: 429, message: 'no' } }
        allowed -= 1
        again.push(each.params[0])
        return echo(each)
      })
    const rpc = new JsonRpc(http, 8)
    const answer = ask(rpc, 8)
    await node.received(1)
    allowed = 100
    assert.deepEqual(await answer, expected(8))
    assert.deepEqual(again.sort(), count(8))
    assert.deepEqual(widths, [8, 3, 2])
  })

  for (const message of ['query returned more than 10000 results', 'block range is too large', 'header not found']) {
    test(`does not take "${message}" for a limit of the rate`, async () => {
      script = () => ({ id: 1, error: { code: -32005, message } })
      await assert.rejects(new JsonRpc(http, 1).call('a', []), (failure) => limitOf(failure) === null)
    })
  }

  /** What a gateway writes that knows no null. */
  const NO_ERROR = { code: 0, message: '' }
  for (const answer of [
    { error: NO_ERROR },
    { result: null, error: NO_ERROR },
    { result: [7], error: { code: -32000, message: '' } },
    { result: [7], error: { code: 0, message: 'no' } },
    { result: [7], error: {} },
  ]) {
    test(`takes ${JSON.stringify(answer)} for an error`, async () => {
      script = () => ({ id: 1, ...answer })
      await assert.rejects(ask(new JsonRpc(http, 1), 1), { name: 'RpcFailure' })
    })
  }

  const odd: readonly [name: string, n: number, answer: (requests: Request[]) => unknown][] = [
    ['another id', 1, ([request]) => ({ ...echo(request as Request), id: (request?.id ?? 0) + 1 })],
    ['no id', 1, ([request]) => ({ result: echo(request as Request).result })],
    ['a list of one', 1, ([request]) => [echo(request as Request)]],
    ['no error, as false', 1, ([request]) => ({ ...echo(request as Request), error: false })],
    ['an error of no code and no words', 1, ([request]) => ({ ...echo(request as Request), error: NO_ERROR })],
    ['an error of no words alone', 1, ([request]) => ({ ...echo(request as Request), error: { message: '' } })],
    ['an error of an empty text', 1, ([request]) => ({ ...echo(request as Request), error: '' })],
    ['ids as texts', 3, (requests) => requests.map((each) => ({ ...echo(each), id: String(each.id) }))],
    ['another order', 3, (requests) => requests.map(echo).reverse()],
  ]
  for (const [name, n, answer] of odd) {
    test(`reads ${name} as an answer to ${n} calls`, async () => {
      script = (request) => answer([request].flat())
      assert.deepEqual(await ask(new JsonRpc(http, 50), n), expected(n))
      assert.deepEqual(widths, [n])
    })
  }

  const unusable: readonly [name: string, answer: (requests: Request[]) => unknown][] = [
    ['a call left out', (requests) => requests.slice(1).map(echo)],
    ['a call twice, another left out', ([a, b]) => [a, b, b].map((each) => echo(each as Request))],
    ['a call too many', (requests) => [...requests, { id: 99, params: [1] as const }].map(echo)],
    ['other ids', (requests) => requests.map((each) => ({ ...echo(each), id: each.id + 1 }))],
  ]
  for (const [name, answer] of unusable) {
    test(`asks one by one where a batch is answered with ${name}`, async () => {
      script = (request) => (Array.isArray(request) ? answer(request) : echo(request))
      assert.deepEqual(await ask(new JsonRpc(http, 50), 3), expected(3))
    })
  }

  const bad: readonly [name: string, answer: (request: Request | undefined) => unknown][] = [
    ['no result', (request) => ({ id: request?.id })],
    ['a list of two', (request) => [request, request].map((each) => echo(each as Request))],
    ['a text', () => 'text'],
    ['null', () => null],
  ]
  for (const [name, answer] of bad) {
    test(`refuses ${name} as an answer to a call`, async () => {
      script = (request) => answer([request].flat()[0]) ?? 'null'
      await assert.rejects(ask(new JsonRpc(http, 50), 1), BadAnswer)
    })
  }

  test('reads the error of the protocol from an answer that HTTP calls an error', async () => {
    status = 400
    script = () => ({ id: 1, error: { code: -32601, message: 'no' } })
    await assert.rejects(new JsonRpc(http, 1).call('a', []), { name: 'RpcFailure', code: -32601 })
    script = (request) => (Array.isArray(request) ? { id: null, error: { code: -32600, message: 'a list' } } : null)
    await assert.rejects(ask(new JsonRpc(http, 2), 2), { name: 'HttpFailure', status: 413 })
    status = 429
    script = () => ({ id: 1, error: { code: -1, message: 'no' } })
    await assert.rejects(new JsonRpc(http, 1).call('a', []), (error) => limitOf(error) !== null)
  })

  for (const words of [{ Error: 'request rate exceeded' }, { message: 'Too Many Requests' }]) {
    test(`takes ${JSON.stringify(words)} beside the protocol for what it says`, async () => {
      script = () => words
      await assert.rejects(new JsonRpc(http, 1).call('a', []), RateLimited)
      await assert.rejects(ask(new JsonRpc(http, 2), 2), RateLimited)
    })
  }

  const missing: readonly [code: number, message: string][] = [
    [-32601, 'x'],
    [-32004, 'x'],
    [-32700, 'x'],
    [-32000, 'the method debug_traceBlockByHash does not exist/is not available'],
    [-32600, 'Unsupported method: eth_getBlockReceipts on this plan'],
    [-32000, 'method not whitelisted'],
  ]
  test('knows when a method is not there', () => {
    for (const [code, message] of missing) assert.ok(isMissingMethod(new RpcFailure(code, message)), message)
    for (const status of [404, 405, 501]) assert.ok(isMissingMethod(new HttpFailure('status', '', { status })))
    const said = 'this API is unavailable due to config'
    assert.ok(isMissingMethod(new HttpFailure('status', '', { status: 500, said })))
    assert.ok(!isMissingMethod(new HttpFailure('status', '', { status: 500 })))
    for (const text of ['execution reverted', 'header not found', 'query timeout exceeded', 'invalid params'])
      assert.ok(!isMissingMethod(new RpcFailure(-32000, text)), text)
  })

  test("tells a node's error without the secrets of its address, and short", async () => {
    script = () => ({ id: 1, error: { code: -32000, message: `no project ${SECRET}${'x'.repeat(1e4)}` } })
    await assert.rejects(new JsonRpc(http, 1).call('a', []), (error) => {
      assert.ok(error instanceof RpcFailure && error.code === -32000)
      assert.ok(error.message.startsWith('error -32000: no project …xxx') && error.message.length < 300, error.message)
      return true
    })
    script = () => ({ id: 1, error: 'no' })
    await assert.rejects(new JsonRpc(http, 1).call('a', []), { message: 'error 0: no' })
  })

  test('stops asking when a call has failed', async () => {
    script = () => ({ id: 1, error: { code: 1, message: 'no' } })
    await assert.rejects(ask(new JsonRpc(http, 1), 100), RpcFailure)
    assert.ok(widths.length <= 4)
    script = () => null
    await assert.rejects(ask(new JsonRpc(http, 1), 1), HttpFailure)
  })
})
