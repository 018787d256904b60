import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Endpoint } from '../../src/http/endpoints.js'
import { jsonAnswer } from '../../src/http/json.js'
import {
  createRouter,
  DEFAULT_BODY_LIMIT_BYTES,
  type FinishedRequest,
  type Route,
  type RouterHooks,
} from '../../src/http/router.js'
import type { Answer, Request, Resolve } from '../../src/http/server.js'

function route(tag: string, handle: Route['handle'], endpoint: Endpoint = { access: 'open' }): Route {
  const [method, pattern] = tag.split(' ') as [Route['method'], string]
  return { method, pattern, endpoint, guards: [], handle }
}

const saysParams: Route['handle'] = (_request, params) => jsonAnswer(200, params)

const routes: readonly Route[] = [
  route('GET /api/users/:id/invoices', saysParams),
  route('GET /api/invoices/:id', saysParams),
  route('POST /api/invoices', (request) => jsonAnswer(201, request.body.toString())),
  route('GET /api/users/:id/webhook', saysParams),
  route('PUT /api/users/:id/webhook', saysParams),
  route('DELETE /api/users/:id/webhook', saysParams),
  route('POST /internal/events', saysParams, { access: 'open', bodyLimitBytes: 1_048_576 }),
  route('GET /api/claim/niles/trx', saysParams),
  route('GET /throws', () => {
    throw new Error('secret of the machine')
  }),
  route('GET /rejects', () => Promise.reject(new Error('secret of the machine'))),
]

