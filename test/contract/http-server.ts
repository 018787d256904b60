import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { failure } from '../../src/domain/failure.js'
import type { CertificateFiles } from '../../src/http/certificate.js'
import { failureAnswer, jsonAnswer } from '../../src/http/json.js'
import { BODY_CHUNKS_MAX } from '../../src/http/node/exchange.js'
import type {
  Answer,
  HttpServer,
  HttpServerClass,
  Request,
  RequestHead,
  ServerSettings,
  Target,
} from '../../src/http/server.js'
import { deferred } from '../support/deferred.js'
import { RawConnection, requestText } from './raw-connection.js'

/** An adapter, and what its engine cannot be made to do; each `false` is described in the adapter's docstring. */
export interface EngineUnderTest {
  readonly Server: HttpServerClass
  /** Requests that are not HTTP/1.1 with a path are answered by us. */
  readonly answersMalformed: boolean
  /** Requests may be pipelined while an earlier one is still being handled. */
  readonly pipelinesPending: boolean
  readonly honoursIdleTimeout: boolean
  /** Bodies may be chunked; otherwise a Transfer-Encoding is answered 411. */
  readonly takesChunked: boolean
  /** Serves HTTPS with it. */
  readonly certificate?: CertificateFiles
}

const BODY_LIMIT_BYTES = 1_000
const MIB = 1_048_576
const TURNS_TO_ARRIVE = 5
/** Without a change, nothing more comes of itself. */
const TURNS_OF_REST = 200

const settings: ServerSettings = {
  host: '127.0.0.1',
  port: 0,
  connectionLimit: 100,
  unfinishedBodiesLimitBytes: 1_000_000,
  unreadAnswersLimitBytes: 64_000_000,
  requestTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
}

type Handle = (request: Request) => Answer | Promise<Answer>

interface Fixture {
  readonly port: number
  readonly server: HttpServer
  readonly errors: unknown[]
  /** Paths of the requests that reached the handler. */
  readonly handled: string[]
  /** What the adapter asked the refusals for. */
  readonly refused: string[]
  open(from?: string): Promise<RawConnection>
}

/** What was sent has arrived by then: client and server share this loop, and loopback delivers at once. */
async function turnsOfLoop(count = TURNS_TO_ARRIVE): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurnOfLoop()
}

