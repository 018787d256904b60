import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startChild } from './child.js'
import { command, inDirectory, main } from './served.js'

/** Starts a service, and answers what it wrote to its log until it listened or ended. */
async function start(directory: string, environment: Readonly<Record<string, string>> = {}) {
  const service = startChild(main, ['serve', '--port', '0', '--data', directory], {
    BILLHOOK_LOG: 'warn',
    ...environment,
  })
  await service.wrote('stdout', 'listening on ').catch(() => {})
  service.kill('SIGTERM')
  const { code, stderr } = await service.ended
  return { code, stderr }
}

async function identityOf(directory: string) {
  const { stdout } = await command('status', '--json', '--data', directory)
  const { store_id: id, store_born_at: bornAt } = JSON.parse(stdout)
  return { id, bornAt }
}

describe('a store', () => {
  test(
    'is created with a line at warn, which names its place and its id, and not again',
    inDirectory(async (place) => {
      const directory = join(place, 'data')
      const first = await start(directory)
      const { id, bornAt } = await identityOf(directory)
      assert.equal(first.code, 0)
      const lines = first.stderr.split('\n').filter((line) => line.includes('new, empty store'))
      assert.equal(lines.length, 1)
      const { level, msg, id: logged } = JSON.parse(lines[0] ?? '')
      assert.deepEqual(
        [level, msg, logged],
        ['warn', `a new, empty store was created in the data directory ${directory}`, id],
      )
      assert.ok(bornAt <= Date.now())
      const again = await start(directory)
      assert.equal(again.code, 0)
      assert.ok(!again.stderr.includes('new, empty store'))
      const shown = await command('status', '--data', directory)
      assert.ok(shown.stdout.includes(`\nStore ${id}, created ${new Date(bornAt).toISOString()}\n`), shown.stdout)
      assert.deepEqual(await identityOf(directory), { id, bornAt })
    }),
  )

  test(
    'is not created with BILLHOOK_CREATE=off, and nothing is left behind; one that is there is opened',
    inDirectory(async (place) => {
      const off = { BILLHOOK_CREATE: 'off' }
      const [missing, empty] = [join(place, 'missing'), join(place, 'empty')]
      mkdirSync(empty)
      for (const directory of [missing, empty]) {
        const { code, stderr } = await start(directory, off)
        assert.equal(code, 1)
        assert.match(
          stderr,
          /^billhook: the data directory \S+ holds no data: see that it is the right one and that its volume is mounted; BILLHOOK_CREATE=on lets a new store begin there\n$/,
        )
      }
      assert.deepEqual([existsSync(missing), readdirSync(empty)], [false, []])
      const records = join(place, 'records')
      writeFileSync(records, '')
      const imported = await startChild(main, ['import', records, '--data', empty], off).ended
      assert.equal(imported.code, 1)
      assert.match(imported.stderr, /holds no data/)
      assert.deepEqual(readdirSync(empty), [])
      assert.equal((await start(empty)).code, 0)
      const opened = await start(empty, off)
      assert.deepEqual(opened, { code: 0, stderr: opened.stderr })
      assert.ok(!opened.stderr.includes('new, empty store'))
    }),
  )

  test(
    'is created with a line by an import into an empty directory, too',
    inDirectory(async (place) => {
      const [directory, records] = [join(place, 'data'), join(place, 'records')]
      mkdirSync(directory)
      writeFileSync(records, '')
      const { code, stderr } = await command('import', records, '--data', directory)
      assert.equal(code, 0)
      assert.match(stderr, /"level":"warn".*a new, empty store was created in the data directory/)
    }),
  )

  test(
    'is refused when its data.mdb has lost its contents',
    inDirectory(async (place) => {
      writeFileSync(join(place, 'data.mdb'), '')
      for (const argv of [['serve', '--port', '0'], ['status'], ['check'], ['migrate']]) {
        const { code, stderr } = await startChild(main, [...argv, '--data', place], { BILLHOOK_LOG: 'error' }).ended
        assert.equal(code, 1, argv.join(' '))
        assert.match(
          stderr,
          /^billhook: the data directory \S+ holds a damaged or foreign database: it is empty: [^\n]+\n$/,
        )
      }
    }),
  )

  test(
    'keeps its id and its date of birth in a backup that is restored, and another one has its own',
    inDirectory(async (place) => {
      const [first, other, backup, restored] = ['first', 'other', 'backup', 'restored'].map((name) =>
        join(place, name),
      ) as [string, string, string, string]
      await start(first)
      await start(other)
      assert.equal((await command('backup', backup, '--data', first)).code, 0)
      assert.equal((await command('restore', backup, '--data', restored)).code, 0)
      assert.deepEqual(await identityOf(restored), await identityOf(first))
      assert.notEqual((await identityOf(other)).id, (await identityOf(first)).id)
    }),
  )

  test(
    'that was left by a process which was killed is opened with a line that says so, once',
    inDirectory(async (place) => {
      const killed = startChild(main, ['serve', '--port', '0', '--data', place])
      await killed.wrote('stdout', 'listening on ')
      killed.kill('SIGKILL')
      await killed.ended
      const line =
        /"level":"warn".*"the last run did not stop by itself: it was killed, crashed, or the machine lost power"/
      assert.match((await start(place)).stderr, line)
      assert.doesNotMatch((await start(place)).stderr, line)
    }),
  )
})
