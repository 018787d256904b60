import assert from 'node:assert/strict'
import { chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startChild } from './child.js'
import { command, inDirectory, main, serving } from './served.js'

const onlyRoot = process.geteuid?.() === 0 ? false : 'only root can give files away'
const USER = 54_321

/** The files of a directory that do not belong to its user. */
function strangersIn(directory: string): readonly string[] {
  return ['', ...readdirSync(directory)].filter((name) => {
    const { uid, gid } = statSync(join(directory, name))
    return uid !== USER || gid !== USER
  })
}

/** A directory of the user, without what programs make anew. */
function clear(directory: string): void {
  for (const name of ['lock.mdb', 'billhook.lock', 'native-errors.log']) rmSync(join(directory, name), { force: true })
}

describe('root, in the data directory of another user', { skip: onlyRoot }, () => {
  test(
    'leaves nothing that belongs to root, whichever command it runs',
    inDirectory(async (place) => {
      const [first, backup, directory, records] = ['first', 'backup', 'data', 'records'].map((name) =>
        join(place, name),
      ) as [string, string, string, string]
      const { service } = await serving(first)
      service.kill('SIGTERM')
      await service.ended
      assert.equal((await command('backup', backup, '--data', first)).code, 0)
      mkdirSync(directory, { mode: 0o700 })
      chownSync(directory, USER, USER)
      assert.equal((await command('restore', backup, '--data', directory)).code, 0)
      assert.deepEqual(strangersIn(directory), [])
      writeFileSync(records, '')
      for (const argv of [
        ['check'],
        ['status'],
        ['backup', join(place, 'another')],
        ['export', 'wallets'],
        ['import', records],
        ['wallets', 'import', records],
        ['keys', 'list'],
        ['deliveries', 'list'],
        ['migrate', '--check'],
        ['migrate'],
        ['webhook', 'get', '--owner', 'alice'],
      ]) {
        clear(directory)
        const { code, stderr } = await command(...argv, '--data', directory)
        assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
        assert.deepEqual(strangersIn(directory), [], argv.join(' '))
      }
    }),
  )

  test(
    'leaves a service of root, too, and a command that is killed, nothing that belongs to root',
    inDirectory(async (place) => {
      const directory = join(place, 'data')
      mkdirSync(directory, { mode: 0o700 })
      chownSync(directory, USER, USER)
      const { service } = await serving(directory, '--sandbox')
      service.kill('SIGKILL')
      await service.ended
      assert.ok(readdirSync(directory).includes('admin.sock'))
      assert.deepEqual(strangersIn(directory), [])
    }),
  )

  test(
    'moves data into it, which belongs to the user then',
    inDirectory(async (place) => {
      const [first, directory] = [join(place, 'first'), join(place, 'data')]
      const { service } = await serving(first)
      service.kill('SIGTERM')
      await service.ended
      mkdirSync(directory, { mode: 0o700 })
      chownSync(directory, USER, USER)
      const moved = startChild(main, ['migrate', '--from', `lmdb:${first}`, '--to', `lmdb:${directory}`])
      assert.deepEqual([(await moved.ended).code, strangersIn(directory)], [0, []])
    }),
  )
})
