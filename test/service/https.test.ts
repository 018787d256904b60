import assert from 'node:assert/strict'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type RequestOptions, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import type { CertificateFiles } from '../../src/http/certificate.js'
import { makeCertificate } from '../support/certificates.js'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const RELOADS = 10
/** Clients of each kind: those that keep their connection, and those that open one for each request. */
const CLIENTS = 4

const place = temporaryDirectory()
after(() => place.remove())
const [first, second] = ['first', 'second'].map((name) => makeCertificate(place.path, name))
assert.ok(first && second)
const inUse: CertificateFiles = { certificate: join(place.path, 'crt'), key: join(place.path, 'key') }
const SETTINGS = { BILLHOOK_TLS_CERT: inUse.certificate, BILLHOOK_TLS_KEY: inUse.key }

function put({ certificate, key }: CertificateFiles): void {
  copyFileSync(certificate, inUse.certificate)
  copyFileSync(key, inUse.key)
}

interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  /** The subject of the server's certificate; undefined if the TLS session was an earlier one. */
  readonly subject: string | undefined
}

function get(url: string, options: RequestOptions = {}): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false, ...options }, (answer) => {
      const { subject } = (answer.socket as TLSSocket).getPeerCertificate()
      const { statusCode = 0, headers } = answer
      text(answer).then((body) => resolve({ status: statusCode, headers, body, subject: String(subject?.CN) }), reject)
    })
    sent.on('error', reject).end()
  })
}

for (const engine of HTTP_ENGINES) {
  describe(`a service with a certificate (${engine})`, { timeout: 60_000 }, () => {
    test('reloads it under load without a failed request', async () => {
      put(first)
      const data = temporaryDirectory()
      const service = await ServiceProcess.start(data.path, { ...SETTINGS, BILLHOOK_HTTP: engine })
      assert.match(service.url, /^https:/)
      let isOver = false
      const client = async (keepAlive: boolean) => {
        const agent = new Agent({ keepAlive, maxSockets: 1, maxCachedSessions: 0 })
        let answered = 0
        while (!isOver) {
          assert.equal((await get(`${service.url}/readyz`, { agent })).status, 200)
          answered += 1
        }
        agent.destroy()
        return answered
      }
      const clients = Array.from({ length: 2 * CLIENTS }, (_, n) => client(n % 2 === 0))
      for (let reloads = 0; reloads < RELOADS; reloads += 1) {
        const next = reloads % 2 === 0 ? 'second' : 'first'
        put(next === 'second' ? second : first)
        service.child.kill('SIGHUP')
        const agent = new Agent({ maxCachedSessions: 0 })
        while ((await get(`${service.url}/readyz`, { agent })).subject !== next);
      }
      isOver = true
      for (const answered of await Promise.all(clients)) assert.ok(answered > 0)
      assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
      data.remove()
    })

    test('keeps the present one, and says so, when the new one cannot be served', async () => {
      put(first)
      const data = temporaryDirectory()
      const service = await ServiceProcess.start(data.path, { ...SETTINGS, BILLHOOK_HTTP: engine }, [], 'pipe')
      copyFileSync(second.key, inUse.key)
      service.child.kill('SIGHUP')
      assert.ok(service.child.stderr)
      for await (const chunk of service.child.stderr) {
        const written = String(chunk)
        if (!written.includes('the certificate could not be renewed')) continue
        assert.match(written, /"level":"error".*does not belong to the first certificate/)
        break
      }
      assert.equal((await get(`${service.url}/healthz`)).subject, 'first')
      await service.end('SIGTERM')
      data.remove()
    })

    test('does not start with files that cannot be served, and says why in one line', async () => {
      const { certificate, key } = inUse
      for (const [damage, message] of [
        [() => rmSync(certificate), `cannot read the certificate ${certificate}: there is no such file`],
        [() => rmSync(key), `cannot read the key ${key}: there is no such file`],
        [() => writeFileSync(certificate, 'x'), `there is no PEM certificate in ${certificate}`],
        [() => writeFileSync(key, 'x'), `there is no PEM private key in ${key}`],
        [
          () => copyFileSync(second.key, key),
          `the key in ${key} does not belong to the first certificate in ${certificate}`,
        ],
      ] as const) {
        put(first)
        damage()
        await assert.rejects(ServiceFixture.start({ ...SETTINGS, BILLHOOK_HTTP: engine }), {
          name: 'OperatorError',
          message,
        })
      }
      put(makeCertificate(place.path, 'expired', { days: -1 }))
      const expired = { name: 'OperatorError', message: new RegExp(`^the certificate in ${certificate} expired at 20`) }
      await assert.rejects(ServiceFixture.start({ ...SETTINGS, BILLHOOK_HTTP: engine }), expired)
    })

    test('has browsers stay with HTTPS if its public URL has, on pages only', async () => {
      put(first)
      for (const [publicUrl, expected] of [
        ['https://localhost', 'max-age=31536000'],
        ['http://localhost', undefined],
      ] as const) {
        const environment = { ...SETTINGS, BILLHOOK_HTTP: engine, BILLHOOK_PUBLIC_URL: publicUrl }
        const fixture = await ServiceFixture.start(environment)
        const page = await get(`${fixture.url}/pay/x`)
        assert.equal(page.status, 404)
        assert.equal(page.headers['strict-transport-security'], expected)
        assert.equal((await get(`${fixture.url}/healthz`)).headers['strict-transport-security'], undefined)
        await fixture.stop()
      }
    })
  })
}