function request(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Request {
  return {
    method,
    path,
    query: '',
    header: (name) => headers[name],
    requestId: 'request',
    remoteAddress: () => '127.0.0.1',
    body: Buffer.from('body'),
    aborted: false,
  }
}

async function ask(resolve: Resolve, asked: Request): Promise<Answer> {
  return resolve(asked).handle(asked)
}

const quiet: RouterHooks = { onError: (error) => assert.fail(String(error)) }

describe('turns of requests', () => {
  let isFree = false
  const begun: (() => unknown)[] = []
  const hooks: RouterHooks = {
    ...quiet,
    turns: {
      isFree: () => isFree,
      wait: (_head, handle) =>
        new Promise((settle) => {
          begun.push(() => settle(handle()))
        }),
    },
  }
  const health: Endpoint = { access: 'open', counts: 'nothing' }
  const resolve = createRouter([...routes, route('GET /healthz', saysParams, health)], hooks)

  test('what counts in the limits of clients waits for its turn; the rest does not', async () => {
    assert.equal((await ask(resolve, request('GET', '/healthz'))).status, 200)
    const answer = ask(resolve, request('GET', '/api/invoices/a'))
    assert.equal(begun.length, 1)
    begun.shift()?.()
    assert.equal((await answer).body, '{"id":"a"}')
  })

  test('a request whose client has gone meanwhile is not handled', async () => {
    const gone = { ...request('GET', '/throws'), aborted: false }
    const answer = ask(resolve, gone)
    gone.aborted = true
    begun.shift()?.()
    assert.equal((await answer).status, 503)
  })

  test('a request begins at once where there is time', async () => {
    isFree = true
    assert.equal((await ask(resolve, request('GET', '/api/invoices/a'))).status, 200)
    isFree = false
  })

  test('refusals wait for nothing', async () => {
    assert.equal((await ask(resolve, request('GET', '/nowhere'))).status, 404)
  })
})

describe('the router', () => {
  const resolve = createRouter(routes, quiet)

  test('hands percent-decoded parameters on, of any length and script', async () => {
    const long = 'x'.repeat(100_000)
    const cases: readonly (readonly [string, string])[] = [
      ['a', 'a'],
      ['A%2fb%2F%3F%23', 'A/b/?#'],
      ['%E2%82%AC%20', '€ '],
      ['%2541', '%41'],
      ['%25%32%46', '%2F'],
      ['a+b;c=d', 'a+b;c=d'],
      ['ü', 'ü'],
      [long, long],
      [`${'%61'.repeat(1000)}`, 'a'.repeat(1000)],
      ['__proto__', '__proto__'],
      ['..', '..'],
    ]
    for (const [sent, id] of cases) {
      const answer = await ask(resolve, request('GET', `/api/users/${sent}/invoices`))
      assert.equal(answer.body, JSON.stringify({ id }), sent.slice(0, 50))
    }
  })

  test('a path that is none of the patterns is 404, whatever the method', async () => {
    const paths = [
      '/',
      '',
      '*',
      'api/invoices',
      'http://host/api/invoices',
      '/api/invoices/',
      '/api/users//invoices',
      '/api/users/a/invoices/',
      '/api/users/a/b/invoices',
      '/API/users/a/invoices',
      '/api/./invoices/a',
      '/api/users/%/invoices',
      '/api/users/%2/invoices',
      '/api/users/%zz/invoices',
      '/api/users/%ff/invoices',
      '/api/users/%C3%28/invoices',
      '/api/users/%ED%A0%80/invoices',
      '/api/users/%2F%FF/invoices',
      '/api/users/\ufffd/invoices',
      '/api/invoices/a#b',
      '/api/invoices/a?b',
      `/${'x/'.repeat(10_000)}`,
    ]
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'HEAD', 'OPTIONS', 'PATCH', 'get', 'FOO']) {
        const answer = await ask(resolve, request(method, path))
        assert.equal(answer.status, 404, `${method} ${path.slice(0, 60)}`)
        assert.equal(answer.body, '{"error":"Not found.","code":"not_found"}')
      }
    }
  })

  test('a known path with another method is 405 with a sorted Allow', async () => {
    for (const method of ['PATCH', 'POST', 'TRACE', 'CONNECT', 'get', 'FOO', '__proto__', '']) {
      const answer = await ask(resolve, request(method, '/api/users/a/webhook'))
      assert.equal(answer.status, 405, method)
      assert.equal(answer.headers.Allow, 'DELETE, GET, HEAD, OPTIONS, PUT')
      assert.equal(answer.body, '{"error":"Method not allowed.","code":"method_not_allowed"}')
    }
    assert.equal((await ask(resolve, request('HEAD', '/api/invoices'))).headers.Allow, 'OPTIONS, POST')
  })

  test('OPTIONS on a known path is 204 with Allow and no CORS', async () => {
    const asked = request('OPTIONS', '/api/invoices', { origin: 'https://a', 'access-control-request-method': 'POST' })
    const answer = await ask(resolve, asked)
    assert.equal(answer.status, 204)
    assert.deepEqual(answer.headers, { Allow: 'OPTIONS, POST', 'X-Content-Type-Options': 'nosniff' })
  })

  test('HEAD goes to the handler of GET', async () => {
    const answer = await ask(resolve, request('HEAD', '/api/invoices/a'))
    assert.equal(answer.status, 200)
    assert.equal(answer.body, '{"id":"a"}')
  })

  test('bodies are limited to 64 KiB, or to what the route says', () => {
    assert.equal(DEFAULT_BODY_LIMIT_BYTES, 65_536)
    assert.equal(resolve(request('POST', '/api/invoices')).bodyLimitBytes, 65_536)
    assert.equal(resolve(request('POST', '/internal/events')).bodyLimitBytes, 1_048_576)
    assert.equal(resolve(request('POST', '/unknown')).bodyLimitBytes, 65_536)
  })

  test('a static segment is preferred to a parameter', async () => {
    const both = createRouter(
      [route('GET /a/:id', () => jsonAnswer(200, 'parameter')), route('GET /a/fixed', () => jsonAnswer(200, 'fixed'))],
      quiet,
    )
    assert.equal((await ask(both, request('GET', '/a/fixed'))).body, '"fixed"')
    assert.equal((await ask(both, request('GET', '/a/fixe'))).body, '"parameter"')
  })

  test('a route declared twice is a mistake found at start', () => {
    const [first] = routes
    assert.ok(first !== undefined)
    assert.throws(() => createRouter([first, first], quiet))
  })

  test('a handler that answers at once is not made to wait', () => {
    const asked = request('GET', '/api/invoices/a')
    assert.ok(!(resolve(asked).handle(asked) instanceof Promise))
  })

  test('a handler that throws or rejects is 500 without internals, and reported', async () => {
    const errors: string[] = []
    const reporting = createRouter(routes, { onError: (error, head) => errors.push(`${head.path} ${error}`) })
    for (const path of ['/throws', '/rejects']) {
      const answer = await ask(reporting, request('GET', path))
      assert.equal(answer.status, 500)
      assert.equal(answer.body, '{"error":"Internal error.","code":"internal"}')
    }
    assert.deepEqual(errors, ['/throws Error: secret of the machine', '/rejects Error: secret of the machine'])
  })

  test('a request that failed leaves nothing behind for the next', async () => {
    const tolerant = createRouter(routes, { onError: () => undefined })
    const expected = await ask(tolerant, request('GET', '/api/invoices/a'))
    for (const path of ['/throws', '/rejects', '/nowhere', '/api/users/%ff/invoices']) {
      await ask(tolerant, request('GET', path))
      assert.deepEqual(await ask(tolerant, request('GET', '/api/invoices/a')), expected)
    }
    const refused = tolerant(request('POST', '/api/invoices'))
    assert.equal(refused.refuse('body_too_large').status, 413)
    const asked = request('POST', '/api/invoices')
    assert.equal((await ask(tolerant, asked)).status, 201)
  })

  test('an adapter finds the answers to its own refusals here', () => {
    const target = resolve(request('POST', '/api/invoices'))
    const codes = ['malformed_request', 'request_timeout', 'body_too_large', 'internal'] as const
    assert.deepEqual(
      codes.map((code) => target.refuse(code).status),
      [400, 408, 413, 500],
    )
  })

  test('every finished request is observed with its pattern, status and duration', async (t) => {
    const seen: FinishedRequest[] = []
    const others: FinishedRequest[] = []
    let nowMs = 0
    t.mock.method(performance, 'now', () => {
      nowMs += 5
      return nowMs
    })
    const observing = createRouter([...routes, route('GET /slow', () => Promise.resolve(jsonAnswer(202, {})))], {
      onError: () => undefined,
      observers: [(finished) => seen.push(finished), (finished) => others.push(finished)],
    })
    for (const [method, path] of [
      ['GET', '/api/invoices/a'],
      ['HEAD', '/api/invoices/a'],
      ['GET', '/slow'],
      ['GET', '/throws'],
      ['GET', '/rejects'],
      ['GET', '/nowhere'],
      ['PUT', '/api/invoices'],
    ] as const) {
      await ask(observing, request(method, path))
    }
    observing(request('POST', '/api/invoices')).refuse('body_too_large')
    assert.deepEqual(
      seen.map(({ method, pattern, status, durationMs }) => [method, pattern, status, durationMs]),
      [
        ['GET', '/api/invoices/:id', 200, 5],
        ['HEAD', '/api/invoices/:id', 200, 5],
        ['GET', '/slow', 202, 5],
        ['GET', '/throws', 500, 5],
        ['GET', '/rejects', 500, 5],
        ['GET', undefined, 404, 5],
        ['PUT', undefined, 405, 5],
        ['POST', '/api/invoices', 413, 5],
      ],
    )
    assert.equal(seen[0]?.head.path, '/api/invoices/a')
    assert.deepEqual(others, seen)
  })
})

