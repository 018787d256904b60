import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { endChild } from '../support/child-process.js'
import { freePort } from '../support/free-port.js'
import { missingPrograms } from '../support/programs.js'
import { projectRoot } from '../support/project-root.js'
import { replaced } from '../support/replaced.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const WAIT_MS = 20_000
const ASK_AGAIN_MS = 50
const REQUESTS = 20

/** Answers with its name, and at `/readyz` as it is told to: it can answer requests while it says that it cannot. */
async function standIn(t: TestContext, name: string) {
  const state = { isReady: true, port: 0 }
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/readyz' && !state.isReady ? 503 : 200
    response.end(name)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  state.port = (server.address() as AddressInfo).port
  return state
}

test('the proxy of the cluster sends requests to the services that are ready, and nothing internal', {
  skip: missingPrograms('haproxy'),
}, async (t) => {
  const [first, second] = [await standIn(t, 'first'), await standIn(t, 'second')]
  const place = temporaryDirectory()
  t.after(() => place.remove())
  const port = await freePort()
  let text = readFileSync(join(projectRoot, 'deploy/cluster/haproxy.cfg'), 'utf8')
  text = replaced(text, 'bind :8080\n', `bind 127.0.0.1:${port}\n`, 1)
  text = replaced(text, '10.0.0.31:8080', `127.0.0.1:${first.port}`, 1)
  text = replaced(text, '10.0.0.32:8080', `127.0.0.1:${second.port}`, 1)
  text = replaced(text, 'maxconn 10000', 'maxconn 100', 1)
  const configuration = join(place.path, 'haproxy.cfg')
  writeFileSync(configuration, text)
  const proxy = spawn('haproxy', ['-db', '-f', configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  proxy.once('error', (error) => {
    said += error.message
  })
  proxy.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  t.after(() => endChild(proxy))
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  /** Who answers some requests; empty while the proxy does not. */
  const answering = async () => {
    const names = new Set<string>()
    for (let n = 0; n < REQUESTS; n += 1) {
      const response = await get('/api/x').catch(() => null)
      if (response === null) continue
      const body = await response.text()
      names.add(response.status === 200 ? body : String(response.status))
    }
    return [...names].sort()
  }
  const untilAnswering = async (wanted: readonly string[]) => {
    const limit = performance.now() + WAIT_MS
    for (;;) {
      const names = await answering()
      if (names.join() === wanted.join()) return
      assert.ok(proxy.exitCode === null && performance.now() < limit, `${names} answered, not ${wanted}: ${said}`)
      await setTimeout(ASK_AGAIN_MS)
    }
  }
  await untilAnswering(['first', 'second'])
  second.isReady = false
  await untilAnswering(['first'])
  second.isReady = true
  first.isReady = false
  await untilAnswering(['second'])
  second.isReady = false
  await untilAnswering(['503'])
  for (const path of ['/readyz', '/internal/events', '/metrics', '/console', '/%61pi/x']) {
    assert.equal((await get(path)).status, 404, path)
  }
})
