import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { referenceHandlers } from '../../../src/http/routes/reference.js'
import { chromiumFile, noBrowser } from '../../support/chromium.js'
import { HTTP_ENGINES } from '../../support/http-engines.js'
import { projectRoot } from '../../support/project-root.js'
import { ServiceFixture } from '../../support/service-fixture.js'
import { temporaryDirectory } from '../../support/temporary-directory.js'
import { callRoute } from './call-route.js'

describe('GET /openapi.json', () => {
  const routes = referenceHandlers({
    basePath: '/shop',
    networks: ['SEP', 'TRX-NILE', 'BNB'],
    currencies: ['native', 'USDT', 'DAI'],
  })
  const get = (tag?: string) =>
    callRoute(routes, 'GET', '/openapi.json', { headers: tag === undefined ? {} : { 'if-none-match': tag } })

  test('is a document that caches may keep, with a tag', async () => {
    const { status, headers, body } = await get()
    const { openapi, servers } = body as { openapi: string; servers: readonly { url: string }[] }
    assert.deepEqual([status, openapi, servers[0]?.url], [200, '3.1.0', '/shop'])
    assert.equal(headers['Cache-Control'], 'public, no-cache')
    assert.match(headers['ETag'] ?? '', /^"[\w-]{22}"$/)
  })

  test('is not sent again to a client that has it', async () => {
    const tag = (await get()).headers['ETag'] ?? ''
    for (const [sent, status] of [
      [tag, 304],
      [`W/${tag}`, 304],
      [`"other", ${tag}`, 304],
      ['*', 304],
      ['"other"', 200],
      [tag.slice(1, -1), 200],
      ['', 200],
    ] as const) {
      assert.equal((await get(sent)).status, status, sent)
    }
  })

  test('names the networks of the service where it names networks', async () => {
    const { body } = await get()
    const enums: string[] = []
    JSON.stringify(body, (name, value) => {
      if (name === 'enum' && Array.isArray(value) && value.includes('SEP')) enums.push(value.join())
      return value
    })
    assert.deepEqual([...new Set(enums)], ['SEP,TRX-NILE,BNB', 'SEP,TRX-NILE,BNB,'])
  })

  test('has another tag where its content differs', async () => {
    const other = await callRoute(
      referenceHandlers({ basePath: '', networks: [], currencies: [] }),
      'GET',
      '/openapi.json',
    )
    assert.notEqual(other.headers['ETag'], (await get()).headers['ETag'])
  })

  for (const engine of HTTP_ENGINES) {
    test(`is open to everybody, in strict mode too (${engine})`, async () => {
      const service = await ServiceFixture.start({
        BILLHOOK_HTTP: engine,
        BILLHOOK_STRICT: 'on',
        BILLHOOK_ONBOARDING_NAME: 'identity',
      })
      try {
        const reply = await service.get('/openapi.json')
        assert.equal(reply.status, 200)
        const tag = reply.headers.get('etag') ?? ''
        const again = await service.call('GET', '/openapi.json', { headers: { 'If-None-Match': tag } })
        assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', tag])
        const head = await service.call('HEAD', '/openapi.json')
        assert.deepEqual([head.status, head.text], [200, ''])
      } finally {
        await service.stop()
      }
    })
  }
})

describe('GET /docs', () => {
  let fixture: ServiceFixture
  before(async () => {
    fixture = await ServiceFixture.start()
  })
  after(() => fixture.stop())

  test('is a page that may use its own files only', async () => {
    const { status, headers, text } = await fixture.get('/docs')
    assert.equal(status, 200)
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
    assert.doesNotMatch(policy, /unsafe|http|\*/)
    const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
    for (const address of addresses.filter((one) => one !== 'data:,')) {
      assert.equal((await fixture.get(`/${address}`)).status, 200, address)
    }
  })

  test('sends files compressed to clients that take it, and the same content to others', async () => {
    const read = (encoding: string) => {
      const headers = { 'Accept-Encoding': encoding }
      return new Promise<{ encoding: string | undefined; tag: string | undefined; body: Buffer }>((resolve, reject) => {
        const sent = request(`${fixture.url}/docs/swagger-ui.css`, { headers }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () =>
            resolve({
              encoding: response.headers['content-encoding'],
              tag: response.headers.etag,
              body: Buffer.concat(chunks),
            }),
          )
        })
        sent.on('error', reject).end()
      })
    }
    const original = readFileSync(join(projectRoot, 'node_modules/swagger-ui-dist/swagger-ui.css'))
    for (const [accepted, isPacked] of [
      ['gzip', true],
      ['br, GZIP;q=0.5', true],
      ['deflate, gzip , br', true],
      ['', false],
      ['br', false],
      ['gzip;q=0', false],
      ['gzip;q=0.000, br', false],
      ['x-gzip', false],
    ] as const) {
      const { encoding, tag = '', body } = await read(accepted)
      assert.equal(encoding, isPacked ? 'gzip' : undefined, accepted)
      assert.equal(tag.startsWith('W/'), !isPacked, accepted)
      assert.ok((isPacked ? gunzipSync(body) : body).equals(original), accepted)
    }
  })

  test('has no other files', async () => {
    for (const name of ['package.json', '..%2fverify%2fkey-tables.wasm', 'LICENSE.gz', '%00', '__proto__']) {
      assert.equal((await fixture.get(`/docs/${name}`)).status, 404, name)
    }
  })

  test('shows every operation in a browser, which asks no other host and finds nothing against the policy', {
    skip: noBrowser,
  }, async () => {
    const place = temporaryDirectory()
    try {
      const log = join(place.path, 'net.json')
      const given = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${place.path}/profile`]
      const quiet = [
        '--disable-background-networking',
        '--disable-component-update',
        '--no-first-run',
        '--disable-sync',
      ]
      const alone = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']
      const seen = ['--enable-logging=stderr', `--log-net-log=${log}`, '--virtual-time-budget=20000', '--dump-dom']
      const { stdout, stderr } = await run(chromiumFile(), [
        ...given,
        ...quiet,
        ...alone,
        ...seen,
        `${fixture.url}/docs`,
      ])
      for (const path of ['/api/invoices', '/api/users/{id}/webhook', '/sandbox/deposits', '/docs/{file}']) {
        assert.ok(stdout.replaceAll('\u200b', '').includes(path), path)
      }
      assert.equal(stdout.split('class="opblock ').length - 1 >= 30, true, 'the operations')
      assert.deepEqual(
        stderr.split('\n').filter((line) => line.includes('CONSOLE')),
        [],
      )
      // Chromium itself asks its maker this and that; those requests have another initiator, and find no address.
      const asked = readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes(`"initiator":"${fixture.url}"`))
      assert.ok(asked.length >= 4, 'the files and the document')
      const byPage = asked.map((line) => /"url":"(\w+:\/\/[^/"]*)/.exec(line)?.[1])
      assert.deepEqual([...new Set(byPage)], [fixture.url])
    } finally {
      place.remove()
    }
  })
})

/** Runs a program to its end. */
function run(file: string, given: readonly string[]) {
  return new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile(file, given, { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    )
  })
}
