import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { appHandlers } from '../../../src/http/routes/app.js'
import type { Answer, Request } from '../../../src/http/server.js'
import { HTTP_ENGINES } from '../../support/http-engines.js'
import { ServiceFixture } from '../../support/service-fixture.js'

/** gzip'd, of all files together. What a phone has to load; the thread of the keys and the QR codes come later. */
const SIZE_MAX_BYTES = 150_000

const NODES = ['https://ledger.example:5260/node', 'https://ledger.example:5260/other', 'http://10.1.0.1:5260']

const routes = appHandlers({ isOn: true, ledgerNodes: () => NODES })

/** The answer of the handlers themselves, as the router hands a request on. */
function ask(path: string, headers: Readonly<Record<string, string>> = {}): Answer | Promise<Answer> {
  const request: Request = {
    method: 'GET',
    path,
    query: '',
    header: (name) => headers[name],
    requestId: 'request',
    remoteAddress: () => '127.0.0.1',
    body: Buffer.alloc(0),
    aborted: false,
  }
  if (path === '/app') return routes['GET /app'](request, {}, null)
  return routes['GET /app/:file'](request, { file: decodeURIComponent(path.slice('/app/'.length)) }, null)
}

/** The directives of a policy by name. */
function policyOf(headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const policy = headers['Content-Security-Policy'] ?? ''
  return new Map(policy.split('; ').map((directive) => [directive.split(' ')[0] ?? '', directive]))
}

async function page(): Promise<string> {
  return String((await ask('/app')).body)
}

async function filesOf(text: string): Promise<readonly string[]> {
  const named = [...text.matchAll(/"app\/([^"]+)"/g)].map(([, name = '']) => name)
  const scripts = await Promise.all(named.filter((name) => name.endsWith('.js')).map((name) => ask(`/app/${name}`)))
  const loaded = scripts.flatMap(({ body }) => [...String(body).matchAll(/["'`/]([\w-]+-[A-Z0-9]{8}\.js)/g)])
  return [...new Set([...named, ...loaded.map(([, name = '']) => name)])]
}

describe('GET /app', () => {
  test('is a page without a script or a style of its own', async () => {
    const text = await page()
    assert.match(text, /<script type="module" src="app\/main-\w+\.js">\s*<\/script>/)
    assert.doesNotMatch(text, /<script(?! type="module" src=)|<style|\son\w+=|\sstyle=/)
  })

  test('may run files of this service, connect to it and to the nodes of its ledger, and is framed by nobody', async () => {
    const { headers } = await ask('/app')
    const policy = policyOf(headers)
    assert.deepEqual([...policy.values()].sort(), [
      "base-uri 'none'",
      "connect-src 'self' https://ledger.example:5260 http://10.1.0.1:5260",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
      'trusted-types billhook-keys',
      "worker-src 'self'",
    ])
    assert.deepEqual([headers['X-Frame-Options'], headers['Referrer-Policy']], ['DENY', 'no-referrer'])
  })

  test('has files that caches keep for ever, and is asked for each time itself', async () => {
    const own = await ask('/app')
    assert.equal(own.headers['Cache-Control'], 'public, no-cache')
    const again = await ask('/app', { 'if-none-match': own.headers['ETag'] ?? '' })
    assert.equal(again.status, 304)
    const files = await filesOf(await page())
    assert.ok(files.length >= 4, files.join())
    for (const name of files) {
      const { status, headers } = await ask(`/app/${name}`)
      assert.deepEqual([status, headers['Cache-Control']], [200, 'public, max-age=31536000, immutable'], name)
    }
  })

  test('lets the thread of the keys connect to nothing, and load nothing', async () => {
    const name = (await filesOf(await page())).find((file) => file.startsWith('keys-')) ?? assert.fail('no thread')
    const { headers } = await ask(`/app/${name}`)
    const policy = policyOf(headers)
    assert.equal(policy.get('default-src'), "default-src 'none'")
    for (const directive of ['connect-src', 'script-src', 'worker-src']) assert.equal(policy.has(directive), false)
  })

  test('is small', async () => {
    const files = await filesOf(await page())
    const answers = await Promise.all(files.map((name) => ask(`/app/${name}`, { 'accept-encoding': 'gzip' })))
    const bytes = answers.map(({ headers, body }, index) => {
      assert.equal(headers['Content-Encoding'], 'gzip', files[index])
      return (body as Buffer).length
    })
    const all = bytes.reduce((sum, size) => sum + size, 0)
    assert.ok(all > 10_000 && all <= SIZE_MAX_BYTES, `${all} bytes`)
  })

  test('passes on the licences of what is in it', async () => {
    const { status, headers, body } = await ask('/app/licences.txt')
    assert.deepEqual([status, headers['Cache-Control']], [200, 'public, no-cache'])
    for (const name of ['preact', '@preact/signals', '@noble/secp256k1', 'qr']) {
      assert.ok(String(body).includes(`${name}\n\n`), name)
    }
  })

  test('has no other files', async () => {
    for (const name of ['index.html', 'files.json', '..%2ffiles.json', '%00', '__proto__']) {
      assert.equal((await ask(`/app/${name}`)).status, 404, name)
    }
  })

  for (const engine of HTTP_ENGINES) {
    test(`is open to everybody, in strict mode too, and is not there with BILLHOOK_APP=off (${engine})`, async () => {
      const settings = { BILLHOOK_HTTP: engine, BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: 'identity' }
      for (const [app, expected] of [
        ['on', 200],
        ['off', 404],
      ] as const) {
        const service = await ServiceFixture.start({ ...settings, BILLHOOK_APP: app })
        try {
          const { status, text } = await service.get('/app?utm_source=mail')
          assert.equal(status, expected)
          for (const name of await filesOf(await page())) {
            assert.equal((await service.get(`/app/${name}`)).status, expected, name)
          }
          assert.equal(text.includes('<script'), app === 'on')
        } finally {
          await service.stop()
        }
      }
    })
  }
})
