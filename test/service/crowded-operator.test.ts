import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { command } from '../cli/served.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/** More than either of the operator's listeners holds. */
const MANY = 40

type Where = { readonly path: string } | { readonly host: string; readonly port: number }

async function openIdle(where: Where): Promise<Socket> {
  const socket = connect(where)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

describe('an operator gets in while idle clients hold', () => {
  const cases: readonly {
    readonly what: string
    readonly where: (directory: string, metricsUrl: string) => Where
    readonly works: (directory: string, metricsUrl: string) => Promise<void>
  }[] = [
    {
      what: 'admin.sock',
      where: (directory) => ({ path: join(directory, 'admin.sock') }),
      works: async (directory) => {
        const { code, stderr } = await command('status', '--ready', '--data', directory)
        assert.deepEqual([code, stderr], [0, ''])
      },
    },
    {
      what: 'the listener of console and metrics',
      where: (_, metricsUrl) => ({ host: '127.0.0.1', port: Number(new URL(metricsUrl).port) }),
      works: async (_, metricsUrl) => {
        for (const path of ['/metrics', '/console']) {
          const answer = await fetch(new URL(path, metricsUrl), { headers: { connection: 'close' } })
          await answer.text()
          assert.equal(answer.status, 200, path)
        }
      },
    },
  ]
  for (const { what, where, works } of cases) {
    test(what, async () => {
      const place = temporaryDirectory()
      const service = await ServiceProcess.start(place.path, { BILLHOOK_METRICS_PORT: '0' })
      const sockets: Socket[] = []
      try {
        const metricsUrl = service.metricsUrl ?? assert.fail('there are no metrics')
        for (let n = 0; n < MANY; n += 1) sockets.push(await openIdle(where(place.path, metricsUrl)))
        for (let n = 0; n < 3; n += 1) await works(place.path, metricsUrl)
      } finally {
        for (const socket of sockets) socket.destroy()
        await service.stop()
        place.remove()
      }
    })
  }
})
