import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

function umaskOf(pid: number | undefined): string | undefined {
  return /^Umask:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('what a service makes in a directory of others is for its user alone', async () => {
  const place = temporaryDirectory()
  try {
    const data = join(place.path, 'there')
    mkdirSync(data)
    chmodSync(data, 0o755)
    const service = await ServiceProcess.start(data, {}, ['--sandbox'], 'pipe')
    let log = ''
    service.child.stderr?.on('data', (text) => {
      log += text
    })
    const modes = readdirSync(data).map((name) => [name, modeOf(join(data, name))])
    const umask = process.platform === 'linux' ? umaskOf(service.child.pid) : '0077'
    await service.end('SIGTERM')
    assert.equal(umask, '0077')
    assert.ok(modes.length >= 4, JSON.stringify(modes))
    assert.deepEqual(
      modes,
      modes.map(([name]) => [name, '600']),
    )
    assert.match(log, /"directory":"[^"]+","mode":"755","msg":"other users can read or enter the data directory/)
    assert.equal(log.split('other users').length, 2)
  } finally {
    place.remove()
  }
})
