import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { RawConnection, requestText } from '../contract/raw-connection.js'
import { endChild, untilLine } from '../support/child-process.js'
import { HTTP_ENGINES } from '../support/http-engines.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const DESCRIPTORS = 256
const CROWD = 300

const main = new URL('../../src/main.js', import.meta.url).pathname

describe('a service with few descriptors', { skip: process.platform !== 'linux', timeout: 60_000 }, () => {
  for (const engine of HTTP_ENGINES) {
    test(`on ${engine} refuses a crowd, says so once, and answers others`, async (t) => {
      const place = temporaryDirectory()
      const command = `ulimit -n ${DESCRIPTORS}; exec "$@"`
      const args = [process.execPath, main, 'serve', '--port', '0', '--data', place.path]
      const child = spawn('sh', ['-c', command, 'sh', ...args], {
        env: { PATH: process.env['PATH'], BILLHOOK_HTTP: engine, BILLHOOK_LOG: 'warn', BILLHOOK_VERIFY_THREADS: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const crowd: Socket[] = []
      t.after(async () => {
        for (const socket of crowd) socket.destroy()
        await endChild(child)
        place.remove()
      })
      let log = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text
      })
      const port = Number(await untilLine(child, (line) => /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]))

      const settled: Promise<unknown>[] = []
      for (let n = 0; n < CROWD; n += 1) {
        const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % 2)}` })
        socket.on('error', () => undefined)
        crowd.push(socket)
        settled.push(Promise.race([once(socket, 'connect'), once(socket, 'close')]))
      }
      await Promise.all(settled)
      for (let n = 0; n < 3; n += 1) {
        const other = await RawConnection.open(port)
        other.send(requestText('GET', '/healthz').replace('Host: test', 'Host: localhost'))
        assert.equal((await other.answer()).status, 200)
        other.end()
      }
      assert.equal(log.split('the limit of open files leaves room').length - 1, 1, log)
      assert.equal(log.split('connections are refused').length - 1, 1, log)
      assert.doesNotMatch(log, /EMFILE/)
    })
  }
})
