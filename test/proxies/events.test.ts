import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { BEAT_MS } from '../../src/page/open-pages.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { HOST } from './certificate.js'
import { deployed, proxyNames } from './deployed.js'
import { engines } from './echo-server.js'
import { ProxyProcess } from './proxy-process.js'

const WALLET = { id: 's', address: '0xabcd000000000000000000000000000000000001', network: 'SEP' }
const PENDING = { network: 'SEP', txHash: '0x1', toAddress: WALLET.address, currency: 'Tether', amount: '1000000' }

/** More than a test takes, so that events which are held back fail it. */
const PATIENCE_MS = 30_000

/** What has arrived of a stream until it matches. */
async function arrives(stream: ClientHttp2Stream, pattern: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk
    if (pattern.test(text)) return text
  }
  assert.fail(`the stream ended after ${JSON.stringify(text)}`)
}

for (const name of proxyNames) {
  describe(`the events of a page through ${name}`, { skip: missingPrograms(name) }, async () => {
    test('are not cut between two signs of life', () => {
      const file = readFileSync(join(projectRoot, deployed[name].file), 'utf8')
      const limits = [...file.matchAll(/^\s*(?:proxy_read_timeout|timeout client|timeout server) +(\d+)s/gm)]
      assert.equal(limits.length, { nginx: 1, haproxy: 2, caddy: 0 }[name])
      for (const [line, seconds] of limits) assert.ok(Number(seconds) * 1000 > 1.2 * BEAT_MS, line)
    })

    for (const { name: engine } of await engines()) {
      test(`arrive when they happen, before ${engine}`, { timeout: PATIENCE_MS }, async (t) => {
        const fixture = await ServiceFixture.start({
          BILLHOOK_HTTP: engine === 'uws' ? 'uws' : 'node',
          BILLHOOK_PUBLIC_URL: `https://${HOST}`,
        })
        t.after(() => fixture.stop())
        await fixture.assign('shop', WALLET)
        const body = { owner: 'shop', walletIds: ['s'], name: 'Tea', amount: '1', currency: 'USDT' }
        const { json } = await fixture.post('/api/invoices', body)
        const proxy = await ProxyProcess.start({ name, upstreamPort: Number(new URL(fixture.url).port) })
        t.after(() => proxy.stop())
        const session: ClientHttp2Session = connect(`https://127.0.0.1:${proxy.httpsPort}`, {
          ca: proxy.certificate,
          servername: HOST,
        })
        t.after(() => session.destroy())
        const stream = session.request({ ':path': `/pay/${json.id}/events`, ':authority': HOST })
        stream.setEncoding('utf8')
        await arrives(stream, /event: changed\n/)
        await fixture.push({ id: '1', type: 'deposit.pending', deposit: { ...PENDING, receivedAt: Date.now() } })
        await arrives(stream, /event: changed\n/)
      })
    }
  })
}