/** All that both adapters must do the same way. */
export function testHttpServer(engine: EngineUnderTest): void {
  const isSecure = engine.certificate !== undefined
  const secure = engine.certificate === undefined ? {} : { certificate: engine.certificate }

  async function start(t: TestContext, handle: Handle, changed: Partial<ServerSettings> = {}): Promise<Fixture> {
    const errors: unknown[] = []
    const handled: string[] = []
    const refused: string[] = []
    const target: Target = {
      bodyLimitBytes: BODY_LIMIT_BYTES,
      handle: (request) => {
        handled.push(request.path)
        return handle(request)
      },
      refuse: (code) => {
        refused.push(code)
        return failureAnswer(failure(code))
      },
    }
    const server = new engine.Server(
      () => target,
      { ...settings, ...secure, ...changed },
      (error) => errors.push(error),
    )
    const { port } = await server.listen()
    const connections: RawConnection[] = []
    t.after(() => {
      for (const connection of connections) connection.end()
      server.close()
    })
    const open = async (from?: string): Promise<RawConnection> => {
      const connection = await RawConnection.open(port, { isSecure, ...(from === undefined ? {} : { from }) })
      connections.push(connection)
      return connection
    }
    return { port, server, errors, handled, refused, open }
  }

  const echo: Handle = (request) =>
    jsonAnswer(200, { method: request.method, path: request.path, query: request.query, body: request.body.toString() })

  /** Undefined if the connection is refused, which with TLS shows while it is opened. */
  async function statusOnNewConnection(fixture: Fixture, path: string, from?: string): Promise<number | undefined> {
    try {
      const connection = await fixture.open(from)
      connection.send(requestText('GET', path))
      return (await connection.answer()).status
    } catch {
      return undefined
    }
  }

  async function ask(fixture: Fixture, text: string | Uint8Array): Promise<ReturnType<typeof JSON.parse>> {
    const connection = await fixture.open()
    connection.send(text)
    return JSON.parse((await connection.answer()).body)
  }

  test('answers with the status, headers and body of the handler, and no banner', async (t) => {
    const fixture = await start(t, () => ({ status: 201, headers: { Location: '/a', 'X-B': 'b' }, body: 'grüße' }))
    const connection = await fixture.open()
    connection.send(requestText('GET', '/'))
    const answer = await connection.answer()
    assert.match(answer.head, /^HTTP\/1\.1 201 Created\r\n/)
    assert.match(answer.head, /\r\nLocation: \/a\r\n/)
    assert.match(answer.head, /\r\nX-B: b\r\n/)
    assert.match(answer.headers.get('date') ?? '', / GMT$/)
    assert.equal(answer.headers.get('content-length'), '7')
    assert.doesNotMatch(answer.head, /websockets|server:|powered/i)
    assert.equal(answer.body, 'grüße')
  })

  test('sends a part of a larger buffer as it is', async (t) => {
    const fixture = await start(t, () => ({ status: 200, headers: {}, body: Buffer.from('0123456789').subarray(3, 6) }))
    const connection = await fixture.open()
    connection.send(requestText('GET', '/'))
    assert.equal((await connection.answer()).body, '345')
  })

  test('hands method, encoded path, query and body on as they were sent', async (t) => {
    const fixture = await start(t, echo)
    assert.deepEqual(await ask(fixture, requestText('GET', '/a%2Fb/%C3%A9?x=%20&y')), {
      method: 'GET',
      path: '/a%2Fb/%C3%A9',
      query: 'x=%20&y',
      body: '',
    })
    assert.deepEqual(await ask(fixture, `${requestText('POST', '/p', 'Content-Length: 5')}hello`), {
      method: 'POST',
      path: '/p',
      query: '',
      body: 'hello',
    })
  })

  test('a path of raw bytes is UTF-8, or refused', async (t) => {
    const fixture = await start(t, echo)
    for (const [bytes, path] of [
      [Buffer.from('/é'), '/é'],
      [Buffer.from('/\xe9', 'latin1'), '/\ufffd'],
    ] as const) {
      const answer = await ask(
        fixture,
        Buffer.concat([Buffer.from('GET '), bytes, Buffer.from(' HTTP/1.1\r\nHost: x\r\n\r\n')]),
      )
      if (answer.code === undefined) assert.equal(answer.path, path)
      else assert.equal(answer.code, 'malformed_request')
    }
  })

  test('knows every method by its name', async (t) => {
    const fixture = await start(t, echo)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
      assert.equal((await ask(fixture, requestText(method, '/'))).method, method)
    }
  })

  test('a method in lower case is not the method', async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    connection.send(requestText('get', '/'))
    const answer = await connection.answer()
    if (answer.status === 200) assert.notEqual(JSON.parse(answer.body).method, 'GET')
    else assert.equal(JSON.parse(answer.body).code, 'malformed_request')
  })

  test('reads headers by lower-case name, repeated ones joined, also after the body and after waiting', async (t) => {
    const read = (head: RequestHead): Answer =>
      jsonAnswer(
        200,
        ['x-twice', 'content-type', 'x-empty', 'x-absent', 'X-Twice'].map((name) => head.header(name) ?? null),
      )
    const headers = ['X-Twice: 1', 'Content-Type: a', 'x-tWICE:  2 ', 'Content-Type: b', 'X-Empty:']
    const expected = ['1, 2', 'a, b', '', null, null]
    const sync = await start(t, read)
    assert.deepEqual(await ask(sync, requestText('GET', '/', ...headers)), expected)
    assert.deepEqual(await ask(sync, `${requestText('POST', '/', ...headers, 'Content-Length: 1')}x`), expected)
    const late = await start(t, async (request) => {
      await new Promise((resolve) => setImmediate(resolve))
      return read(request)
    })
    assert.deepEqual(await ask(late, requestText('GET', '/', ...headers)), expected)
    assert.deepEqual(await ask(late, `${requestText('POST', '/', ...headers, 'Content-Length: 1')}x`), expected)
  })

  test('path and query may be asked for after waiting', async (t) => {
    const fixture = await start(t, async (request) => {
      await new Promise((resolve) => setImmediate(resolve))
      return echo(request)
    })
    const answer = await ask(fixture, requestText('GET', '/late?q'))
    assert.deepEqual([answer.path, answer.query], ['/late', 'q'])
  })

  test("knows the peer's address", async (t) => {
    const fixture = await start(t, (request) => jsonAnswer(200, request.remoteAddress()))
    assert.equal(await ask(fixture, requestText('GET', '/')), '127.0.0.1')
  })

  test('bodies arrive whole: in pieces, chunked, with a head in pieces, or empty', async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    const pieces = async (...texts: string[]): Promise<string> => {
      for (const text of texts) {
        connection.send(text)
        await turnsOfLoop()
      }
      return JSON.parse((await connection.answer()).body).body
    }
    assert.equal(await pieces(requestText('POST', '/', 'Content-Length: 6'), 'ab', 'cd', 'ef'), 'abcdef')
    assert.equal(await pieces(requestText('POST', '/', 'Content-Length: 0')), '')
    if (!engine.takesChunked) return
    const chunked = requestText('POST', '/', 'Transfer-Encoding: chunked')
    assert.equal(await pieces(chunked, '3\r\nabc\r\n', '2\r\nde\r\n0\r\n\r\n'), 'abcde')
    assert.equal(await pieces(`${chunked}3\r\nabc\r\n0\r\n\r\n`), 'abc')
    assert.equal(await pieces(`${chunked}0\r\n\r\n`), '')
    assert.equal(await pieces('POST / HTTP/1.1\r\nHo', 'st: x\r\nContent-Le', 'ngth: 2\r\n\r', '\nhi'), 'hi')
  })

  test('bodies of consecutive requests do not share memory', async (t) => {
    const bodies: Buffer[] = []
    const fixture = await start(t, (request) => {
      bodies.push(request.body)
      return jsonAnswer(200, {})
    })
    const connection = await fixture.open()
    for (const letter of ['a', 'b', 'c']) {
      connection.send(`${requestText('POST', '/', 'Content-Length: 600')}${letter.repeat(600)}`)
      await connection.answer()
    }
    assert.deepEqual(
      bodies.map((body) => body.toString()),
      ['a', 'b', 'c'].map((letter) => letter.repeat(600)),
    )
  })

  test('a body of exactly the limit passes, one byte more is 413 and the handler never called', async (t) => {
    const fixture = await start(t, echo)
    const most = 'x'.repeat(BODY_LIMIT_BYTES)
    const fits = await ask(fixture, `${requestText('POST', '/fits', `Content-Length: ${most.length}`)}${most}`)
    assert.equal(fits.body, most)
    const connection = await fixture.open()
    connection.send(`${requestText('POST', '/over', `Content-Length: ${most.length + 1}`)}${most}x`)
    const answer = await connection.answer()
    assert.equal(answer.status, 413)
    assert.equal(answer.headers.get('connection'), 'close')
    assert.equal(JSON.parse(answer.body).code, 'body_too_large')
    await connection.closed
    assert.deepEqual(fixture.handled, ['/fits'])
  })

  test('a length beyond the limit is refused without waiting for the body', async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    connection.send(requestText('POST', '/', 'Content-Length: 999999999999'))
    assert.equal((await connection.answer()).status, 413)
    await connection.closed
    assert.deepEqual(fixture.handled, [])
  })

  test('a body far beyond the limit still reads the refusal', async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    connection.send(requestText('POST', '/', `Content-Length: ${8 * MIB}`))
    connection.send(Buffer.alloc(8 * MIB, 'x'))
    assert.equal((await connection.answer()).status, 413)
    await connection.closed
  })

  test('a chunked body is counted while it arrives', { skip: !engine.takesChunked }, async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    connection.send(requestText('POST', '/', 'Transfer-Encoding: chunked'))
    connection.send(`200\r\n${'x'.repeat(512)}\r\n200\r\n${'x'.repeat(512)}\r\n`)
    const answer = await connection.answer()
    assert.equal(answer.status, 413)
    assert.equal(JSON.parse(answer.body).code, 'body_too_large')
    await connection.closed
    assert.deepEqual(fixture.handled, [])
  })

  test('a sender that never stops is cut off', async (t) => {
    const fixture = await start(t, echo, { requestTimeoutMs: 60_000 })
    const connection = await fixture.open()
    connection.send(requestText('POST', '/', `Content-Length: ${1024 * MIB}`))
    const chunk = Buffer.alloc(16_384, 'x')
    const timer = setInterval(() => connection.send(chunk), 10)
    await connection.closed
    clearInterval(timer)
    assert.deepEqual(fixture.handled, [])
    assert.deepEqual(fixture.refused, ['body_too_large'])
  })

  test('a Transfer-Encoding that is not taken is answered 411, or 400, and the connection closed', async (t) => {
    const fixture = await start(t, echo)
    const encodings = ['gzip', 'gzip, chunked', 'identity', 'xchunked', ...(engine.takesChunked ? [] : ['chunked'])]
    for (const encoding of encodings) {
      const connection = await fixture.open()
      connection.send(`${requestText('POST', '/', `Transfer-Encoding: ${encoding}`)}0\r\n\r\n`)
      const answer = await connection.answer()
      const expected = engine.takesChunked ? [400, 'malformed_request'] : [411, 'length_required']
      assert.deepEqual([answer.status, JSON.parse(answer.body).code], expected, encoding)
      assert.equal(answer.headers.get('connection'), 'close')
      await connection.closed
    }
    assert.deepEqual(fixture.handled, [])
  })

  test('several lengths, equal or not, and an empty one, are refused', async (t) => {
    const fixture = await start(t, echo)
    for (const lengths of [['3', '5'], ['3', '3'], ['', '3'], ['3', ''], ['']]) {
      const connection = await fixture.open()
      const headers = lengths.map((length) => `Content-Length: ${length}`)
      connection.send(`${requestText('POST', '/', ...headers)}abc`)
      const answer = await connection.answer()
      assert.equal(answer.status, 400)
      assert.equal(JSON.parse(answer.body).code, 'malformed_request')
      await connection.closed
    }
    assert.deepEqual(fixture.handled, [])
  })

  test('a request with both framings, or a length that is none, or two hosts, never reaches the handler', async (t) => {
    const fixture = await start(t, echo)
    const framings = [
      ['Content-Length: 3', 'Transfer-Encoding: chunked'],
      ['Content-Length: abc'],
      ['Content-Length: -3'],
      ['Content-Length: +3'],
      ['Content-Length: 0x3'],
      ['Content-Length: 3', 'Host: another'],
    ]
    for (const headers of framings) {
      const connection = await fixture.open()
      connection.send(`${requestText('POST', '/', ...headers)}abc`)
      assert.match(await connection.rest(), /^HTTP\/1\.1 400 /)
    }
    assert.deepEqual(fixture.handled, [])
  })

  test('a refusal closes also when it has no body', async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    connection.send(requestText('HEAD', '/', 'Content-Length: 3', 'Content-Length: 5'))
    assert.equal((await connection.answer(true)).status, 400)
    connection.send(requestText('GET', '/after'))
    await connection.closed
    assert.deepEqual(fixture.handled, [])
  })

  test('a body in more chunks than are taken is ended at once', { skip: !engine.takesChunked }, async (t) => {
    const fixture = await start(t, echo)
    const head = requestText('POST', '/', 'Transfer-Encoding: chunked')
    const most = await ask(fixture, `${head}${'1\r\nx\r\n'.repeat(BODY_CHUNKS_MAX)}0\r\n\r\n`)
    assert.equal(most.body.length, BODY_CHUNKS_MAX)
    const connection = await fixture.open()
    connection.send(`${head}${'1\r\nx\r\n'.repeat(BODY_CHUNKS_MAX + 1)}`)
    assert.equal((await connection.answer()).status, 413)
    await connection.closed
    assert.deepEqual(fixture.handled, ['/'])
  })

  test('unfinished bodies without room are answered 503, and leave room when their clients leave', async (t) => {
    const fixture = await start(t, echo, { unfinishedBodiesLimitBytes: 1_000 })
    const post = requestText('POST', '/', 'Content-Length: 800')
    const filling = await fixture.open()
    filling.send(`${post}begun`)
    const late = async () => {
      const connection = await fixture.open()
      connection.send(`${post}begun`)
      // Without a second packet the body would be whole at once, and need no room.
      await turnsOfLoop()
      connection.send('x'.repeat(795))
      return await connection.answer()
    }
    const refused = await late()
    assert.equal(refused.status, 503)
    assert.equal(JSON.parse(refused.body).code, 'overloaded')
    assert.equal(refused.headers.get('retry-after'), '1')
    const whole = await ask(fixture, `${post}${'x'.repeat(800)}`)
    assert.equal(whole.body.length, 800)
    filling.end()
    await filling.closed
    // The server hears of it a moment later.
    while ((await late()).status !== 200);
    assert.equal((await late()).status, 200, 'a body that has arrived holds no room')
  })

  test('tells a client that expects it to continue', async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    connection.send(requestText('POST', '/', 'Expect: 100-continue', 'Content-Length: 2'))
    assert.equal((await connection.answer()).status, 100)
    connection.send('hi')
    assert.equal(JSON.parse((await connection.answer()).body).body, 'hi')
  })

  test('a client that leaves within its body reaches no handler', async (t) => {
    const fixture = await start(t, echo)
    const leaving = await fixture.open()
    leaving.send(`${requestText('POST', '/left', 'Content-Length: 10')}abc`)
    const { path } = await ask(fixture, requestText('GET', '/stayed'))
    leaving.end()
    await leaving.closed
    assert.equal(path, '/stayed')
    await fixture.server.drain()
    assert.deepEqual(fixture.handled, ['/stayed'])
    assert.deepEqual(fixture.errors, [])
  })

  test('a client that leaves while it is being served is seen as gone, and nothing is written', async (t) => {
    const arrived = deferred<void>()
    const goOn = deferred<void>()
    let request: Request | undefined
    const fixture = await start(t, async (it) => {
      request = it
      arrived.resolve()
      await goOn.promise
      return jsonAnswer(200, it.remoteAddress())
    })
    const connection = await fixture.open()
    connection.send(requestText('GET', '/'))
    await arrived.promise
    assert.equal(request?.aborted, false)
    connection.end()
    while (request?.aborted === false) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(request?.aborted, true)
    const drained = fixture.server.drain()
    let isDrained = false
    void drained.then(() => {
      isDrained = true
    })
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isDrained, false, 'drain waits for the handler although its client has gone')
    goOn.resolve()
    await drained
    assert.deepEqual(fixture.errors, [])
  })

  test('keeps a connection, and answers pipelined requests in their order', async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    const post = `${requestText('POST', '/2', 'Content-Length: 2')}hi`
    connection.send(requestText('GET', '/1') + post + requestText('GET', '/3'))
    for (const path of ['/1', '/2', '/3']) assert.equal(JSON.parse((await connection.answer()).body).path, path)
    connection.send(requestText('GET', '/4'))
    assert.equal(JSON.parse((await connection.answer()).body).path, '/4')
  })

  test('requests pipelined behind an unfinished one never get its answer', async (t) => {
    const goOn = deferred<void>()
    const fixture = await start(t, async (request) => {
      if (request.path === '/slow') await goOn.promise
      return echo(request)
    })
    const connection = await fixture.open()
    connection.send(requestText('GET', '/slow') + requestText('GET', '/quick'))
    if (!engine.pipelinesPending) {
      await connection.closed
      goOn.resolve()
      assert.deepEqual(fixture.handled, ['/slow'])
      return
    }
    goOn.resolve()
    assert.equal(JSON.parse((await connection.answer()).body).path, '/slow')
    assert.equal(JSON.parse((await connection.answer()).body).path, '/quick')
  })

  test('closes when the client asks for it', async (t) => {
    const fixture = await start(t, echo)
    const connection = await fixture.open()
    connection.send(requestText('GET', '/', 'Connection: close'))
    assert.equal((await connection.answer()).status, 200)
    await connection.closed
  })

  test('HEAD has the headers of GET and no body, and the connection goes on', async (t) => {
    const fixture = await start(t, () => jsonAnswer(200, { text: 'grüße' }))
    const connection = await fixture.open()
    connection.send(requestText('GET', '/'))
    const got = await connection.answer()
    connection.send(requestText('HEAD', '/'))
    const head = await connection.answer(true)
    for (const name of ['content-length', 'content-type', 'cache-control', 'x-content-type-options']) {
      assert.equal(head.headers.get(name), got.headers.get(name))
    }
    connection.send(requestText('GET', '/'))
    assert.equal((await connection.answer()).status, 200)
  })

  test('HEAD of a stream returns the stream unread', async (t) => {
    const returned = deferred<void>()
    const body = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error('read')),
        return: () => {
          returned.resolve()
          return Promise.resolve({ done: true as const, value: undefined })
        },
      }),
    }
    const fixture = await start(t, () => ({ status: 200, headers: { 'X-A': 'a' }, body }))
    const connection = await fixture.open()
    connection.send(requestText('HEAD', '/'))
    assert.equal((await connection.answer(true)).headers.get('x-a'), 'a')
    await returned.promise
    connection.send(requestText('HEAD', '/'))
    assert.equal((await connection.answer(true)).status, 200)
    assert.deepEqual(fixture.errors, [])
  })

  test('204 has neither body nor length, and the connection goes on', async (t) => {
    const fixture = await start(t, () => ({ status: 204, headers: { Allow: 'GET' }, body: '' }))
    const connection = await fixture.open()
    for (let i = 0; i < 2; i += 1) {
      connection.send(requestText('OPTIONS', '/'))
      const answer = await connection.answer()
      assert.match(answer.head, /^HTTP\/1\.1 204 No Content\r\n/)
      assert.equal(answer.headers.has('content-length'), false)
      assert.equal(answer.headers.has('transfer-encoding'), false)
    }
  })

  test('never writes a header that could split the response', async (t) => {
    const unfit = ['a\r\nX-Injected: 1', 'a\nX-Injected: 1', 'a\rb', 'a\0b', 'é', '\u010a']
    let value = ''
    const fixture = await start(t, () => ({ status: 200, headers: { 'X-Value': value }, body: 'secret' }))
    for (value of unfit) {
      const connection = await fixture.open()
      connection.send(requestText('GET', '/'))
      const answer = await connection.answer()
      assert.equal(answer.status, 500)
      assert.doesNotMatch(answer.head, /injected|x-value/i)
      assert.deepEqual(JSON.parse(answer.body), { error: 'Internal error.', code: 'internal' })
    }
    assert.equal(fixture.errors.length, unfit.length)
  })

  test('a handler that throws or rejects against its contract is a 500 and heard of', async (t) => {
    const fixture = await start(t, (request) => {
      if (request.path === '/throws') throw new Error('secret')
      return Promise.reject(new Error('secret'))
    })
    for (const text of [
      requestText('GET', '/throws'),
      requestText('GET', '/rejects'),
      `${requestText('POST', '/throws', 'Content-Length: 1')}x`,
      `${requestText('POST', '/rejects', 'Content-Length: 1')}x`,
    ]) {
      assert.deepEqual(await ask(fixture, text), { error: 'Internal error.', code: 'internal' })
    }
    assert.equal(fixture.errors.length, 4)
  })

  test('a body that dribbles is answered 408 and the connection closed', async (t) => {
    const fixture = await start(t, echo, { requestTimeoutMs: 300 })
    const connection = await fixture.open()
    connection.send(requestText('POST', '/', 'Content-Length: 100'))
    const timer = setInterval(() => connection.send('x'), 50)
    const answer = await connection.answer()
    clearInterval(timer)
    assert.equal(answer.status, 408)
    assert.equal(JSON.parse(answer.body).code, 'request_timeout')
    await connection.closed
    assert.deepEqual(fixture.handled, [])
  })

  test('a slow handler is not a slow sender', async (t) => {
    const fixture = await start(
      t,
      async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 700))
        return echo(request)
      },
      { requestTimeoutMs: 200, idleTimeoutMs: 200 },
    )
    assert.equal((await ask(fixture, `${requestText('POST', '/', 'Content-Length: 2')}hi`)).body, 'hi')
  })

  test('a large answer arrives whole, however slowly it is taken', async (t) => {
    const text = 'grüße '.repeat(MIB)
    const fixture = await start(t, async () => ({ status: 200, headers: {}, body: text }))
    const connection = await fixture.open()
    connection.socket.pause()
    connection.send(requestText('GET', '/'))
    await turnsOfLoop()
    connection.socket.resume()
    const answer = await connection.answer()
    assert.equal(answer.headers.get('content-length'), String(Buffer.byteLength(text)))
    assert.ok(answer.body === text)
    connection.send(requestText('GET', '/'))
    assert.ok((await connection.answer()).body === text)
  })

  test('a stream arrives chunk by chunk, empty chunks and none at all included', async (t) => {
    async function* chunks(): AsyncGenerator<string | Uint8Array> {
      yield 'grü'
      yield ''
      yield Buffer.from('ße')
      await new Promise((resolve) => setImmediate(resolve))
      yield '!'
    }
    async function* none(): AsyncGenerator<string> {}
    const fixture = await start(t, (request) => ({
      status: 200,
      headers: { 'X-A': 'a' },
      body: request.path === '/none' ? none() : chunks(),
    }))
    const connection = await fixture.open()
    for (let i = 0; i < 2; i += 1) {
      connection.send(requestText('GET', '/'))
      const answer = await connection.answer()
      assert.equal(answer.body, 'grüße!')
      assert.equal(answer.headers.get('x-a'), 'a')
      connection.send(requestText('GET', '/none'))
      const empty = await connection.answer()
      assert.deepEqual([empty.status, empty.headers.get('x-a'), empty.body], [200, 'a', ''])
    }
  })

  test('a stream waits for a client that does not read, and is returned when it leaves', async (t) => {
    let yielded = 0
    const finished = deferred<void>()
    async function* endless(): AsyncGenerator<Uint8Array> {
      const chunk = Buffer.alloc(65_536, 'x')
      try {
        while (true) {
          yielded += 1
          yield chunk
        }
      } finally {
        finished.resolve()
      }
    }
    const fixture = await start(t, () => ({ status: 200, headers: {}, body: endless() }))
    const connection = await fixture.open()
    connection.socket.pause()
    connection.send(requestText('GET', '/'))
    // The kernel's buffers take a few MiB; then the count must stand still.
    let before = -1
    while (yielded === 0 || yielded !== before) {
      before = yielded
      await turnsOfLoop(TURNS_OF_REST)
    }
    assert.ok(yielded < 512, `${yielded} chunks of 64 KiB for a client that takes none`)
    connection.socket.resume()
    while (yielded === before) await once(connection.socket, 'data')
    connection.end()
    await finished.promise
    await fixture.server.drain()
    assert.deepEqual(fixture.errors, [])
  })

  for (const kind of ['a stream', 'a whole answer']) {
    test(`${kind} that a client does not take leaves no room for more of them, until it does`, async (t) => {
      const long = Buffer.alloc(16 * MIB, 'x')
      async function* streamed(): AsyncGenerator<Uint8Array> {
        yield long
      }
      const fixture = await start(
        t,
        ({ path }) => {
          if (path === '/short') return echoed
          return { status: 200, headers: {}, body: kind === 'a stream' ? streamed() : long }
        },
        { unreadAnswersLimitBytes: MIB },
      )
      const echoed = jsonAnswer(200, 'short')
      const slow = await fixture.open()
      slow.socket.pause()
      slow.send(requestText('GET', '/long'))
      const other = async (path: string) => {
        const connection = await fixture.open()
        connection.send(requestText('GET', path))
        const { status } = await connection.answer()
        connection.end()
        return status
      }
      while (fixture.handled.length === 0) await turnsOfLoop()
      await turnsOfLoop(TURNS_OF_REST)
      assert.equal(await other('/long'), 503)
      assert.equal(await other('/short'), 200)
      slow.socket.resume()
      await slow.answer()
      assert.equal(await other('/long'), 200)
      assert.deepEqual(fixture.errors, [])
    })
  }

  test('streams beyond the limit are refused, other answers are not, and one that ends makes room', async (t) => {
    const endings: (() => void)[] = []
    async function* waiting(): AsyncGenerator<string> {
      yield 'first'
      await new Promise<void>((resolve) => endings.push(resolve))
    }
    const fixture = await start(
      t,
      ({ path }) => (path === '/short' ? jsonAnswer(200, 'short') : { status: 200, headers: {}, body: waiting() }),
      { streamLimit: 2 },
    )
    const stream = async () => {
      const connection = await fixture.open()
      connection.send(requestText('GET', '/stream'))
      await once(connection.socket, 'data')
      return connection
    }
    const first = await stream()
    const second = await stream()
    assert.equal(await statusOnNewConnection(fixture, '/stream'), 503)
    assert.equal(await statusOnNewConnection(fixture, '/short'), 200)

    endings[0]?.()
    assert.equal((await first.answer()).status, 200)
    await turnsOfLoop()
    const third = await stream()
    for (const end of endings) end()
    assert.deepEqual([(await second.answer()).status, (await third.answer()).status], [200, 200])
    assert.deepEqual(fixture.errors, [])
  })

  test('a stream that waits for its own next chunk hears of a client that leaves', async (t) => {
    const returned = deferred<void>()
    let calls = 0
    const body: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => {
        let stop = (): void => undefined
        const stopped = new Promise<IteratorResult<string>>((resolve) => {
          stop = () => resolve({ done: true, value: undefined })
        })
        return {
          next: () => {
            calls += 1
            return calls === 1 ? Promise.resolve({ done: false, value: 'first' }) : stopped
          },
          return: () => {
            stop()
            returned.resolve()
            return Promise.resolve({ done: true, value: undefined })
          },
        }
      },
    }
    const fixture = await start(t, () => ({ status: 200, headers: {}, body }))
    const connection = await fixture.open()
    connection.send(requestText('GET', '/'))
    await once(connection.socket, 'data')
    connection.end()
    await returned.promise
    await fixture.server.drain()
    assert.deepEqual(fixture.errors, [])
  })

  test('a stream that fails midway cuts the connection instead of ending the answer', async (t) => {
    async function* failing(): AsyncGenerator<string> {
      yield 'part'
      throw new Error('source')
    }
    const fixture = await start(t, () => ({ status: 200, headers: {}, body: failing() }))
    const connection = await fixture.open()
    connection.send(requestText('GET', '/'))
    const text = await connection.rest()
    assert.doesNotMatch(text, /\r\n0\r\n\r\n$/)
    assert.deepEqual(fixture.errors.map(String), ['Error: source'])
  })

  test('a stream that fails before its first chunk is a 500', async (t) => {
    // biome-ignore lint/correctness/useYield: the source fails before it yields, which is the case under test.
    async function* failing(): AsyncGenerator<string> {
      throw new Error('source')
    }
    const fixture = await start(t, () => ({ status: 200, headers: {}, body: failing() }))
    assert.equal((await ask(fixture, requestText('GET', '/'))).code, 'internal')
    assert.deepEqual(fixture.errors.map(String), ['Error: source'])
  })

  test('connections beyond the limit are refused, and a place that becomes free is given away', async (t) => {
    const fixture = await start(t, echo, { connectionLimit: 2 })
    const first = await fixture.open()
    const second = await fixture.open()
    for (const connection of [first, second]) {
      connection.send(requestText('GET', '/'))
      assert.equal((await connection.answer()).status, 200)
    }
    assert.equal(await statusOnNewConnection(fixture, '/third'), undefined)
    assert.ok(!fixture.handled.includes('/third'))
    first.end()
    await first.closed
    // The server hears of it a moment later.
    while ((await statusOnNewConnection(fixture, '/')) !== 200);
  })

  test('a client has no more connections than its share, others and trusted proxies go on, and it is told', async (t) => {
    const refused: string[] = []
    const share = {
      perClient: 4,
      clientOf: (address: string) => (address === '127.0.0.9' ? null : address),
    }
    const onRefusedConnection = (why: string) => refused.push(why)
    const fixture = await start(t, echo, { share, onRefusedConnection })
    const works = async (from: string) => (await statusOnNewConnection(fixture, '/', from)) === 200
    for (let count = 0; count < 4; count += 1) assert.equal(await works('127.0.0.1'), true)
    assert.equal(await works('127.0.0.1'), false)
    assert.ok(refused.length > 0 && refused.every((why) => why === 'share'))
    for (let count = 0; count < 8; count += 1) assert.equal(await works('127.0.0.9'), true)
    assert.equal(await works('127.0.0.2'), true)
    assert.deepEqual(fixture.errors, [])
  })

  test('drain answers what is in flight, closes idle connections, refuses new ones and then resolves', async (t) => {
    const arrived = deferred<void>()
    const goOn = deferred<void>()
    const fixture = await start(t, async (request) => {
      if (request.path === '/slow') {
        arrived.resolve()
        await goOn.promise
      }
      return echo(request)
    })
    const idle = await fixture.open()
    idle.send(requestText('GET', '/idle'))
    await idle.answer()
    const busy = await fixture.open()
    busy.send(requestText('GET', '/slow'))
    await arrived.promise
    const drained = fixture.server.drain()
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    await assert.rejects(RawConnection.open(fixture.port), { code: 'ECONNREFUSED' })
    goOn.resolve()
    const answer = await busy.answer()
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('connection'), 'close')
    await Promise.all([drained, busy.closed, idle.closed])
    await fixture.server.drain()
  })

  test('drain does not wait for what a client that has gone had pipelined', async (t) => {
    async function* brief(): AsyncGenerator<string> {
      yield 'brief'
    }
    const { promise: passed, resolve: open } = deferred<void>()
    const fixture = await start(t, async ({ path }) => {
      if (path === '/first') await passed
      return { status: 200, headers: {}, body: path === '/stream' ? brief() : path }
    })
    const connection = await fixture.open()
    connection.send(['/first', '/stream', '/last'].map((path) => requestText('GET', path)).join(''))
    // An answer on another connection: everything sent before has been read.
    assert.equal(await statusOnNewConnection(fixture, '/other'), 200)
    connection.end()
    await connection.closed
    open()
    await fixture.server.drain()
    assert.deepEqual(fixture.errors, [])
  })

  for (const refused of ['no HTTP at all\r\n\r\n', requestText('CONNECT', 'elsewhere:443')]) {
    const name = JSON.stringify(refused.slice(0, 8))
    test(`drain does not wait for a client that was refused and holds on to its connection: ${name}`, async (t) => {
      const fixture = await start(t, echo)
      const connection = await RawConnection.open(fixture.port, { holdsOn: true, isSecure })
      t.after(() => connection.end())
      connection.send(refused)
      await Promise.race([once(connection.socket, 'end'), once(connection.socket, 'close')])
      await fixture.server.drain()
      assert.deepEqual(fixture.errors, [])
    })
  }

  test('drain lets a large answer reach a client that takes its time', async (t) => {
    const fixture = await start(t, () => ({ status: 200, headers: {}, body: Buffer.alloc(16 * MIB, 'x') }))
    const connection = await fixture.open()
    connection.socket.pause()
    connection.send(requestText('GET', '/'))
    while (fixture.handled.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const drained = fixture.server.drain()
    connection.socket.resume()
    assert.equal((await connection.answer()).body.length, 16 * MIB)
    await drained
  })

  test('close ends everything at once', async (t) => {
    const arrived = deferred<void>()
    const goOn = deferred<void>()
    const fixture = await start(t, async (request) => {
      arrived.resolve()
      await goOn.promise
      return echo(request)
    })
    const idle = await fixture.open()
    const busy = await fixture.open()
    busy.send(requestText('GET', '/'))
    await arrived.promise
    fixture.server.close()
    await Promise.all([idle.closed, busy.closed])
    goOn.resolve()
  })

  test('a port in use is an error, not a shared port, also when it is asked for by number', async (t) => {
    const fixture = await start(t, echo)
    const another = () =>
      new engine.Server(
        () => assert.fail('no request is expected'),
        { ...settings, port: fixture.port },
        () => undefined,
      )
    await assert.rejects(another().listen())
    fixture.server.close()
    const first = another()
    t.after(() => first.close())
    assert.equal((await first.listen()).port, fixture.port)
    await assert.rejects(another().listen())
  })

  test('a head that is too large is answered 431', async (t) => {
    const fixture = await start(t, echo)
    const fits = await ask(fixture, requestText('GET', '/', `X-A: ${'a'.repeat(12_000)}`))
    assert.equal(fits.path, '/')
    const connection = await fixture.open()
    connection.send(requestText('GET', '/', `X-A: ${'a'.repeat(40_000)}`))
    assert.match(await connection.rest(), /^HTTP\/1\.1 431 /)
    assert.deepEqual(fixture.handled, ['/'])
  })

  test('what is not a request for a path disturbs nobody', async (t) => {
    const fixture = await start(t, echo)
    const texts = [
      'nonsense\r\n\r\n',
      '\0\x01\x02\r\n\r\n',
      'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
      requestText('CONNECT', 'test:80'),
      requestText('OPTIONS', '*'),
      requestText('GET', 'http://test/absolute?q'),
      'GET /old HTTP/1.0\r\n\r\n',
      'GET /nohost HTTP/1.1\r\n\r\n',
      requestText('GET', '/', ' : x'),
    ]
    for (const text of texts) {
      const connection = await fixture.open()
      connection.send(text)
      if (!engine.answersMalformed) continue
      const answer = await connection.answer()
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8', text)
      const body = JSON.parse(answer.body)
      if (answer.status === 200) assert.ok(['*', '/absolute', '/old'].includes(body.path), text)
      else assert.deepEqual(Object.keys(body), ['error', 'code'], text)
    }
    assert.equal((await ask(fixture, requestText('GET', '/after'))).path, '/after')
    assert.deepEqual(fixture.errors, [])
  })

  test('a fault behind a request does not take its answer away', { skip: !engine.answersMalformed }, async (t) => {
    const fixture = await start(t, async (request) => {
      await new Promise((resolve) => setImmediate(resolve))
      return echo(request)
    })
    const connection = await fixture.open()
    connection.send(`${requestText('GET', '/first')}nonsense\r\n\r\n`)
    assert.equal(JSON.parse((await connection.answer()).body).path, '/first')
    await connection.closed
  })

  test('a silent connection is closed, a head that dribbles answered 408', {
    skip: !engine.honoursIdleTimeout,
  }, async (t) => {
    const fixture = await start(t, echo, { idleTimeoutMs: 200, requestTimeoutMs: 300 })
    const silent = await fixture.open()
    const idle = await fixture.open()
    idle.send(requestText('GET', '/'))
    assert.equal((await idle.answer()).status, 200)
    const dribbling = await fixture.open()
    dribbling.send('GET / HTTP/1.1\r\n')
    const timer = setInterval(() => dribbling.send('X-A: a\r\n'), 40)
    const answer = await dribbling.answer()
    clearInterval(timer)
    assert.equal(answer.status, 408)
    assert.equal(JSON.parse(answer.body).code, 'request_timeout')
    await Promise.all([silent.closed, idle.closed, dribbling.closed])
  })

  test('a client that takes nothing of an answer is cut off', { skip: !engine.honoursIdleTimeout }, async (t) => {
    const finished = deferred<void>()
    async function* endless(): AsyncGenerator<Uint8Array> {
      const chunk = Buffer.alloc(65_536, 'x')
      try {
        while (true) yield chunk
      } finally {
        finished.resolve()
      }
    }
    const fixture = await start(t, () => ({ status: 200, headers: {}, body: endless() }), { idleTimeoutMs: 200 })
    const connection = await fixture.open()
    connection.socket.pause()
    connection.send(requestText('GET', '/'))
    await finished.promise
    await fixture.server.drain()
  })
}
