import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RateUrl, type RateUrlOptions } from '../../src/rates/rate-url.js'
import { systemScheduler } from '../../src/scheduler.js'
import { AddressGuard } from '../../src/webhooks/address-guard.js'
import { type AnswerScript, openRawReceiver, openReceiver } from '../support/receiver.js'
import { gist, setText } from './fake-intake.js'

const OPEN = new AddressGuard({ allowAll: true, allow: [] })
const SET = setText(1, { USDT: '0.92' })
const MEGABYTE = Buffer.alloc(1_048_576, ' ')

function sourceAt(url: string, options: Partial<RateUrlOptions> = {}): RateUrl {
  return new RateUrl(new URL(url), { guard: OPEN, scheduler: systemScheduler, ...options })
}

async function served(t: TestContext, script: AnswerScript) {
  const server = await openReceiver(script)
  t.after(() => server.close())
  return server
}

const refusalOf = async (source: RateUrl) => {
  const read = await source.read()
  return read.ok ? assert.fail('it gave a set') : read.refusal
}

test('a set is asked for with its path and query, and nothing that is coded', async (t) => {
  const server = await served(t, (_, response) => response.end(SET))
  const source = sourceAt(`${server.url}/v1/rates?key=secret&x=1`)
  assert.deepEqual(gist(await source.read()), { USDT: '0.92' })
  assert.deepEqual(gist(await source.read()), { USDT: '0.92' })
  const [request] = server.requests
  assert.deepEqual([request?.method, request?.path], ['GET', '/v1/rates?key=secret&x=1'])
  assert.equal(request?.headers['accept-encoding'], 'identity')
  assert.equal(request?.headers['cookie'], undefined)
})

test('a page with 200, an error in JSON and an empty answer are no sets', async (t) => {
  const bodies = ['<!doctype html><title>Attention required</title>', '{"error":"limit"}', '', SET.slice(0, -3)]
  let next = 0
  const server = await served(t, (_, response) => response.end(bodies[next++]))
  const reasons: unknown[] = []
  for (const _ of bodies) reasons.push(gist(await sourceAt(server.url).read()))
  assert.deepEqual(reasons, ['not_json', 'not_a_set', 'not_json', 'not_json'])
})

test('another status than 200 is none, whatever it carries', async (t) => {
  for (const status of [201, 204, 401, 404, 429, 500, 503]) {
    const server = await served(t, (_, response) => response.writeHead(status).end(status === 204 ? undefined : SET))
    assert.deepEqual(await refusalOf(sourceAt(server.url)), { reason: 'status', detail: `it answered ${status}` })
  }
})

test('a redirect is not followed, neither to a private address nor to the same host', async (t) => {
  const secret = await served(t, (_, response) => response.end(SET))
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await served(t, (_, response) => response.writeHead(status, { location: `${secret.url}/` }).end())
    const { reason, detail } = await refusalOf(sourceAt(server.url))
    assert.equal(reason, 'status')
    assert.match(detail, /redirects are not followed/)
  }
  assert.equal(secret.requests.length, 0)
})

test('an address that is not public is not connected to, whatever its name says', async (t) => {
  const server = await served(t, (_, response) => response.end(SET))
  const guard = new AddressGuard({ allowAll: false, allow: [] })
  const port = new URL(server.url).port
  const urls = [
    server.url,
    `http://localhost:${port}`,
    `http://2130706433:${port}`,
    `http://[::ffff:127.0.0.1]:${port}`,
  ]
  for (const url of urls) {
    const refusal = await refusalOf(sourceAt(url, { guard }))
    assert.deepEqual(refusal, { reason: 'unreachable', detail: 'its address is not public' }, url)
  }
  const resolve = async () => ['10.0.0.1', '169.254.169.254']
  const named = await refusalOf(sourceAt('https://rates.example/', { guard, resolve }))
  assert.deepEqual(named, { reason: 'unreachable', detail: 'its address is not public' })
  assert.equal(server.connections, 0)
  const allowed = new AddressGuard({ allowAll: false, allow: ['127.0.0.0/8'] })
  assert.deepEqual(gist(await sourceAt(server.url, { guard: allowed }).read()), { USDT: '0.92' })
})

test('an answer of a gigabyte is cut off', async (t) => {
  let sent = 0
  const server = await served(t, (_, response) => {
    const more = () => {
      while (sent < 1024 && !response.destroyed) {
        sent += 1
        if (!response.write(MEGABYTE)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  assert.equal((await refusalOf(sourceAt(server.url))).reason, 'too_long')
  assert.ok(sent < 100, `${sent} MiB were sent`)
})

test('so is one without end outside of its body', async (t) => {
  const server = await openRawReceiver((socket) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
    const more = () => {
      while (!socket.destroyed)
        if (!socket.write(`1;${'x'.repeat(1000)}\r\n \r\n`)) return void socket.once('drain', more)
    }
    more()
  })
  t.after(() => server.close())
  assert.ok(['too_long', 'unreachable'].includes((await refusalOf(sourceAt(server.url))).reason))
})

test('a set of just the greatest length is read, and one byte more is too long', async (t) => {
  let body = SET.padEnd(1_048_576)
  const server = await served(t, (_, response) => response.end(body))
  assert.deepEqual(gist(await sourceAt(server.url).read()), { USDT: '0.92' })
  body = `${body} `
  assert.equal((await refusalOf(sourceAt(server.url))).reason, 'too_long')
})

test('an answer that comes drop by drop, or not at all, is cut off at the deadline', async (t) => {
  const slow = await openRawReceiver((socket) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
    const timer = setInterval(() => socket.write(' '), 5)
    socket.on('close', () => clearInterval(timer))
  })
  t.after(() => slow.close())
  const mute = await openRawReceiver((socket) => void socket.on('error', () => {}))
  t.after(() => mute.close())
  for (const { url } of [slow, mute]) {
    const refusal = await refusalOf(sourceAt(url, { timeoutMs: 100 }))
    assert.deepEqual(refusal, { reason: 'unreachable', detail: 'there was no complete answer within 100 ms' })
  }
})

test('closing the source ends what is under way', async (t) => {
  const mute = await openRawReceiver((socket) => {
    socket.on('error', () => {})
    source.close()
  })
  t.after(() => mute.close())
  const source = sourceAt(mute.url)
  assert.equal((await refusalOf(source)).reason, 'unreachable')
})

test('a connection that fails or breaks off is told without the URL', async (t) => {
  const cut = await openRawReceiver((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"at"'))
  })
  t.after(() => cut.close())
  const closed = await openReceiver()
  await closed.close()
  for (const url of [cut.url, closed.url]) {
    const { reason, detail } = await refusalOf(sourceAt(`${url}/?key=secret`))
    assert.equal(reason, 'unreachable')
    assert.match(detail, /^the connection failed \([A-Z_]+\)$/)
  }
  const resolve = () => Promise.reject(new (class extends Error {})('secret'))
  const { detail } = await refusalOf(sourceAt('https://rates.example/?key=secret', { resolve }))
  assert.doesNotMatch(detail, /secret/)
})

test('a server that is no TLS server, or whose certificate nobody signed, gives nothing', async (t) => {
  const server = await served(t, (_, response) => response.end(SET))
  const { reason } = await refusalOf(sourceAt(server.url.replace('http:', 'https:')))
  assert.equal(reason, 'unreachable')
})
