import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { request } from 'undici'
import { answers } from '../../src/cli/served-data.js'
import { socketFetch } from '../../src/cli/socket-fetch.js'
import { validAddress } from '../support/valid-address.js'
import { command, inDirectory, serving } from './served.js'

/** Invoices of the longest texts, as lines to import. */
function longInvoices(count: number): string {
  const wallet = { id: 'w', network: 'TRX-NILE', address: validAddress('TRX-NILE', 'w'), owner: 'alice' }
  const invoices = Array.from({ length: count }, (_, at) => ({
    ...{ id: at.toString(16).padStart(32, '0'), owner: 'alice', wallet_id: 'w', wallet_ids: 'w', name: 'n' },
    ...{ description: '💩'.repeat(500), reference: `r${at}`, amount: `1.${at + 1}`, currency: 'USDT' },
    ...{ callback_url: null, created_at: 1_700_000_000_000 + at },
  }))
  return [wallet, ...invoices].map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** The status of an export of which no more is read than its beginning. */
async function statusOfUnread(socketPath: string): Promise<string> {
  const socket = connect(socketPath)
  socket.write('GET /admin/records/invoices HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  return head.toString('latin1').split(' ')[1] ?? ''
}

describe('a command on a data directory', () => {
  test(
    'reaches the service that runs on it, and the directory itself when none does',
    inDirectory(async (directory) => {
      const { service, url } = await serving(directory, '--sandbox')
      const socket = join(directory, 'admin.sock')
      assert.equal(statSync(socket).mode & 0o777, 0o600)
      const running = await command('status', '--data', directory, '--json')
      assert.deepEqual([running.code, running.stderr], [0, ''])
      const status = JSON.parse(running.stdout)
      assert.deepEqual([status.url, status.sandbox, status.wallets.SEP.claimable], [url, true, 100])

      service.kill('SIGTERM')
      assert.equal((await service.ended).code, 0)
      assert.equal(existsSync(socket), false)
      const stopped = await command('status', '--data', directory, '--json')
      assert.deepEqual([stopped.code, stopped.stderr], [0, ''])
      assert.deepEqual(JSON.parse(stopped.stdout).url, null)
      assert.equal(existsSync(socket), false)
    }),
  )

  test(
    'tells a health check whether the service is ready, and leaves the directory to a service that starts',
    inDirectory(async (directory) => {
      const ask = () => command('status', '--ready', '--json', '--data', directory)
      const empty = await ask()
      assert.deepEqual([empty.code, empty.stdout], [1, ''])
      assert.match(JSON.parse(empty.stderr).error, /^no service runs on the data directory /)

      const { service } = await serving(directory, '--sandbox')
      const ready = await ask()
      assert.deepEqual([ready.code, JSON.parse(ready.stdout).condition, ready.stderr], [0, 'ready', ''])
      service.kill('SIGTERM')
      await service.ended
      const before = readFileSync(join(directory, 'data.mdb'))
      assert.equal((await ask()).code, 1)
      assert.deepEqual(readFileSync(join(directory, 'data.mdb')), before)
      assert.equal(JSON.parse((await command('status', '--json', '--data', directory)).stdout).condition, null)
    }),
  )

  test(
    'is not misled by the socket that a killed service left behind',
    inDirectory(async (directory) => {
      const { service } = await serving(directory, '--sandbox')
      service.kill('SIGKILL')
      await service.ended
      assert.equal(existsSync(join(directory, 'admin.sock')), true)
      assert.equal(JSON.parse((await command('status', '--data', directory, '--json')).stdout).url, null)
      const again = await serving(directory, '--sandbox')
      assert.equal(JSON.parse((await command('status', '--data', directory, '--json')).stdout).url, again.url)
      again.service.kill('SIGTERM')
      await again.service.ended
    }),
  )

  test(
    'works in a directory whose path is longer than that of a socket may be',
    inDirectory(async (directory) => {
      const deep = join(directory, 'a'.repeat(60), 'b'.repeat(60), 'c'.repeat(60))
      const { service, url } = await serving(deep, '--sandbox')
      const { stdout } = await command('status', '--data', deep, '--json')
      assert.equal(JSON.parse(stdout).url, url)
      service.kill('SIGTERM')
      assert.equal((await service.ended).code, 0)
    }),
  )

  test(
    'fails with a line on a directory without data, and leaves no trace there',
    inDirectory(async (directory) => {
      const { code, stdout, stderr } = await command('status', '--data', join(directory, 'nothing'))
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, /^billhook: the data directory \S+ holds no data; name the right one with --data\n$/)
      assert.equal(existsSync(join(directory, 'nothing')), false)
    }),
  )

  test(
    'fails with a line when something else is at the place of the socket',
    inDirectory(async (directory) => {
      writeFileSync(join(directory, 'data.mdb'), 'no database')
      const { code, stderr } = await command('status', '--data', directory, '--json')
      assert.equal(code, 1)
      assert.match(JSON.parse(stderr).error, /holds a damaged or foreign database/)
    }),
  )

  test(
    'fails when what listens there ends the connection without an answer',
    inDirectory(async (directory) => {
      const server = createServer((socket) => socket.end())
      await new Promise<void>((resolve) => server.listen(join(directory, 'admin.sock'), resolve))
      const { code, stderr } = await command('status', '--data', directory)
      server.close()
      assert.equal(code, 1)
      assert.match(stderr, /^billhook: \S+admin\.sock cannot be opened: /)
    }),
  )
})

describe('admin.sock', () => {
  test(
    'has room for a health check while exports whose readers have stopped hold all that long work may',
    inDirectory(async (directory) => {
      // Enough that no buffer of the kernel takes an export whole.
      const file = join(directory, 'invoices.ndjson')
      writeFileSync(file, longInvoices(1000))
      const data = join(directory, 'data')
      mkdirSync(data, { mode: 0o700 })
      assert.equal((await command('import', file, '--data', data)).code, 0)
      const { service } = await serving(data)
      const socket = join(data, 'admin.sock')
      const statuses: string[] = []
      for (let asked = 0; asked < 12; asked += 1) statuses.push(await statusOfUnread(socket))
      assert.deepEqual(statuses, [...Array(8).fill('200'), ...Array(4).fill('503')])
      const { code, stderr } = await command('status', '--ready', '--data', data)
      assert.deepEqual([code, stderr], [0, ''])
      service.kill('SIGTERM')
      await service.ended
    }),
  )

  test(
    'is held by a command only while a request is under way',
    inDirectory(async (directory) => {
      const path = join(directory, 'admin.sock')
      const asked: (string | undefined)[] = []
      const server = createHttpServer((request, response) => {
        asked.push(request.headers.connection)
        response.end('{}')
      })
      await new Promise<void>((resolve) => server.listen(path, resolve))
      assert.equal(await answers(path), true)
      await (await socketFetch(path, {})('http://localhost/admin/status')).text()
      assert.deepEqual(asked, ['close', 'close'])
      server.close()
    }),
  )
})

describe('the endpoints of admin.sock', () => {
  test(
    'do not exist on the port of the service',
    inDirectory(async (directory) => {
      const { service, url } = await serving(directory, '--sandbox')
      for (const path of ['/admin/status', '/admin/status/', '//admin/status', '/%61dmin/status', '/admin']) {
        const { statusCode, body } = await request(`${url}${path}`)
        await body.dump()
        assert.equal(statusCode, 404, path)
      }
      service.kill('SIGTERM')
      await service.ended
    }),
  )
})
