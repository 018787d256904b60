import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { assertRefused, type Reply, ServiceFixture } from '../support/service-fixture.js'

const CROSS_SITE = [403, 'A page of another origin must not do this.', 'cross_site'] as const
const NOT_JSON = [415, 'A browser must send the body as application/json.', 'unsupported_media_type'] as const
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** Answers the status of a GET with a `Host` header of its own, which `fetch` does not let one choose. */
async function statusFor(base: string, path: string, host: string): Promise<number> {
  const asked = request(`${base}${path}`, { headers: { Host: host } }).end()
  const [answer] = await once(asked, 'response')
  answer.resume()
  return answer.statusCode
}

for (const engine of HTTP_ENGINES) {
  describe(`a service on loopback without a public URL (${engine})`, () => {
    let fixture: ServiceFixture
    let secondary: ServiceFixture
    before(async () => {
      const sandbox = { BILLHOOK_HTTP: engine, BILLHOOK_SANDBOX: 'on' }
      fixture = await ServiceFixture.start(sandbox)
      secondary = await ServiceFixture.start({ ...sandbox, BILLHOOK_PUBLIC_URL: 'https://pay.example/billhook' })
    })
    after(async () => {
      await fixture.stop()
      await secondary.stop()
    })

    const put = (headers: Readonly<Record<string, string>>): Promise<Reply> =>
      fixture.call('PUT', '/api/users/shop/webhook', { body: { callbackUrl: 'https://shop.example/' }, headers })

    test('takes writes of programs, whatever content type they name', async () => {
      for (const headers of [{}, { 'Content-Type': 'text/plain' }, JSON_TYPE]) {
        assert.equal((await put(headers)).status, 200)
      }
    })

    test('takes writes of its own pages, as JSON only', async () => {
      assert.equal((await put({ Origin: fixture.url, ...JSON_TYPE })).status, 200)
      assert.equal((await put({ 'Sec-Fetch-Site': 'same-origin', ...JSON_TYPE })).status, 200)
      assertRefused(await put({ Origin: fixture.url, 'Content-Type': 'text/plain' }), ...NOT_JSON)
    })

    test('refuses every write and every claim of other pages, and does nothing for them', async () => {
      const marks: readonly Readonly<Record<string, string>>[] = [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site' },
      ]
      const calls = [
        ['POST', '/api/api-keys'],
        ['POST', '/api/api-keys/0123456789abcdef/revoke'],
        ['POST', '/api/invoices'],
        ['PUT', '/api/users/victim/webhook'],
        ['DELETE', '/api/users/victim/webhook'],
        ['POST', '/api/users/victim/webhook/deliveries/0/redeliver'],
        ['GET', '/api/wallets/claim/sep/eth'],
        ['GET', '/api/wallets/cl%61im/niles/trx'],
        ['POST', '/sandbox/deposits'],
        ['POST', '/internal/events'],
      ] as const
      for (const headers of marks) {
        for (const [method, path] of calls) {
          const body = method === 'GET' ? {} : { body: { callbackUrl: 'https://evil.example/' } }
          assertRefused(
            await fixture.call(method, path, { headers: { ...headers, ...JSON_TYPE }, ...body }),
            ...CROSS_SITE,
          )
        }
      }
      assert.equal((await fixture.get('/api/users/victim/webhook')).json.secret, null)
    })

    test('lets other pages read, and use the simulated ledger, as a real one does', async () => {
      const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
      assert.equal((await fixture.call('GET', '/api/users/shop/wallets', { headers: foreign })).status, 200)
      const answer = await fixture.call('POST', '/sandbox/ledger/', { headers: foreign, body: {} })
      assert.equal(answer.status, 500, answer.text)
    })

    test('is known by the names of loopback only', async () => {
      const { port } = new URL(fixture.url)
      for (const path of ['/api/users/shop/webhook', '/healthz', '/nothing']) {
        const usual = path === '/nothing' ? 404 : 200
        for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost']) {
          assert.equal(await statusFor(fixture.url, path, host), usual, host)
        }
        for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`]) {
          assert.equal(await statusFor(fixture.url, path, host), 421, host)
        }
      }
    })

    test('is known by the name of its public URL too, where it has one', async () => {
      assert.equal(await statusFor(secondary.url, '/healthz', 'pay.example'), 200)
      assert.equal(await statusFor(secondary.url, '/healthz', 'localhost:1'), 200)
      assert.equal(await statusFor(secondary.url, '/healthz', 'evil.example'), 421)
    })

    test('with a public URL, only pages there are its own', async () => {
      const put = (origin: string) =>
        secondary.call('PUT', '/api/users/shop/webhook', {
          body: { callbackUrl: 'https://shop.example/' },
          headers: { Origin: origin, ...JSON_TYPE },
        })
      assert.equal((await put('https://pay.example')).status, 200)
      assertRefused(await put(secondary.url), ...CROSS_SITE)
    })
  })
}

test('pages of a CORS origin may write; what refuses others tells them so', async (t) => {
  const fixture = await ServiceFixture.start({ BILLHOOK_CORS_ORIGINS: 'https://shop.example' })
  t.after(() => fixture.stop())
  const headers = { Origin: 'https://shop.example', 'Sec-Fetch-Site': 'cross-site' }
  const put = (more: Readonly<Record<string, string>>) =>
    fixture.call('PUT', '/api/users/shop/webhook', { body: { callbackUrl: 'https://shop.example/' }, headers: more })
  assert.equal((await put({ ...headers, ...JSON_TYPE })).status, 200)
  const refused = await put({ ...headers, 'Content-Type': 'text/plain' })
  assertRefused(refused, ...NOT_JSON)
  assert.equal(refused.headers.get('access-control-allow-origin'), 'https://shop.example')
  assert.match(refused.headers.get('access-control-expose-headers') ?? '', /X-Request-Id/)
})

test('pages of a CORS origin may use a sandbox; its ledger node answers every page', async (t) => {
  const fixture = await ServiceFixture.start({
    BILLHOOK_CORS_ORIGINS: 'https://shop.example',
    BILLHOOK_SANDBOX: 'on',
  })
  t.after(() => fixture.stop())
  const readerOf = async (method: string, path: string, origin: string) => {
    const { headers } = await fixture.call(method, path, { headers: { Origin: origin, ...JSON_TYPE } })
    return headers.get('access-control-allow-origin')
  }
  for (const path of ['/sandbox', '/sandbox/deposits', '/api/users/shop/wallets']) {
    assert.equal(await readerOf('GET', path, 'https://shop.example'), 'https://shop.example', path)
    assert.equal(await readerOf('GET', path, 'https://evil.example'), null, path)
  }
  for (const path of ['/', '/sandboxes', '/healthz', '/pay/x', '/internal/events']) {
    assert.equal(await readerOf('GET', path, 'https://shop.example'), null, path)
  }
  assert.equal(await readerOf('POST', '/sandbox/ledger/', 'https://evil.example'), '*')
  const preflight = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' }
  const allowed = await fixture.call('OPTIONS', '/sandbox/deposits', { headers: preflight })
  assert.match(allowed.headers.get('access-control-allow-methods') ?? '', /POST/)
})

test('a listener beyond loopback is known by any name', async (t) => {
  const fixture = await ServiceFixture.start({ BILLHOOK_HOST: '0.0.0.0' })
  t.after(() => fixture.stop())
  assert.equal(await statusFor(fixture.url, '/healthz', 'billhook.internal'), 200)
})

test('the listener of metrics on loopback is known by the names of loopback only', async (t) => {
  const fixture = await ServiceFixture.start({ BILLHOOK_METRICS_PORT: '0' })
  t.after(() => fixture.stop())
  const url = /http:\S+/.exec(fixture.service.banner.join('\n'))?.[0] ?? ''
  assert.equal(await statusFor(url, '', 'localhost'), 200)
  assert.equal(await statusFor(url, '', 'evil.example'), 421)
})
