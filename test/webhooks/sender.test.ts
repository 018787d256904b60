import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, test } from 'node:test'
import { type DeliveryResult, isDelivered } from '../../src/domain/webhook.js'
import { AddressGuard } from '../../src/webhooks/address-guard.js'
import { REST_MS } from '../../src/webhooks/connection-pool.js'
import { HostNotFound, type ResolveHost } from '../../src/webhooks/host-resolver.js'
import { HttpSender, type SenderOptions } from '../../src/webhooks/sender.js'
import { deferred } from '../support/deferred.js'
import { ManualClock } from '../support/manual-clock.js'
import { type AnswerScript, openRawReceiver, openReceiver } from '../support/receiver.js'
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../support/receiver-tls.js'

const body = Buffer.from('{"reference":"Bestellung ü"}')
const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': 'ab'.repeat(32) }

/** Short, for receivers that the sender has to give up. */
const GIVE_UP_MS = 500

/** Where a time limit must not be what ends an attempt. */
const PATIENT_MS = 60_000

/** What a test has opened. */
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

function sender(options: Partial<SenderOptions> = {}) {
  const made = new HttpSender({
    guard: new AddressGuard({ allowAll: true, allow: [] }),
    timeoutMs: PATIENT_MS,
    ...options,
  })
  cleanups.push(() => made.close())
  return made
}

async function receiver(script?: AnswerScript) {
  const opened = await openReceiver(script)
  cleanups.push(() => opened.close())
  return opened
}

async function rawReceiver(onConnection: (socket: Socket) => void) {
  const opened = await openRawReceiver(onConnection)
  cleanups.push(() => opened.close())
  return opened
}

/** Answers every request of a connection with these bytes; `after` is called when they are written. */
function answering(bytes: string | Buffer, after: (socket: Socket) => void = () => {}) {
  return rawReceiver((socket) => {
    socket.once('data', () => socket.write(bytes, () => after(socket)))
  })
}

function outcome(result: DeliveryResult): string {
  assert.ok(Number.isSafeInteger(result.durationMs) && result.durationMs >= 0, `durationMs ${result.durationMs}`)
  return result.kind === 'answered' ? `${result.httpStatus}` : result.reason
}

async function send(url: string, options: Partial<SenderOptions> = {}): Promise<string> {
  return outcome(await sender(options).send({ url, headers, body }))
}

describe('a URL that is none of a receiver', () => {
  for (const url of [
    'shop.example/hook',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://',
    '',
    'ftp://a.example/',
  ]) {
    test(`${JSON.stringify(url)} is a failed delivery, and nothing is sent`, async () => {
      const { durationMs: _, ...result } = await sender().send({ url, headers, body })
      const detail = 'the callback URL is not an absolute http or https URL'
      assert.deepEqual(result, { kind: 'failed', reason: 'connection', detail })
    })
  }
})

