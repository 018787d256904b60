import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { HttpFailure, type HttpFailureReason } from '../../../src/networks/node/answer.js'
import { HttpJson } from '../../../src/networks/node/http-json.js'
import { fields, items, list, scalar } from '../../../src/networks/node/json-shape.js'
import { wakefulScheduler } from '../../../src/scheduler.js'
import { deferred } from '../../support/deferred.js'
import { mostHeld } from '../../support/live-memory.js'
import { ManualClock, START_MS } from '../../support/manual-clock.js'
import { ManualScheduler } from '../../support/manual-scheduler.js'
import { openRawReceiver, openReceiver } from '../../support/receiver.js'

const LIMIT_BYTES = 200_000_000
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

interface ClientVariant {
  readonly headers?: Record<string, string>
  readonly scheduler?: ManualScheduler
  readonly elsewhere?: { readonly prefix: string; readonly url: string }
}

function client(url: string, options: ClientVariant = {}) {
  const { headers = {}, scheduler = wakefulScheduler, ...more } = options
  const bounds = { timeoutMs: TIMEOUT_MS, answerLimitBytes: LIMIT_BYTES, clock: new ManualClock(), scheduler }
  return keep(new HttpJson({ url, headers, ...more }, bounds))
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
    const shape = fields({ a: list(scalar, 1) })
    assert.deepEqual(await http.post('/wallet/now', '{"num":7}', shape), { a: [1] })
    assert.deepEqual(await http.post('', '[]', shape), { a: [1] })
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

  test('notes the dates of answers, between the question and the answer', async () => {
    const dates: (string | null)[] = []
    const node = keep(
      await openReceiver((_request, response) => {
        const [date = null, age = null] = dates.shift()?.split(';') ?? []
        response.sendDate = false
        if (date) response.setHeader('date', date)
        if (age) response.setHeader('age', age)
        response.writeHead(date === null ? 200 : 503).end('1')
      }),
    )
    const elapsed = [10, 30, 50, 70, 90, 110, 130, 150]
    const clock = { now: () => START_MS, elapsed: () => elapsed.shift() ?? assert.fail() }
    const elsewhere = { prefix: '/solid/', url: node.url }
    const bounds = { timeoutMs: TIMEOUT_MS, answerLimitBytes: LIMIT_BYTES, clock }
    const http = keep(new HttpJson({ url: node.url, elsewhere }, { ...bounds, scheduler: wakefulScheduler }))
    const ask = async (path: string, date: string | null) => {
      dates.push(date)
      await http.post(path, '', scalar).catch(() => undefined)
      return http.date
    }
    assert.equal(http.date, null)
    assert.equal(await ask('', null), null)
    const told = { dateMs: Date.UTC(2023, 10, 14, 22, 13, 20), askedAtMs: 50, answeredAtMs: 70 }
    assert.deepEqual(await ask('', 'Tue, 14 Nov 2023 22:13:20 GMT'), told)
    assert.deepEqual(await ask('', 'Tue, 14 Nov 2023 22:13:30 GMT;5'), told, 'a cache says nothing of now')
    assert.deepEqual(await ask('', 'soon'), told)
    elapsed.push(170, 190)
    assert.deepEqual(await ask('/solid/now', 'Tue, 14 Nov 2023 22:13:40 GMT'), told, 'another server')
  })

  test('posts paths with a prefix elsewhere, and hides the secrets of both addresses', async () => {
    const [full, solidity] = [keep(await openReceiver()), keep(await openReceiver())]
    const http = client(full.url, { elsewhere: { prefix: '/walletsolidity/', url: `${solidity.url}/${SECRET}` } })
    await http.post('/walletsolidity/now', '', fields({ a: list(scalar, 1) })).catch(() => undefined)
    await http.post('/wallet/now', '', fields({ a: list(scalar, 1) })).catch(() => undefined)
    assert.deepEqual(
      [full, solidity].map(({ requests }) => requests.map(({ path }) => path)),
      [['/wallet/now'], [`/${SECRET}/walletsolidity/now`]],
    )
    assert.equal(http.name, full.url)
    assert.equal(http.presentable(`no ${SECRET}`), 'no …')
  })

  test('passes on what a sink throws, and reads no further', async () => {
    const gone = deferred<void>()
    const node = keep(
      await openReceiver((_request, response) => {
        response.on('close', gone.resolve)
        response.write('[1,2,')
      }),
    )
    const shape = items(scalar, () => ({
      take(item) {
        if (item === 2) throw new RangeError('two')
      },
      end: () => null,
    }))
    await assert.rejects(client(node.url).post('', '', shape), { name: 'RangeError', message: 'two' })
    await gone.promise
  })

  const plain = (text: string) => Buffer.from(text)
  const codings: readonly [name: string, coding: string | null, encode: (text: string) => Buffer][] = [
    ['gzip', 'gzip', gzipSync],
    ['gzip, by its old name', 'x-gzip', gzipSync],
    ['deflate', 'deflate', deflateSync],
    ['deflate without the frame of zlib', 'deflate', deflateRawSync],
    ['br', 'br', brotliCompressSync],
    ['gzip that is called nothing', null, gzipSync],
    ['gzip that is called deflate', 'deflate', gzipSync],
    ['no coding that is called gzip', 'gzip', plain],
    ['no coding that is called deflate', 'deflate', plain],
    ['no coding that is called identity', 'identity', plain],
  ]
  for (const [name, coding, encode] of codings) {
    test(`reads an answer that comes in ${name}, unasked`, async () => {
      for (const text of ['x', 'x'.repeat(100_000)]) {
        const answer = encode(JSON.stringify([text]))
        const headers = coding === null ? {} : { 'content-encoding': coding }
        const node = keep(await openReceiver((_request, response) => response.writeHead(200, headers).end(answer)))
        assert.deepEqual(await client(node.url).post('', '', list(scalar, 1)), [text])
      }
    })
  }

  test('says in the words of the node why it refuses', async () => {
    const said: readonly [body: string, words: string | null][] = [
      ['{"Error":"this API is unavailable due to config"}', 'this API is unavailable due to config'],
      ['{"jsonrpc":"2.0","error":{"code":-32601,"message":"no such method"}}', 'no such method'],
      ['[{"error":{"message":"a batch"}}]', 'a batch'],
      ['<html><title>405</title><style>p {}</style><p>Not\n allowed</p>', '405 Not allowed'],
      [`${SECRET} has no plan`, '… has no plan'],
      ['{"code":7}', null],
      ['', null],
    ]
    let body = ''
    const node = keep(await openReceiver((_request, response) => response.writeHead(405).end(body)))
    for (const [text, words] of said) {
      body = text
      await assert.rejects(client(`${node.url}/${SECRET}`).post('', '', scalar), {
        status: 405,
        said: words,
        message: `HTTP status 405${words === null ? '' : `: ${words}`}`,
      })
    }
  })

  test('says what a node wrote instead of JSON', async () => {
    const text = 'this API is closed because this node is a lite fullnode'
    const node = keep(await openReceiver((_request, response) => response.end(text)))
    await assert.rejects(client(node.url).post('', '', scalar), { reason: 'not_json', said: text })
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
    ['a refusal that never ends', (response) => response.writeHead(400).write('no'), failure('status', 400)],
    ['text that is no JSON', (response) => response.end(`<html>${SECRET}`), failure('not_json')],
    ['nothing', (response) => response.end(), failure('not_json')],
    ['half of the JSON', (response) => response.end('{"result":[1,2'), failure('not_json')],
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
      'an answer that does not decode',
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}').fill(0, 10)),
      failure('connection'),
    ],
  ]
  for (const [name, answer, expected] of answers) {
    test(`refuses ${name}`, async () => {
      const node = keep(await openReceiver((_request, response) => answer(response)))
      await assert.rejects(client(`${node.url}/${SECRET}`).post('', '{}', fields({})), expected)
    })
  }

  test('reads an answer of 100 MB in little memory, and keeps what is asked for', async () => {
    const filler = Buffer.from(`{"log":[${'{},'.repeat(20_000)}0],"id":7},`)
    const times = Math.ceil(100_000_000 / filler.length)
    const node = keep(
      await openReceiver((_request, response) => {
        let left = times
        const write = () => {
          while (left > 0) {
            left -= 1
            if (!response.write(filler)) return
          }
          response.end('{"id":8}]')
        }
        response.on('drain', write)
        response.write('[')
        write()
      }),
    )
    const ids = items(fields({ id: scalar }), () => {
      let count = 0
      return {
        take(item) {
          count += item?.id === 7 ? 1 : 0
        },
        end: () => count,
      }
    })
    const { bytes, result } = await mostHeld(() => client(node.url).post('', '', ids))
    assert.equal(result, times)
    assert.ok(bytes < 32 * 1024 * 1024, `${bytes} bytes`)
  })

  test('gives a long answer longer, as long as it comes', async () => {
    const scheduler = new ManualScheduler()
    let go = () => {}
    const node = keep(
      await openReceiver((_request, response) => {
        response.write(`["${'x'.repeat(3 * 1024 * 1024)}"`)
        go = () => response.end(']')
      }),
    )
    const length = deferred<void>()
    const shape = items(scalar, () => ({ take: () => length.resolve(), end: () => 'whole' }))
    const answer = client(node.url, { scheduler }).post('', '', shape)
    await length.promise
    scheduler.pass(TIMEOUT_MS)
    go()
    assert.equal(await answer, 'whole')
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
      const answer = assert.rejects(client(node.url, { scheduler }).post('', '', scalar), failure('timeout'))
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
    const answer = assert.rejects(http.post('', '', scalar), failure('timeout'))
    scheduler.pass(TIMEOUT_MS)
    await answer
  })

  test('says that nobody listens', async () => {
    const node = await openReceiver()
    await node.close()
    await assert.rejects(client(node.url).post('', '', scalar), failure('connection'))
  })

  test('cancels its deadline when the answer has come', async () => {
    const scheduler = new ManualScheduler()
    const node = keep(await openReceiver((_request, response) => response.end('1')))
    await client(node.url, { scheduler }).post('', '', scalar)
    assert.equal(scheduler.pending, 0)
  })
})
