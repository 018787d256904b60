import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, test } from 'node:test'
import { HttpFailure, type HttpFailureReason } from '../../../src/networks/node/answer.js'
import { HttpJson, JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../../src/networks/node/http-json.js'
import { wakefulScheduler } from '../../../src/scheduler.js'
import { deferred } from '../../support/deferred.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { ManualScheduler } from '../../support/manual-scheduler.js'
import { openRawReceiver, openReceiver } from '../../support/receiver.js'

const LIMIT_BYTES = 5_000_000
const TIMEOUT_MS = 60_000
const SECRET = 'a1b2c3d4e5f6'

/** Closed after each test, clients first. */
let opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of opened.reverse()) await each.close()
  opened = []
})

function keep<T extends { close(): Promise<void> }>(each: T): T {
  opened.push(each)
  return each
}

function client(url: string, options: { headers?: Record<string, string>; scheduler?: ManualScheduler } = {}) {
  const { headers = {}, scheduler = wakefulScheduler } = options
  const bounds = { timeoutMs: TIMEOUT_MS, answerLimitBytes: LIMIT_BYTES, clock: new ManualClock(), scheduler }
  return keep(new HttpJson({ url, headers }, bounds))
}

function failure(reason: HttpFailureReason, status: number | null = null, retryAfterMs: number | null = null) {
  return (error: unknown) => {
    assert.ok(error instanceof HttpFailure, String(error))
    const { message } = error
    assert.deepEqual(
      { reason: error.reason, status: error.status, retryAfterMs: error.retryAfterMs },
      { reason, status, retryAfterMs },
    )
    assert.ok(!message.includes(SECRET), message)
    return true
  }
}

/** Writes as long as somebody reads. */
function endless(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, ' ')
  const write = () => {
    while (!response.destroyed && response.write(chunk)) {}
  }
  response.on('drain', write)
  write()
}

