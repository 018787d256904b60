import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { Environment } from '../../src/config.js'
import { type Endpoint, endpoints } from '../../src/http/endpoints.js'
import { productionEnvironment } from '../support/production.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { gatewayHeaders, ServiceFixture } from '../support/service-fixture.js'
import { HOST } from './certificate.js'
import { proxyNames } from './deployed.js'
import { engines } from './echo-server.js'
import { judgeDeployed, type Launch, ProxyProcess } from './proxy-process.js'
import { exchange, type Peer, type RawAnswer } from './stream-client.js'

const SECRET = productionEnvironment['BILLHOOK_GATEWAY_SECRET'] ?? ''

/** What the proxies must keep from the outside. */
const INTERNAL = ['/internal/events', '/healthz', '/readyz', '/sandbox']

/** Who calls what merchants, payers and integrators need. */
const FOR_CLIENTS: ReadonlySet<Endpoint['access']> = new Set(['open', 'api-key', 'owner', 'identity'])

/** Other ways to write a path, some of which a proxy or a server may take for it. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `${path}?x=/api/`,
  (path) => `${path}.`,
  (path) => `/${path}`,
  (path) => `/.${path}`,
  (path) => `/%2e${path}`,
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.replace(/[a-z]/, (letter) => `%25${letter.charCodeAt(0).toString(16)}`),
  (path) => path.toUpperCase(),
  (path) => `/%2f${path.slice(1)}`,
  (path) => `/api/..${path}`,
  (path) => `/pay/../..${path}`,
  (path) => `/api/%2e%2e${path}`,
  (path) => `/api/..%2f${path.slice(1)}`,
  (path) => `/api/..;${path}`,
  (path) => `/api/..\\${path.slice(1)}`,
  (path) => `/api/.%00./..${path}`,
  (path) => `${path}/../../api/x`,
  (path) => `${path}%3f/../../api/x`,
  (path) => `${path}%23/../../../api/x`,
  (path) => `${path}#/../../api/x`,
  (path) => `${path}%00/../../api/x`,
  (path) => `${path};/../../api/x`,
  (path) => `${path}%20/../../api/x`,
  (path) => `http://${HOST}${path}`,
  (path) => `https://${HOST}:443${path}`,
  (path) => `http://${HOST}/api/..${path}`,
  (path) => `\\${path.slice(1)}`,
  (path) => `${HOST}${path}`,
]

function isOfService({ head }: RawAnswer): boolean {
  return head.includes('\r\nx-request-id: ')
}

async function startService(t: TestContext, environment: Environment): Promise<ServiceFixture> {
  const { BILLHOOK_DATA, BILLHOOK_PORT, BILLHOOK_METRICS_PORT, ...settings } = productionEnvironment
  const service = await ServiceFixture.start({ ...settings, ...environment })
  t.after(() => service.stop())
  return service
}

async function startProxy(t: TestContext, launch: Launch): Promise<{ readonly proxy: ProxyProcess; peer: Peer }> {
  const proxy = await ProxyProcess.start(launch)
  t.after(() => proxy.stop())
  return { proxy, peer: { port: proxy.httpsPort, certificate: proxy.certificate } }
}

function portOf({ url }: ServiceFixture): number {
  return Number(new URL(url).port)
}

async function pushVia(peer: Peer, target: string): Promise<RawAnswer> {
  const body = JSON.stringify({ events: [{ id: target, type: 'identity.onboarded', identity: 'x' }] })
  const signed = Object.entries(gatewayHeaders(String(Date.now()), body, SECRET))
  const headers = ['Content-Type: application/json', ...signed.map(([name, value]) => `${name}: ${value}`)]
  return exchange(peer, ['POST', target], headers, body)
}

function inspect(name: (typeof proxyNames)[number], engine: string): void {
  test('lets nothing internal through, however its path is written', async (t) => {
    const { BILLHOOK_ONBOARDING_NAME, ...settings } = productionEnvironment
    const service = await ServiceFixture.start({
      BILLHOOK_STRICT: 'on',
      BILLHOOK_SANDBOX: 'on',
      BILLHOOK_HTTP: engine,
      BILLHOOK_GATEWAY_SECRET: SECRET,
      BILLHOOK_PUBLIC_URL: settings['BILLHOOK_PUBLIC_URL'],
      BILLHOOK_TRUSTED_PROXIES: settings['BILLHOOK_TRUSTED_PROXIES'],
      BILLHOOK_RATE_LIMIT: '0',
    })
    t.after(() => service.stop())
    const { peer } = await startProxy(t, { name, upstreamPort: portOf(service) })
    const direct = { port: portOf(service) }
    for (const path of INTERNAL) {
      const ask = path === '/internal/events' ? pushVia : (to: Peer, at: string) => exchange(to, ['GET', at])
      assert.equal((await ask(direct, path)).status, 200, `${path} exists`)
      for (const spell of SPELLINGS) {
        const answer = await ask(peer, spell(path))
        assert.ok(![200, 201, 204, 405].includes(answer.status ?? 0), `${spell(path)}: ${answer.head}`)
        if (isOfService(answer)) assert.equal(answer.status, 404, `${spell(path)}: ${answer.head}`)
      }
    }
    const open = await exchange(peer, ['GET', '/pay/none'])
    assert.deepEqual([open.status, isOfService(open)], [404, true])
  })

  test('lets through every endpoint that is for clients, and no other', async (t) => {
    const service = await startService(t, { BILLHOOK_HTTP: engine, BILLHOOK_RATE_LIMIT: '0' })
    const { peer } = await startProxy(t, { name, upstreamPort: portOf(service) })
    const wrong: string[] = []
    for (const [tag, { access }] of Object.entries(endpoints)) {
      const [method = '', pattern = ''] = tag.split(' ')
      const path = pattern.replace(/:\w+/g, 'x')
      const isForClients = FOR_CLIENTS.has(access) && !INTERNAL.includes(path)
      const answer = await exchange(peer, [method, path], [], method === 'GET' ? '' : '{}')
      if (isOfService(answer) !== isForClients) wrong.push(`${tag}: ${answer.head}`)
    }
    assert.deepEqual(wrong, [])
  })

  test('shows the API reference with its files', async (t) => {
    const service = await startService(t, { BILLHOOK_HTTP: engine })
    const { peer } = await startProxy(t, { name, upstreamPort: portOf(service) })
    for (const path of [
      '/openapi.json',
      '/docs',
      '/docs/start.js',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
    ]) {
      const { status, head, body } = await exchange(peer, ['GET', path], ['Accept-Encoding: gzip'])
      assert.deepEqual([status, body.length > 0], [200, true], head)
    }
  })

  test('names the client, whatever the client claims', async (t) => {
    const perMinute = 5
    const service = await startService(t, { BILLHOOK_HTTP: engine, BILLHOOK_RATE_LIMIT: String(perMinute) })
    const { peer } = await startProxy(t, { name, upstreamPort: portOf(service) })
    const statuses: (number | null)[] = []
    for (let round = 1; round <= perMinute + 1; round += 1) {
      const claims = [`X-Forwarded-For: 198.51.100.${round}`, `X-Forwarded-For: 203.0.113.${round}, 127.0.0.1`]
      const more = [`X-Real-IP: 198.51.100.${round}`, `Forwarded: for=198.51.100.${round}`]
      const from = { ...peer, localAddress: '127.0.0.2' }
      statuses.push((await exchange(from, ['GET', '/api/users/x/webhook'], [...claims, ...more])).status)
    }
    assert.deepEqual(statuses, [...Array(perMinute).fill(401), 429])
    const other = await exchange({ ...peer, localAddress: '127.0.0.3' }, ['GET', '/api/users/x/webhook'])
    assert.equal(other.status, 401)
  })

  test('answers from outside as the production checklist says', async (t) => {
    const service = await startService(t, { BILLHOOK_HTTP: engine })
    const { proxy, peer } = await startProxy(t, { name, upstreamPort: portOf(service) })
    const checklist = readFileSync(join(projectRoot, 'docs/production.md'), 'utf8')
    const rows = [...checklist.matchAll(/^curl -si (https?):\/\/pay\.example(\S+) .* # (\d+):?(.*)$/gm)]
    assert.equal(rows.length, 7)
    for (const [row, scheme, path = '', status, note] of rows) {
      const answer = await exchange(scheme === 'http' ? { port: proxy.httpPort } : peer, ['GET', path])
      const isFromProxy = note?.includes('from the proxy') === true || scheme === 'http'
      assert.deepEqual([answer.status, isOfService(answer)], [Number(status), !isFromProxy], row)
    }
  })

  test('leaves the answer to a body that is somewhat too large to the service, and refuses much larger ones', async (t) => {
    const service = await startService(t, { BILLHOOK_HTTP: engine })
    const { peer } = await startProxy(t, { name, upstreamPort: portOf(service) })
    const json = ['Content-Type: application/json']
    const large = await exchange(peer, ['POST', '/api/invoices'], json, 'x'.repeat(65_537))
    assert.deepEqual([large.status, isOfService(large)], [413, true], large.head)
    const larger = await exchange(peer, ['POST', '/api/invoices'], json, 'x'.repeat(131_073))
    // By itself, if it takes in bodies before the service does.
    assert.deepEqual([larger.status, isOfService(larger)], [413, name === 'caddy'], larger.head)
  })
}

async function speaksTls({ port, certificate }: Peer, version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'): Promise<boolean> {
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    servername: HOST,
    ca: certificate,
    minVersion: version,
    maxVersion: version,
    ciphers: 'ALL:@SECLEVEL=0',
  })
  const isSecure = await new Promise<boolean>((resolve) => {
    socket.once('secureConnect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  socket.destroy()
  return isSecure
}

for (const name of proxyNames) {
  describe(`the file for ${name}`, { skip: missingPrograms(name) }, async () => {
    test('is accepted by the proxy without a warning', async () => {
      const { status, output } = await judgeDeployed(name)
      assert.equal(status, 0, output)
      // A certificate that nobody but the test trusts has nobody to ask about its revocation.
      const judged = output.split('\n').filter((line) => !line.includes('no OCSP stapling'))
      assert.doesNotMatch(judged.join('\n'), /warn|alert|emerg|deprecated/i)
    })

    test('speaks TLS 1.2 and 1.3 only, and sends clients from http to https', async (t) => {
      const { proxy, peer } = await startProxy(t, { name, upstreamPort: 1 })
      assert.deepEqual(
        [await speaksTls(peer, 'TLSv1.1'), await speaksTls(peer, 'TLSv1.2'), await speaksTls(peer, 'TLSv1.3')],
        [false, true, true],
      )
      const { status, head } = await exchange({ port: proxy.httpPort }, ['GET', '/pay/a?b=c'])
      assert.equal(status, 308)
      assert.match(head, /\r\nlocation: https:\/\/pay\.example\/pay\/a\?b=c(\r\n|$)/)
    })

    for (const { name: engine } of await engines()) {
      describe(`before ${engine}`, () => inspect(name, engine === 'uws' ? 'uws' : 'node'))
    }
  })
}