describe('an attempt', () => {
  test('posts the exact bytes and headers to path and query', async () => {
    const { url, requests } = await receiver()
    assert.equal(await send(`${url}/hooks/a%20b?x=1&y=%C3%BC#part`), '200')
    assert.equal(requests.length, 1)
    const [request] = requests
    assert.equal(request?.method, 'POST')
    assert.equal(request?.path, '/hooks/a%20b?x=1&y=%C3%BC')
    assert.deepEqual(request?.body, body)
    assert.deepEqual(request?.headers, {
      host: new URL(url).host,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'x-service-signature': 'ab'.repeat(32),
      'content-length': `${body.length}`,
    })
  })

  test('reports the status, of which every 2xx is success', async () => {
    const { url } = await receiver((request, response) => {
      response.statusCode = Number(request.path.slice(1))
      response.end(request.path === '/204' ? undefined : 'text of the receiver')
    })
    for (const status of [200, 201, 202, 204, 299, 300, 400, 401, 404, 410, 418, 429, 500, 503, 599]) {
      const result = await sender().send({ url: `${url}/${status}`, headers, body })
      assert.equal(outcome(result), `${status}`)
      assert.equal(isDelivered(result), status < 300)
      assert.deepEqual(Object.keys(result).sort(), ['durationMs', 'httpStatus', 'kind'])
    }
  })

  test('reports for how long a 429 or 503 asks to be left alone, and nothing of other answers', async () => {
    const { url } = await receiver((request, response) => {
      response.writeHead(Number(request.path.slice(1)), { 'retry-after': 'Tue, 14 Nov 2023 22:15:00 GMT' }).end()
    })
    const client = sender({ clock: new ManualClock() })
    for (const [status, retryAfterMs] of [
      [200, undefined],
      [429, 100_000],
      [500, undefined],
      [503, 100_000],
    ] as const) {
      const result = await client.send({ url: `${url}/${status}`, headers, body })
      assert.equal(outcome(result), `${status}`)
      assert.equal(result.kind === 'answered' ? result.retryAfterMs : assert.fail(), retryAfterMs)
    }
  })

  test('does not follow redirects', async () => {
    const { url, requests } = await receiver((_request, response) => {
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    assert.equal(await send(`${url}/hook`), '307')
    assert.deepEqual(
      requests.map(({ path }) => path),
      ['/hook'],
    )
  })

  test('sends neither the credentials of the URL nor a cookie that the receiver has set', async () => {
    const { url, requests } = await receiver((_request, response) => {
      response.writeHead(200, { 'set-cookie': 'a=b' }).end()
    })
    const client = sender()
    const withUser = url.replace('http://', 'http://user:password@')
    for (let i = 0; i < 2; i += 1) assert.equal(outcome(await client.send({ url: withUser, headers, body })), '200')
    for (const request of requests) {
      assert.equal(request.headers['authorization'], undefined)
      assert.equal(request.headers['cookie'], undefined)
    }
  })

  test('goes straight to the receiver whatever proxy the environment names', async () => {
    const proxy = await receiver()
    const { url } = await receiver()
    const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY']
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = proxy.url
    try {
      assert.equal(await send(url), '200')
    } finally {
      names.forEach((name, i) => {
        const value = before[i]
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      })
    }
    assert.equal(proxy.connections, 0)
  })

  test('takes a compressed answer as it is', async () => {
    const { url } = await receiver((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is no gzip')
    })
    assert.equal(await send(url), '200')
  })

  test('passes by interim answers', async () => {
    const { url } = await answering('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n')
    assert.equal(await send(url), '204')
  })

  test('takes an answer that ends with the connection', async () => {
    const { url } = await answering('HTTP/1.1 200 OK\r\n\r\nuntil the end', (socket) => socket.end())
    assert.equal(await send(url), '200')
  })
})

describe('a receiver that misbehaves', () => {
  test('is a failed connection when it refuses, closes, resets, or breaks off', async () => {
    const closed = await openReceiver()
    await closed.close()
    const table: readonly [string, string][] = [
      ['refuses', closed.url],
      ['closes at once', (await rawReceiver((socket) => socket.destroy())).url],
      ['closes after the request', (await rawReceiver((socket) => socket.once('data', () => socket.end()))).url],
      ['resets', (await rawReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()))).url],
      ['breaks off in the head', (await answering('HTTP/1.1 200 OK\r\nContent-', (socket) => socket.end())).url],
      [
        'breaks off in the body',
        (await answering('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', (socket) => socket.end())).url,
      ],
      [
        'resets in the body',
        (
          await answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', (socket) =>
            socket.resetAndDestroy(),
          )
        ).url,
      ],
    ]
    for (const [what, url] of table) assert.equal(await send(url), 'connection', what)
  })

  test('is a failed connection when it does not speak HTTP/1.1', async () => {
    for (const garbage of [
      'SSH-2.0-OpenSSH_9.6\r\n',
      'HTTP/1.1 9999 What\r\n\r\n',
      'HTTP/1.1 OK\r\n\r\n',
      '\0'.repeat(100),
      'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]),
    ]) {
      const { url } = await answering(garbage, (socket) => socket.end())
      assert.equal(await send(url), 'connection', JSON.stringify(garbage.toString('latin1')))
    }
  })

  test('is a failed connection when the head of its answer is too large', async () => {
    const many = Array.from({ length: 2000 }, (_, i) => `X-Header-${i}: value\r\n`).join('')
    const { url } = await answering(`HTTP/1.1 200 OK\r\n${many}\r\n`)
    assert.equal(await send(url), 'connection')
  })

  test('is a timeout when it accepts and stays silent', async () => {
    const { url } = await rawReceiver(() => {})
    assert.equal(await send(url, { timeoutMs: GIVE_UP_MS }), 'timeout')
  })

  test('is a timeout when it answers drop by drop, in the head or in the body', async () => {
    for (const start of ['HTTP/1.1 200 OK\r\nX-Drip: ', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n']) {
      const gone = deferred<void>()
      const { url } = await rawReceiver((socket) => {
        socket.on('close', () => gone.resolve())
        socket.once('data', () => {
          socket.write(start)
          const drip = setInterval(() => socket.write('x'), 20)
          socket.on('close', () => clearInterval(drip))
        })
      })
      assert.equal(await send(url, { timeoutMs: GIVE_UP_MS }), 'timeout')
      await gone.promise
    }
  })

  test('is read no further than the limit; its status counts', async () => {
    for (const head of ['HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 500 No\r\nContent-Length: 1000000000\r\n\r\n']) {
      const piece = Buffer.alloc(16 * 1024, 'x')
      const written = deferred<number>()
      const { url } = await rawReceiver((socket) => {
        socket.once('data', () => {
          socket.write(head)
          const pour = () => {
            while (!socket.destroyed && socket.write(piece)) {}
          }
          socket.on('drain', pour)
          socket.on('close', () => written.resolve(socket.bytesWritten))
          pour()
        })
      })
      assert.equal(await send(url), head.slice(9, 12))
      // What was written lies in buffers of the kernel for the most part, which are larger than the limit, but finite.
      assert.ok((await written.promise) < 32 * 1024 * 1024)
    }
  })

  test('is read no further than the limit either in what is neither head nor body', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)
    const extension = `1;${'x'.repeat(10_000)}`
    for (const [head, flood, expected] of [
      ['', interim, 'connection'],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', extension, '200'],
    ] as const) {
      const closed = deferred<void>()
      const { url } = await rawReceiver((socket) => {
        socket.once('data', () => {
          socket.write(head)
          const pour = () => {
            while (!socket.destroyed && socket.write(flood)) {}
          }
          socket.on('drain', pour)
          socket.on('close', () => closed.resolve())
          pour()
        })
      })
      assert.equal(await send(url), expected)
      await closed.promise
    }
  })

  test('leaves no trace of its answer in the result', async () => {
    for (const bytes of [
      'HTTP/1.1 200 hunter2\r\nX-A: hunter2\r\n\r\nhunter2',
      'hunter2 hunter2\r\n\r\n',
      'HTTP/1.1 200 OK\r\nhunter2\r\n\r\n',
    ]) {
      const { url } = await answering(bytes, (socket) => socket.end())
      const result = await sender().send({ url, headers, body })
      assert.ok(!JSON.stringify(result).includes('hunter2'), JSON.stringify(result))
    }
  })
})

