import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { type ProxyName, proxyNames } from './deployed.js'
import { ProxyProcess } from './proxy-process.js'
import { exchange, type Peer, type RawAnswer } from './stream-client.js'

const away = readFileSync(join(projectRoot, 'deploy/proxy/away.html'), 'utf8')

/** Longer than a proxy needs to find out that the service is ready, or is not. */
const PATIENCE_MS = 20_000
const PAUSE_MS = 50

/** The requests that wait for a service that is away. Caddy 2.6 drops bodies then. */
const WAITING: Readonly<Record<ProxyName, readonly (readonly [method: string, path: string, body: string])[]>> = {
  nginx: [],
  caddy: [['GET', '/pay/some', '']],
  haproxy: [
    ['GET', '/pay/some', ''],
    ['POST', '/api/invoices', '{"amount":"1"}'],
  ],
}
/** The proxies that ask whether the service is ready. */
const CHECKING: readonly ProxyName[] = ['haproxy']

/** A service that counts requests, and may break off instead of answering. */
class Upstream {
  /** Method and path of each request that arrived in full, apart from health checks. */
  readonly arrived: string[] = []
  isReady = true
  private readonly server: Server = createServer((request, response) => this.take(request, response))

  async listen(port = 0): Promise<number> {
    this.server.listen(port, '127.0.0.1')
    await once(this.server, 'listening')
    return (this.server.address() as AddressInfo).port
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    request.resume().once('end', () => {
      if (request.url === '/readyz') {
        response.writeHead(this.isReady ? 200 : 503).end()
        return
      }
      this.arrived.push(`${request.method} ${request.url}`)
      if (request.url?.endsWith('/cut') === true) request.socket.destroy()
      else response.end('answered')
    })
  }
}

async function startProxy(t: TestContext, name: ProxyName, upstreamPort: number): Promise<Peer> {
  const proxy = await ProxyProcess.start({ name, upstreamPort })
  t.after(() => proxy.stop())
  return { port: proxy.httpsPort, certificate: proxy.certificate }
}

/** Asks until the answer is as wished. */
async function until(peer: Peer, isWished: (answer: RawAnswer) => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += PAUSE_MS) {
    if (isWished(await exchange(peer, ['GET', '/api/x']))) return
    await sleep(PAUSE_MS)
  }
  assert.fail('the answers did not become what they should')
}

function inspect(name: ProxyName): void {
  test('sends nothing again that may have arrived', async (t) => {
    const upstream = new Upstream()
    t.after(() => upstream.close())
    const peer = await startProxy(t, name, await upstream.listen())
    // On a connection to the service that the proxy has kept, and on a new one.
    for (const first of [['GET', '/api/x'] as const, ['POST', '/api/a/cut'] as const]) {
      await exchange(peer, first, [], first[0] === 'POST' ? '{}' : '')
      assert.equal((await exchange(peer, ['POST', '/api/b/cut'], [], '{}')).status, 502)
    }
    const claimed = await exchange(peer, ['GET', '/api/wallets/claim/sep/eth/cut'])
    assert.equal(claimed.status, 502)
    const posts = ['POST /api/b/cut', 'POST /api/a/cut', 'POST /api/b/cut']
    assert.deepEqual(upstream.arrived, ['GET /api/x', ...posts, 'GET /api/wallets/claim/sep/eth/cut'])
  })

  test('shows payers a page that comes back by itself while the service is away', async (t) => {
    const peer = await startProxy(t, name, await freePort())
    const [page, api] = await Promise.all([
      exchange(peer, ['GET', '/pay/some']),
      exchange(peer, ['POST', '/api/invoices'], [], '{}'),
    ])
    assert.ok([502, 503].includes(page.status ?? 0), page.head)
    assert.match(page.head, /\r\ncache-control: no-store(\r\n|$)/)
    assert.match(page.head, /\r\ncontent-type: text\/html/)
    assert.equal(page.body, away)
    assert.match(away, /<meta http-equiv="refresh" content="\d+">/)
    assert.ok([502, 503].includes(api.status ?? 0), api.head)
    assert.notEqual(api.body, away)
  })

  for (const [method, path, sent] of WAITING[name]) {
    test(`lets ${method} ${path} wait while the service restarts, and sends it once`, async (t) => {
      const before = new Upstream()
      const port = await before.listen()
      const peer = await startProxy(t, name, port)
      await until(peer, ({ status }) => status === 200)
      before.close()
      const answer = exchange(peer, [method, path], [], sent)
      const after = new Upstream()
      t.after(() => after.close())
      // Both are waited for, so that a failure leaves no server behind.
      await Promise.allSettled([answer, sleep(PAUSE_MS).then(() => after.listen(port))])
      const { status, body, head } = await answer
      assert.deepEqual([status, body], [200, 'answered'], head)
      assert.deepEqual(after.arrived, [`${method} ${path}`])
    })
  }

  if (!CHECKING.includes(name)) return
  test('asks /readyz, and sends nothing to a service that is not ready', async (t) => {
    const upstream = new Upstream()
    t.after(() => upstream.close())
    const peer = await startProxy(t, name, await upstream.listen())
    await until(peer, ({ status }) => status === 200)
    upstream.isReady = false
    await until(peer, ({ status }) => status === 503)
    const before = upstream.arrived.length
    assert.equal((await exchange(peer, ['POST', '/api/invoices'], [], '{}')).status, 503)
    assert.equal(upstream.arrived.length, before)
    upstream.isReady = true
    await until(peer, ({ status }) => status === 200)
  })
}

for (const name of proxyNames) {
  const options = { skip: missingPrograms(name), concurrency: true }
  describe(`${name} while the service restarts`, options, () => inspect(name))
}
