import assert from 'node:assert/strict'
import { chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { command, inDirectory, serving } from './served.js'

const onlyRoot = process.geteuid?.() === 0 ? false : 'only root can give files away'
const USER = 54_321

/** An empty directory of that user. */
function directoryOfUser(place: string): string {
  const directory = join(place, 'data')
  mkdirSync(directory, { mode: 0o700 })
  chownSync(directory, USER, USER)
  return directory
}

/** The files of a directory that do not belong to the user. */
function strangersIn(directory: string): readonly string[] {
  return ['', ...readdirSync(directory)].filter((name) => {
    const { uid, gid } = statSync(join(directory, name))
    return uid !== USER || gid !== USER
  })
}

describe('root, in the data directory of another user', { skip: onlyRoot }, () => {
  test(
    'leaves nothing that belongs to root, whichever command it runs',
    inDirectory(async (place) => {
      const [first, backup, records] = [join(place, 'first'), join(place, 'backup'), join(place, 'records')]
      await (await openStoreAt(first)).close()
      writeFileSync(records, '')
      assert.equal((await command('backup', backup, '--data', first)).code, 0)
      const directory = directoryOfUser(place)
      for (const argv of [['restore', backup], ['check'], ['import', records]]) {
        for (const name of ['lock.mdb', 'billhook.lock']) rmSync(join(directory, name), { force: true })
        const { code, stderr } = await command(...argv, '--data', directory)
        assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`)
        assert.deepEqual(strangersIn(directory), [], argv.join(' '))
      }
    }),
  )

  test(
    'leaves nothing that belongs to root by a service that is killed',
    inDirectory(async (place) => {
      const directory = directoryOfUser(place)
      const { service } = await serving(directory, '--sandbox')
      service.kill('SIGKILL')
      await service.ended
      assert.ok(readdirSync(directory).includes('admin.sock'))
      assert.deepEqual(strangersIn(directory), [])
    }),
  )
})