describe('connections', () => {
  test('are used again when the receiver says that it keeps them', async () => {
    for (const saying of ['Connection: Keep-Alive', 'Keep-Alive: timeout=5']) {
      const opened = await rawReceiver((socket) => {
        socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\n${saying}\r\nContent-Length: 0\r\n\r\n`))
      })
      const client = sender()
      for (let i = 0; i < 5; i += 1) assert.equal(outcome(await client.send({ url: opened.url, headers, body })), '200')
      assert.equal(opened.connections, 1, saying)
    }
  })

  test('are used again, after a rest, when a receiver that says nothing keeps them', async () => {
    const opened = await rawReceiver((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    })
    let nowMs = 0
    const client = sender({ monotonicMs: () => nowMs })
    for (let i = 0; i < 5; i += 1) {
      assert.equal(outcome(await client.send({ url: opened.url, headers, body })), '200')
      nowMs += i === 0 ? REST_MS : 0
    }
    assert.equal(opened.connections, 1)
  })

  test('are not used again before: a receiver that closes without a word costs no delivery its only attempt', async () => {
    let served = 0
    const opened = await rawReceiver((socket) => {
      socket.on('data', () => {
        served += 1
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
        setImmediate(() => socket.end())
      })
    })
    const client = sender()
    for (let i = 0; i < 10; i += 1) assert.equal(outcome(await client.send({ url: opened.url, headers, body })), '200')
    assert.equal(served, 10)
    assert.equal(opened.connections, 10)
  })

  test('are not used again when the receiver asks for an end, whatever it said before', async () => {
    const opened = await receiver((request, response) => {
      response.writeHead(200, { connection: request.path.slice(1) }).end()
    })
    const client = sender()
    for (const saying of ['close', 'keep-alive', 'close', 'close']) {
      assert.equal(outcome(await client.send({ url: `${opened.url}/${saying}`, headers, body })), '200')
    }
    assert.equal(opened.connections, 3)
  })

  test('a delivery that is not answered on a used connection fails; it is not sent again', async () => {
    let served = 0
    const { url } = await rawReceiver((socket) => {
      socket.on('data', () => {
        served += 1
        if (served === 1) socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n')
        else socket.resetAndDestroy()
      })
    })
    const client = sender()
    assert.equal(outcome(await client.send({ url, headers, body })), '200')
    assert.equal(outcome(await client.send({ url, headers, body })), 'connection')
    assert.equal(served, 2)
  })

  test('no delivery waits behind another one to the same origin', async () => {
    const arrived = deferred<void>()
    const release = deferred<void>()
    const { url } = await receiver((request, response) => {
      if (request.path !== '/slow') {
        response.end()
        return
      }
      arrived.resolve()
      void release.promise.then(() => response.end())
    })
    const client = sender()
    const slow = client.send({ url: `${url}/slow`, headers, body })
    await arrived.promise
    assert.equal(outcome(await client.send({ url: `${url}/fast`, headers, body })), '200')
    release.resolve()
    assert.equal(outcome(await slow), '200')
  })

  test('closing ends what is under way', async () => {
    const accepted = deferred<void>()
    const { url } = await rawReceiver(() => accepted.resolve())
    const client = sender()
    const result = client.send({ url, headers, body })
    await accepted.promise
    client.close()
    assert.equal(outcome(await result), 'connection')
  })
})

describe('the address of a receiver', () => {
  const strict = new AddressGuard({ allowAll: false, allow: [] })
  const resolvingTo =
    (...addresses: readonly string[]): ResolveHost =>
    () =>
      Promise.resolve(addresses)

  test('is refused when the URL itself names one that is not public, and nothing connects', async () => {
    const opened = await rawReceiver(() => {})
    const { port } = new URL(opened.url)
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '0.0.0.0',
      '[::]',
      '169.254.169.254',
    ]) {
      const never: ResolveHost = () => assert.fail('an address was looked up')
      assert.equal(await send(`http://${host}:${port}/`, { guard: strict, resolve: never }), 'refused_address', host)
      assert.equal(await send(`https://${host}:${port}/`, { guard: strict, resolve: never }), 'refused_address', host)
    }
    assert.equal(opened.connections, 0)
  })

  test('is refused when a name resolves to addresses that are not public, and nothing connects', async () => {
    const opened = await rawReceiver(() => {})
    const { port } = new URL(opened.url)
    for (const addresses of [
      ['127.0.0.1'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['10.0.0.1', '127.0.0.1', 'fd00::1'],
      ['nonsense'],
    ]) {
      const resolve = resolvingTo(...addresses)
      assert.equal(await send(`http://shop.example:${port}/`, { guard: strict, resolve }), 'refused_address')
      assert.equal(await send(`https://shop.example:${port}/`, { guard: strict, resolve }), 'refused_address')
    }
    assert.equal(await send(`http://localhost:${port}/`, { guard: strict }), 'refused_address')
    assert.equal(opened.connections, 0)
  })

  test('is one of those allowed when a name resolves to both kinds', async () => {
    const { url } = await receiver()
    const { port } = new URL(url)
    // 127.0.0.2 would be answered by nobody, 127.0.0.3 neither: only the allowed one may be tried.
    const guard = new AddressGuard({ allowAll: false, allow: ['127.0.0.1/32'] })
    const resolve = resolvingTo('127.0.0.2', '10.0.0.1', '127.0.0.1', '127.0.0.3')
    assert.equal(await send(`http://shop.example:${port}/`, { guard, resolve }), '200')
  })

  test('is resolved once for a connection: a second answer cannot replace the one that was judged', async () => {
    const { url } = await receiver()
    const { port } = new URL(url)
    let lookups = 0
    const resolve: ResolveHost = () => {
      lookups += 1
      return Promise.resolve(lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2'])
    }
    const guard = new AddressGuard({ allowAll: false, allow: ['127.0.0.1/32'] })
    assert.equal(await send(`http://shop.example:${port}/`, { guard, resolve }), '200')
    assert.equal(lookups, 1)
  })

  test('is judged anew for each connection', async () => {
    const { url, requests } = await receiver((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end()
    })
    const { port } = new URL(url)
    let lookups = 0
    const resolve: ResolveHost = () => {
      lookups += 1
      return Promise.resolve(lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2'])
    }
    const guard = new AddressGuard({ allowAll: false, allow: ['127.0.0.1/32'] })
    const client = sender({ guard, resolve })
    const target = { url: `http://shop.example:${port}/`, headers, body }
    assert.equal(outcome(await client.send(target)), '200')
    assert.equal(outcome(await client.send(target)), 'refused_address')
    assert.equal(requests.length, 1)
  })

  test('is checked once more where the socket has connected to', async () => {
    const bytes: Buffer[] = []
    const closed = deferred<void>()
    const { url } = await rawReceiver((socket) => {
      socket.on('data', (chunk) => bytes.push(chunk))
      socket.on('close', () => closed.resolve())
    })
    let judged = 0
    // Allows what is resolved and refuses what is connected to, as if they were not the same.
    const guard = { isAllowed: () => ++judged === 1 }
    const resolve = resolvingTo('127.0.0.1')
    assert.equal(await send(`http://shop.example:${new URL(url).port}/`, { guard, resolve }), 'refused_address')
    await closed.promise
    assert.equal(Buffer.concat(bytes).length, 0)
  })

  test('does not appear in the outcome', async () => {
    const result = await sender({ guard: strict, resolve: resolvingTo('10.11.12.13') }).send({
      url: 'http://shop.example/',
      headers,
      body,
    })
    assert.ok(!JSON.stringify(result).includes('10.11.12.13'))
  })

  test('that cannot be found is a failure of DNS', async () => {
    const resolve: ResolveHost = () => Promise.reject(new HostNotFound('ENOTFOUND'))
    for (const scheme of ['http', 'https']) {
      const result = await sender({ resolve }).send({ url: `${scheme}://shop.example/`, headers, body })
      assert.equal(outcome(result), 'dns')
      assert.ok(result.kind === 'failed' && result.detail === 'ENOTFOUND')
    }
  })

  test('that is not found in time is a timeout, and the search is called off', async () => {
    const calledOff = deferred<void>()
    const resolve: ResolveHost = (_hostname, signal) => {
      signal.addEventListener('abort', () => calledOff.resolve())
      return new Promise(() => {})
    }
    assert.equal(await send('http://shop.example/', { resolve, timeoutMs: GIVE_UP_MS }), 'timeout')
    await calledOff.promise
  })
})

describe('https', () => {
  async function tlsReceiver() {
    const served: string[] = []
    const server = createTlsServer({ key: RECEIVER_KEY, cert: RECEIVER_CERTIFICATE }, (request, response) => {
      served.push(request.url ?? '')
      request.resume()
      response.end()
    })
    server.on('tlsClientError', () => {})
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanups.push(async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    })
    return { port: (server.address() as AddressInfo).port, served }
  }

  const resolve: ResolveHost = () => Promise.resolve(['127.0.0.1'])

  test('delivers to a receiver whose certificate is trusted and names it', async () => {
    const { port, served } = await tlsReceiver()
    const client = sender({ resolve, trust: RECEIVER_CERTIFICATE })
    for (let i = 0; i < 2; i += 1) {
      assert.equal(outcome(await client.send({ url: `https://receiver.test:${port}/${i}`, headers, body })), '200')
    }
    assert.deepEqual(served, ['/0', '/1'])
  })

  test('sends nothing to a receiver whose certificate is not trusted or names another', async () => {
    const { port, served } = await tlsReceiver()
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      assert.equal(await send(`https://receiver.test:${port}/`, { resolve }), 'connection')
      for (const host of ['other.test', '127.0.0.1']) {
        assert.equal(
          await send(`https://${host}:${port}/`, { resolve, trust: RECEIVER_CERTIFICATE }),
          'connection',
          host,
        )
      }
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
    }
    assert.deepEqual(served, [])
  })

  test('times out in a handshake that never ends, and closes the socket', async () => {
    const closed = deferred<void>()
    const { url } = await rawReceiver((socket) => {
      socket.resume()
      socket.on('close', () => closed.resolve())
    })
    const port = new URL(url).port
    assert.equal(await send(`https://receiver.test:${port}/`, { resolve, timeoutMs: GIVE_UP_MS }), 'timeout')
    await closed.promise
  })
})