describe('JSON over HTTP', () => {
  test('posts to the path behind that of the endpoint, with its query, headers and credentials', async () => {
    const node = keep(await openReceiver((_request, response) => response.end('{"a":[1]}')))
    const { host } = new URL(node.url)
    const http = client(`http://user:${SECRET}@${host}/v3/${SECRET}/?key=${SECRET}`, { headers: { 'x-key': 'k' } })
    assert.deepEqual(await http.post('/wallet/now', '{"num":7}'), { a: [1] })
    assert.deepEqual(await http.post('', '[]'), { a: [1] })
    const [first, second] = node.requests
    assert.equal(first?.path, `/v3/${SECRET}/wallet/now?key=${SECRET}`)
    assert.equal(first?.method, 'POST')
    assert.equal(first?.body.toString(), '{"num":7}')
    assert.equal(first?.headers['content-type'], 'application/json')
    assert.equal(first?.headers['x-key'], 'k')
    assert.equal(first?.headers['authorization'], `Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}`)
    assert.equal(second?.path, `/v3/${SECRET}?key=${SECRET}`)
    assert.equal(http.requests, 2)
    assert.equal(http.name, node.url)
    assert.equal(http.presentable(`no project ${SECRET}`), 'no project …')
  })

  test('hands the text to the given parser', async () => {
    const node = keep(await openReceiver((_request, response) => response.end('9007199254740993')))
    assert.equal(await client(node.url).post('', '', (text) => BigInt(text)), 9007199254740993n)
    await assert.rejects(
      client(node.url).post('', '', () => {
        throw new RangeError(SECRET)
      }),
      failure('not_json'),
    )
  })

  const answers: readonly [name: string, answer: (response: ServerResponse) => void, (error: unknown) => boolean][] = [
    ['a status', (response) => response.writeHead(500).end('{}'), failure('status', 500)],
    [
      'a limit with a pause in seconds',
      (response) => response.writeHead(429, { 'retry-after': '7' }).end(),
      failure('status', 429, 7000),
    ],
    [
      'a limit with a pause until a date',
      (response) => response.writeHead(403, { 'retry-after': new Date(START_MS + 9000).toUTCString() }).end(),
      failure('status', 403, 9000),
    ],
    [
      'a limit with a pause that cannot be understood',
      (response) => response.writeHead(429, { 'retry-after': 'soon' }).end(),
      failure('status', 429),
    ],
    [
      'a redirect',
      (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      failure('status', 307),
    ],
    ['an endless refusal', (response) => endless(response.writeHead(400)), failure('status', 400)],
    ['text that is no JSON', (response) => response.end(`<html>${SECRET}`), failure('not_json')],
    ['nothing', (response) => response.end(), failure('not_json')],
    ['half of the JSON', (response) => response.end('{"result":[1,2'), failure('not_json')],
    [
      'invalid UTF-8',
      (response) => response.end(Buffer.concat([Buffer.from('"'), Buffer.of(0xff), Buffer.from('"')])),
      failure('not_json'),
    ],
    [
      'less than announced',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"result":')
        setImmediate(() => response.destroy())
      },
      failure('connection'),
    ],
    ['an endless answer', endless, failure('too_long')],
    [
      'more than the limit at once',
      (response) => response.end(Buffer.alloc(LIMIT_BYTES + 1, ' ')),
      failure('too_long'),
    ],
    [
      'a deep answer',
      (response) => response.end('['.repeat(JSON_DEPTH_MAX + 1) + ']'.repeat(JSON_DEPTH_MAX + 1)),
      failure('too_long'),
    ],
    [
      'an answer of many small values',
      (response) => response.end(`[${'{},'.repeat(JSON_VALUES_MAX)}0]`),
      failure('too_long'),
    ],
  ]
  for (const [name, answer, expected] of answers) {
    test(`refuses ${name}`, async () => {
      const node = keep(await openReceiver((_request, response) => answer(response)))
      await assert.rejects(client(`${node.url}/${SECRET}`).post('', '{}'), expected)
    })
  }

  test('reads little more of an endless answer than the limit', async () => {
    const written = deferred<number>()
    const node = keep(
      await openReceiver((request, response) => {
        const { socket } = response
        socket?.on('close', () => written.resolve(socket.bytesWritten))
        assert.equal(request.method, 'POST')
        endless(response)
      }),
    )
    await assert.rejects(client(node.url).post('', '{}'), failure('too_long'))
    // What the two kernels buffer comes on top.
    assert.ok((await written.promise) < LIMIT_BYTES + 32_000_000)
  })

  test('does not take brackets and commas within texts for structure', async () => {
    const text = '[,'.repeat(JSON_VALUES_MAX)
    const node = keep(await openReceiver((_request, response) => response.end(JSON.stringify([`"\\${text}`]))))
    assert.deepEqual(await client(node.url).post('', ''), [`"\\${text}`])
  })

  test('takes an answer of exactly the limit', async () => {
    const node = keep(await openReceiver((_request, response) => response.end(`1${' '.repeat(LIMIT_BYTES - 1)}`)))
    assert.equal(await client(node.url).post('', ''), 1)
  })

  test('gives up at one deadline, whether nothing comes or the answer drips', async () => {
    for (const begin of [() => {}, (response: ServerResponse) => response.writeHead(200).write('[')]) {
      const scheduler = new ManualScheduler()
      const gone = deferred<void>()
      const node = keep(
        await openReceiver((_request, response) => {
          response.on('close', gone.resolve)
          begin(response)
        }),
      )
      const answer = assert.rejects(client(node.url, { scheduler }).post('', ''), failure('timeout'))
      await node.received(1)
      scheduler.pass(TIMEOUT_MS)
      await answer
      // The connection is not left open for what might still come.
      await gone.promise
    }
  })

  test('gives up at the deadline while the connection is not even made', async () => {
    const scheduler = new ManualScheduler()
    // A TLS handshake that is never answered.
    const node = keep(await openRawReceiver(() => {}))
    const http = client(node.url.replace('http:', 'https:'), { scheduler })
    const answer = assert.rejects(http.post('', ''), failure('timeout'))
    scheduler.pass(TIMEOUT_MS)
    await answer
  })

  test('says that nobody listens', async () => {
    const node = await openReceiver()
    await node.close()
    await assert.rejects(client(node.url).post('', ''), failure('connection'))
  })

  test('cancels its deadline when the answer has come', async () => {
    const scheduler = new ManualScheduler()
    const node = keep(await openReceiver((_request, response) => response.end('1')))
    await client(node.url, { scheduler }).post('', '')
    assert.equal(scheduler.pending, 0)
  })
})
