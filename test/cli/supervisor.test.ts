import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Supervisor, supervisorOf } from '../../src/cli/supervisor.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { ManagerSocket } from './manager-socket.js'

const POLL_MS = 5
const PATIENCE_MS = 30_000

function listening(manager: ManagerSocket, more: Record<string, string> = {}) {
  const warnings: unknown[] = []
  const log = { warn: (about: unknown) => warnings.push(about) }
  return { warnings, supervisor: supervisorOf({ NOTIFY_SOCKET: manager.address, ...more }, log) }
}

describe('a service manager', { skip: process.platform === 'linux' ? false : 'needs Linux' }, () => {
  for (const kind of ['path', 'abstract'] as const) {
    test(`hears every message at a socket with ${kind === 'path' ? 'a path' : 'an abstract name'}`, async (t) => {
      const manager = ManagerSocket.open(t, kind)
      const { supervisor, warnings } = listening(manager)
      const before = process.hrtime.bigint() / 1000n
      supervisor.ready()
      supervisor.reloading()
      supervisor.alive()
      supervisor.stopping()
      assert.equal(await manager.next(), 'READY=1')
      assert.equal(await manager.next(), 'RELOADING=1')
      const [, at = ''] = /^MONOTONIC_USEC=(\d+)$/.exec(await manager.next()) ?? []
      assert.ok(BigInt(at) >= before && BigInt(at) <= process.hrtime.bigint() / 1000n)
      assert.equal(await manager.next(), 'WATCHDOG=1')
      assert.equal(await manager.next(), 'STOPPING=1')
      assert.deepEqual(warnings, [])
    })
  }

  test('whose socket is gone, or of another kind, is warned about, and nothing else happens', async (t) => {
    const manager = ManagerSocket.open(t, 'path')
    const gone = listening(manager)
    manager.close()
    gone.supervisor.ready()
    const strange: unknown[] = []
    supervisorOf({ NOTIFY_SOCKET: 'vsock:2:9999' }, { warn: (about: unknown) => strange.push(about) }).ready()
    for (let waitedMs = 0; gone.warnings.length === 0 || strange.length === 0; waitedMs += POLL_MS) {
      assert.ok(waitedMs < PATIENCE_MS, 'nobody is warned')
      await pause(POLL_MS)
    }
    assert.match(JSON.stringify([strange]), /vsock/)
  })

  test('sets the patience of its watchdog, for the process that it names', async (t) => {
    const manager = ManagerSocket.open(t, 'path')
    const patienceOf = (environment: Record<string, string>): Supervisor['patienceMs'] =>
      listening(manager, environment).supervisor.patienceMs
    assert.equal(patienceOf({}), null)
    assert.equal(patienceOf({ WATCHDOG_USEC: '30000000' }), 30_000)
    assert.equal(patienceOf({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: String(process.pid) }), 30_000)
    assert.equal(patienceOf({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '1' }), null)
    assert.equal(patienceOf({ WATCHDOG_USEC: 'x' }), null)
  })

  test('hears from the service that it is ready, alive, reloaded and stopping', async (t) => {
    const manager = ManagerSocket.open(t, 'path')
    const data = temporaryDirectory()
    t.after(() => data.remove())
    const environment = { NOTIFY_SOCKET: manager.address, WATCHDOG_USEC: '200000' }
    const service = await ServiceProcess.start(data.path, environment)
    t.after(() => service.stop())
    const heard = async (wanted: string) => {
      let line = await manager.next()
      while (line === 'WATCHDOG=1' && wanted !== line) line = await manager.next()
      assert.match(line, new RegExp(`^${wanted}`))
    }
    await heard('READY=1')
    await heard('WATCHDOG=1')
    await heard('WATCHDOG=1')
    service.child.kill('SIGHUP')
    await heard('RELOADING=1')
    await heard('MONOTONIC_USEC=')
    await heard('READY=1')
    service.child.kill('SIGTERM')
    await heard('STOPPING=1')
  })
})
