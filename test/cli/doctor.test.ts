import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { Finding } from '../../src/service/doctor/examination.js'
import { type Ended, startChild } from './child.js'
import { command, inDirectory, main } from './served.js'

/** How a proxy forwards the header that names clients. */
type Forwarding = (given: string, peer: string) => string

/** A proxy in front of what `target` answers; it lets `/healthz` pass, and nothing else that is internal. */
async function proxy(t: TestContext, forwarding: Forwarding): Promise<{ url: string; leadTo(url: string): void }> {
  let target = ''
  const server = createServer((received, answer) => {
    if (/^\/(readyz|internal|metrics)/.test(received.url ?? '')) {
      answer.writeHead(404).end()
      return
    }
    const forwarded = forwarding(String(received.headers['x-forwarded-for'] ?? ''), received.socket.remoteAddress ?? '')
    const headers = { ...received.headers, 'x-forwarded-for': forwarded }
    const sent = request(`${target}${received.url}`, { method: received.method ?? 'GET', headers })
    sent.on('response', (response: IncomingMessage) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    sent.on('error', () => answer.writeHead(502).end())
    received.pipe(sent)
  })
  return {
    url: await listening(t, server),
    leadTo: (url) => {
      target = url
    },
  }
}

async function listening(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function findings({ stdout }: Ended): readonly Finding[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function verdicts(ended: Ended, name: string): readonly string[] {
  return findings(ended)
    .filter((finding) => finding.name === name)
    .map(({ verdict }) => verdict)
}

/** What the doctor says of a service behind the proxy. */
async function examined(t: TestContext, directory: string, forwarding: Forwarding, trusted = ''): Promise<Ended> {
  const front = await proxy(t, forwarding)
  const service = startChild(main, ['serve', '--port', '0', '--data', directory], {
    BILLHOOK_PUBLIC_URL: front.url,
    BILLHOOK_TRUSTED_PROXIES: trusted,
    BILLHOOK_GATEWAY_SECRET: 'a secret of the gateway',
  })
  front.leadTo(/listening on (\S+)\n/.exec(await service.wrote('stdout', 'listening on '))?.[1] ?? '')
  const ended = await command('doctor', '--data', directory, '--json')
  service.kill('SIGTERM')
  await service.ended
  return ended
}

describe('the doctor', () => {
  test('examines this machine and the settings when no service runs, and leaves no trace', async () => {
    const ended = await startChild(main, ['doctor', '--data', '/nowhere/at/all', '--json'], {
      BILLHOOK_SEP_URLS: 'http://127.0.0.1:1',
      BILLHOOK_SEP_TOKEN: `0x${'00'.repeat(20)}`,
      BILLHOOK_LEDGER_URL: 'http://127.0.0.1:1',
    }).ended
    assert.deepEqual([ended.code, ended.stderr], [1, ''])
    assert.deepEqual(verdicts(ended, 'settings'), ['warning'])
    assert.deepEqual(verdicts(ended, 'SEP'), ['failed'])
    assert.deepEqual(verdicts(ended, 'TRX-NILE'), ['skipped'])
    assert.deepEqual(verdicts(ended, 'ledger'), ['failed'])
    assert.deepEqual(verdicts(ended, 'open files').length, 1)
    assert.deepEqual(verdicts(ended, 'flush').length, 1)
    assert.deepEqual(verdicts(ended, 'data'), ['warning'])
  })

  const rows: readonly [name: string, Forwarding, trusted: string, verdict: string, text: RegExp][] = [
    ['appends', (given, peer) => `${given}, ${peer}`, '127.0.0.1/32', 'ok', /clients are told apart/],
    ['replaces', (_, peer) => peer, '127.0.0.1/32', 'ok', /clients are told apart/],
    ['passes what clients write', (given) => given, '127.0.0.1/32', 'failed', /choose the address/],
    ['is not trusted', (given, peer) => `${given}, ${peer}`, '', 'warning', /count as one/],
  ]
  for (const [name, forwarding, trusted, verdict, text] of rows) {
    test(`sees how a proxy forwards addresses that ${name}`, async (t) => {
      await inDirectory(async (directory) => {
        const ended = await examined(t, directory, forwarding, trusted)
        const finding = findings(ended).find((one) => one.name === 'public URL')
        assert.equal(finding?.verdict, verdict, finding?.text)
        assert.match(finding?.text ?? '', text)
        assert.equal(ended.code, verdict === 'failed' ? 1 : 0)
      })()
    })
  }

  test('sees what a proxy lets through that should stay inside', async (t) => {
    await inDirectory(async (directory) => {
      const ended = await examined(t, directory, (_, peer) => peer, '127.0.0.1/32')
      const texts = findings(ended).filter((one) => one.name === 'proxy')
      assert.deepEqual(
        texts.map((one) => one.text),
        ['/healthz can be reached from outside.'],
      )
    })()
  })

  test('sees that the public URL leads somewhere else', async (t) => {
    await inDirectory(async (directory) => {
      const other = await listening(
        t,
        createServer((_, answer) => answer.end('{}')),
      )
      const service = startChild(main, ['serve', '--port', '0', '--data', directory], { BILLHOOK_PUBLIC_URL: other })
      await service.wrote('stdout', 'listening on ')
      const ended = await command('doctor', '--data', directory)
      assert.equal(ended.code, 1)
      assert.match(ended.stdout, /^FAILED {2}public URL: \S+ answers 200, but the request did not come here\. /m)
      service.kill('SIGTERM')
      await service.ended
    })()
  })
})