describe('CORS, where configured', () => {
  const resolve = createRouter(routes, { onError: () => undefined, corsOrigins: ['https://shop.example'] })
  const open = createRouter(routes, { ...quiet, corsOrigins: ['*'] })
  const shop = { origin: 'https://shop.example' }

  test('lets an allowed origin read answers and failures of the API', async () => {
    for (const path of ['/api/invoices/a', '/api/nowhere']) {
      const { headers } = await ask(resolve, request('GET', path, shop))
      assert.equal(headers['Access-Control-Allow-Origin'], 'https://shop.example')
      assert.equal(headers.Vary, 'Origin')
      assert.equal(headers['Content-Type'], 'application/json; charset=utf-8')
    }
    const refusal = resolve(request('POST', '/api/invoices', shop)).refuse('body_too_large')
    assert.equal(refusal.headers['Access-Control-Allow-Origin'], 'https://shop.example')
  })

  test('tells other origins nothing, but caches that it might have', async () => {
    for (const origin of ['https://evil.example', 'https://shop.example.evil', 'null', 'https://SHOP.example', '*']) {
      const { headers } = await ask(resolve, request('GET', '/api/invoices/a', { origin }))
      assert.equal(headers['Access-Control-Allow-Origin'], undefined, origin)
      assert.equal(headers.Vary, 'Origin')
    }
    const { headers } = await ask(resolve, request('GET', '/api/invoices/a'))
    assert.equal(headers['Access-Control-Allow-Origin'], undefined)
  })

  test('answers a preflight', async () => {
    const preflight = { ...shop, 'access-control-request-method': 'POST' }
    const answer = await ask(resolve, request('OPTIONS', '/api/invoices', preflight))
    assert.equal(answer.status, 204)
    assert.equal(answer.headers['Access-Control-Allow-Origin'], 'https://shop.example')
    assert.equal(answer.headers['Access-Control-Allow-Methods'], 'OPTIONS, POST')
    assert.match(answer.headers['Access-Control-Allow-Headers'] ?? '', /X-Service-Signature/)
    assert.equal(answer.headers.Vary, 'Origin')
    const refused = await ask(resolve, request('OPTIONS', '/api/invoices', { ...preflight, origin: 'https://evil' }))
    assert.equal(refused.headers['Access-Control-Allow-Methods'], undefined)
    assert.equal(refused.headers['Access-Control-Allow-Origin'], undefined)
  })

  test('an asterisk permits every origin', async () => {
    const { headers } = await ask(open, request('GET', '/api/invoices/a', { origin: 'https://any' }))
    assert.equal(headers['Access-Control-Allow-Origin'], '*')
  })

  test('only the API is open', async () => {
    const { headers } = await ask(open, request('POST', '/internal/events', shop))
    assert.equal(headers['Access-Control-Allow-Origin'], undefined)
    assert.equal(headers.Vary, undefined)
  })

  test('keeps a Vary that the handler has set', async () => {
    const varying = createRouter([route('GET /api/a', () => jsonAnswer(200, {}, { Vary: 'Accept' }))], {
      ...quiet,
      corsOrigins: ['*'],
    })
    assert.equal((await ask(varying, request('GET', '/api/a'))).headers.Vary, 'Accept, Origin')
  })
})
