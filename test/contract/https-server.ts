import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { type CertificateFiles, UnusableCertificate } from '../../src/http/certificate.js'
import { jsonAnswer } from '../../src/http/json.js'
import type { HttpServer, HttpServerClass, ServerSettings } from '../../src/http/server.js'
import { makeCertificate } from '../support/certificates.js'
import { memoryDirectory } from '../support/temporary-directory.js'
import { requestText } from './raw-connection.js'

const settings: Omit<ServerSettings, 'certificate'> = {
  host: '127.0.0.1',
  port: 0,
  connectionLimit: 100,
  unfinishedBodiesLimitBytes: 1_000_000,
  unreadAnswersLimitBytes: 64_000_000,
  requestTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
}

const EXCHANGES_IN_PARALLEL = 8
const RENEWALS = 20
const TURNS_TO_END = 2000
const STRANGER_TIMEOUT_MS = 500

/** What both adapters must do with TLS, beside all that they do without. */
export function testHttpsServer(Server: HttpServerClass): void {
  const place = memoryDirectory()
  after(() => place.remove())
  const [first, second] = ['first', 'second'].map((name) => makeCertificate(place.path, name))
  assert.ok(first && second)
  const inUse: CertificateFiles = { certificate: join(place.path, 'crt'), key: join(place.path, 'key') }

  function put({ certificate, key }: CertificateFiles): void {
    copyFileSync(certificate, inUse.certificate)
    copyFileSync(key, inUse.key)
  }

  async function serve(certificate: CertificateFiles, requestTimeoutMs = settings.requestTimeoutMs) {
    const server: HttpServer = new Server(
      () => ({
        bodyLimitBytes: 1000,
        handle: () => jsonAnswer(200, {}),
        refuse: () => jsonAnswer(400, {}),
      }),
      { ...settings, certificate, requestTimeoutMs },
      () => undefined,
    )
    const { port } = await server.listen()
    return { server, port }
  }

  async function start(t: TestContext, certificate = inUse) {
    const served = await serve(certificate)
    t.after(() => served.server.close())
    return served
  }

  // uWebSockets.js takes up to ten seconds to close such connections. The other tests run meanwhile.
  let strangers: Promise<{ readonly answer: string }>
  let closeStrangers: () => void
  before(async () => {
    const { server, port } = await serve(first, STRANGER_TIMEOUT_MS)
    closeStrangers = () => server.close()
    const silent = connectTcp(port, '127.0.0.1').on('error', () => undefined)
    const plain = connectTcp(port, '127.0.0.1').on('error', () => undefined)
    plain.write(requestText('GET', '/'))
    let answer = ''
    plain.on('data', (bytes) => {
      answer += bytes.toString('latin1')
    })
    const closed = Promise.all([once(plain, 'close'), once(silent.resume(), 'close')])
    strangers = closed.then(() => ({ answer }))
  })
  after(() => closeStrangers())

  test('speaks TLS 1.2 and 1.3, and nothing older', async (t) => {
    put(first)
    const { port } = await start(t)
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await open(port, { minVersion: version, maxVersion: version })
      assert.equal(socket.getProtocol(), version)
      assert.equal(await statusOf(socket), 200)
      socket.destroy()
    }
    for (const version of ['TLSv1', 'TLSv1.1'] as const) {
      const ciphers = 'DEFAULT@SECLEVEL=0'
      await assert.rejects(open(port, { minVersion: version, maxVersion: version, ciphers }))
    }
  })

  test('takes cipher suites with forward secrecy and authenticated encryption only', async (t) => {
    const certificate = makeCertificate(place.path, 'rsa', { kind: 'rsa' })
    const { port } = await start(t, certificate)
    const version = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const
    const socket = await open(port, { ...version, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })
    socket.destroy()
    for (const ciphers of ['AES128-GCM-SHA256', 'ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384', 'AES256-SHA']) {
      await assert.rejects(open(port, { ...version, ciphers }), ciphers)
    }
  })

  test('a new certificate is for new connections, and open ones go on', async (t) => {
    put(first)
    const { server, port } = await start(t)
    const before = await open(port)
    assert.equal(nameOf(before), 'first')
    put(second)
    const unread = await open(port)
    assert.equal(nameOf(unread), 'first')
    server.renewCertificate()
    const later = await open(port)
    assert.equal(nameOf(later), 'second')
    for (const socket of [before, unread, later]) {
      assert.equal(await statusOf(socket), 200)
      socket.destroy()
    }
  })

  test('what cannot be served is refused, and the former certificate stays', async (t) => {
    put(first)
    const { server, port } = await start(t)
    const damage = [
      () => copyFileSync(second.certificate, inUse.certificate),
      () => writeFileSync(inUse.certificate, ''),
      () => put(makeCertificate(place.path, 'expired', { days: -1 })),
    ]
    for (const damaged of damage) {
      put(first)
      damaged()
      assert.throws(() => server.renewCertificate(), UnusableCertificate)
      const socket = await open(port)
      assert.equal(nameOf(socket), 'first')
      assert.equal(await statusOf(socket), 200)
      socket.destroy()
    }
    await assert.rejects(start(t), UnusableCertificate)
  })

  test('no request fails while certificates are renewed', async (t) => {
    put(first)
    const { server, port } = await start(t)
    let isOver = false
    const names = new Set<string>()
    const clients = Array.from({ length: EXCHANGES_IN_PARALLEL }, async () => {
      let answered = 0
      while (!isOver) {
        const socket = await open(port)
        names.add(nameOf(socket))
        assert.equal(await statusOf(socket), 200)
        assert.equal(await statusOf(socket), 200)
        socket.destroy()
        answered += 2
      }
      return answered
    })
    for (let renewals = 0; renewals < RENEWALS; renewals += 1) {
      put(renewals % 2 === 0 ? second : first)
      server.renewCertificate()
      const socket = await open(port)
      assert.equal(nameOf(socket), renewals % 2 === 0 ? 'second' : 'first')
      socket.destroy()
    }
    isOver = true
    for (const answered of await Promise.all(clients)) assert.ok(answered > 0)
    assert.deepEqual([...names].sort(), ['first', 'second'])
  })

  test('drain and close end connections of every certificate, and those within their handshake', async (t) => {
    put(first)
    for (const end of ['drain', 'close'] as const) {
      const { server, port } = await start(t)
      const silent = connectTcp(port, '127.0.0.1')
      await once(silent, 'connect')
      const before = await open(port)
      server.renewCertificate()
      const later = await open(port)
      let closed = 0
      for (const socket of [silent, before, later]) {
        socket.on('error', () => undefined).resume()
        socket.on('close', () => {
          closed += 1
        })
      }
      const ended = server[end]()
      // Long before the engine would close idle connections by itself.
      for (let turn = 0; turn < TURNS_TO_END; turn += 1) await nextTurnOfLoop()
      assert.equal(closed, 3)
      await ended
    }
  })

  test('a connection that speaks no TLS, or nothing, is closed', async () => {
    const { answer } = await strangers
    assert.doesNotMatch(answer, /HTTP/)
  })
}

async function open(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

function nameOf(socket: TLSSocket): string {
  return String(socket.getPeerCertificate().subject.CN)
}

/** Sends a request and reads the status of its answer. */
async function statusOf(socket: TLSSocket): Promise<number> {
  socket.write(requestText('GET', '/'))
  const [bytes] = await once(socket, 'data')
  return Number(String(bytes).split(' ')[1])
}
