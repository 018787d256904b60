import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SCHEMA_VERSION } from '../../src/store/lmdb/file/schema.js'
import { openEnvironment, openTables } from '../../src/store/lmdb/tables/tables.js'
import { aboutBytes, endBytes } from '../../src/store/lmdb/upkeep/backup-file.js'
import { ask } from '../chaos/http-client.js'
import { putEarlierData } from '../support/earlier-data.js'
import { noSmallDisk, smallDisk } from '../support/small-disk.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { startChild } from './child.js'
import { command } from './served.js'

const main = new URL('../../src/main.js', import.meta.url)

async function serving(directory: string) {
  const service = startChild(main, ['serve', '--port', '0', '--data', directory, '--sandbox'])
  const url = /listening on (\S+)\n/.exec(await service.wrote('stdout', 'listening on '))?.[1]
  assert.ok(url !== undefined)
  const end = async (signal: NodeJS.Signals) => {
    service.kill(signal)
    return await service.ended
  }
  return { url, end }
}

/** The same backup, as if another version had made it. */
function ofVersion(dataVersion: number, backup: Buffer): Buffer {
  const about = aboutBytes({ dataVersion, madeAt: 1, dataBytes: 4096, companions: [] })
  const data = backup.subarray(0, 4096)
  const hash = createHash('sha256').update(data).update(about).digest()
  return Buffer.concat([data, about, endBytes(about, hash)])
}

describe('backup, restore and check', () => {
  test('work beside a running service; what was destroyed comes back, and stands up to a check', async () => {
    const { path, remove } = temporaryDirectory()
    try {
      const [data, file, restored] = ['data', 'backup', 'restored'].map((name) => join(path, name)) as [
        string,
        string,
        string,
      ]
      const first = await serving(data)
      const made = await command('backup', file, '--data', data, '--json')
      assert.deepEqual([made.code, made.stderr], [0, ''])
      assert.equal(JSON.parse(made.stdout).bytes, statSync(file).size)
      const checked = await command('check', '--data', data)
      assert.match(checked.stdout, /^\d+ rows were checked: nothing is wrong\.\n$/)
      assert.equal(checked.code, 0)
      const taken = await command('backup', file, '--data', data)
      assert.deepEqual([taken.code, taken.stderr], [1, `billhook: ${file} is there already\n`])
      const used = await command('restore', file, '--data', data)
      assert.equal(used.code, 1)
      assert.match(used.stderr, /is not empty/)
      await first.end('SIGKILL')

      const back = await command('restore', file, '--data', restored)
      assert.equal(back.code, 0, back.stderr)
      assert.match(back.stdout, /\n\d+ rows were checked: nothing is wrong\.\nA backup is the past/)
      assert.equal((await command('check', '--data', restored)).code, 0)
      const second = await serving(restored)
      assert.equal((await ask('GET', `${second.url}/readyz`))?.status, 200)
      assert.equal((await second.end('SIGTERM')).code, 0)
    } finally {
      remove()
    }
  })

  test('leave nothing behind on a disk that gets full, say so in one line, and do not touch what serves', {
    skip: noSmallDisk,
  }, async () => {
    const { path, remove } = temporaryDirectory()
    const disk = smallDisk(8 << 20)
    try {
      const [data, file] = [join(path, 'data'), join(path, 'backup')]
      const service = await serving(data)
      assert.equal((await command('backup', file, '--data', data)).code, 0)
      disk.fill(100_000)
      for (const argv of [
        ['backup', join(disk.path, 'backup'), '--data', data],
        ['restore', file, '--data', join(disk.path, 'restored')],
      ]) {
        const { code, stdout, stderr } = await command(...argv)
        const place = join(disk.path, argv[0] === 'backup' ? 'backup' : 'restored')
        const why = `billhook: ${place} cannot be written: no space left on device (ENOSPC)\n`
        assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: why })
        assert.deepEqual(readdirSync(disk.path), ['filler'])
      }
      assert.equal((await ask('GET', `${service.url}/readyz`))?.status, 200)
      assert.equal((await service.end('SIGTERM')).code, 0)
      disk.free()
      assert.equal((await command('backup', join(disk.path, 'backup'), '--data', data)).code, 0)
    } finally {
      disk.remove()
      remove()
    }
  })

  test('restore data of an older version, which the next start migrates, and refuse that of a newer one in a line', async () => {
    const { path, remove } = temporaryDirectory()
    try {
      const [data, older, restored] = ['data', 'older', 'restored'].map((name) => join(path, name)) as [
        string,
        string,
        string,
      ]
      mkdirSync(data)
      putEarlierData(data)
      assert.equal((await command('backup', older, '--data', data)).code, 0)
      const back = await command('restore', older, '--data', restored)
      assert.equal(back.code, 0)
      assert.match(
        back.stdout,
        /^.+ holds the data of .+\nIt is of an older version: the next start migrates it\.\nA backup is the past/,
      )
      const json = await command('restore', older, '--data', join(path, 'other'), '--json')
      assert.equal(JSON.parse(json.stdout).migrates_at_start, true)
      const early = await command('check', '--data', restored)
      assert.equal(early.code, 1)
      assert.match(
        early.stderr,
        /^billhook: .* has data version 2, and this program checks version \d+: run "billhook migrate" or start the service first\n$/,
      )
      assert.equal((await command('migrate', '--data', restored)).code, 0)
      assert.equal((await command('check', '--data', restored)).code, 0)

      const newer = join(path, 'newer')
      writeFileSync(newer, ofVersion(SCHEMA_VERSION + 1, readFileSync(older)))
      const refused = await command('restore', newer, '--data', join(path, 'to'))
      const why = `was made by a newer Billhook (data version ${SCHEMA_VERSION + 1}, this program knows ${SCHEMA_VERSION}): restore it with that version`
      assert.deepEqual([refused.code, refused.stdout, refused.stderr], [1, '', `billhook: ${newer} ${why}\n`])
      assert.equal(existsSync(join(path, 'to')), false)
    } finally {
      remove()
    }
  })

  test('say what is wrong, as text and as JSON', async () => {
    const { path, remove } = temporaryDirectory()
    try {
      const data = join(path, 'data')
      const service = await serving(data)
      await service.end('SIGTERM')
      const root = openEnvironment(data)
      const { freeWallets } = openTables(root)
      for (const key of [...freeWallets.getKeys()].slice(0, 150)) freeWallets.removeSync(key)
      await root.close()
      const text = await command('check', '--data', data)
      const lines = text.stdout.trim().split('\n')
      assert.equal(text.code, 1)
      assert.equal(lines.length, 102)
      assert.match(lines[0] ?? '', /^free-wallets [0-9a-f]+: wallets "\w+" calls for this row, which is missing/)
      assert.deepEqual(lines.slice(-2), [
        'and 50 more',
        `${lines.at(-1)?.split(' ')[0]} rows were checked: 150 violations.`,
      ])
      const json = await command('check', '--data', data, '--json')
      const { violations, found } = JSON.parse(json.stdout)
      assert.deepEqual([json.code, violations, found.length, found[0].table], [1, 150, 100, 'free-wallets'])

      const file = join(path, 'backup')
      assert.equal((await command('backup', file, '--data', data)).code, 0)
      const restored = await command('restore', file, '--data', join(path, 'restored'))
      assert.equal(restored.code, 1)
      assert.match(
        restored.stdout,
        /^.+ holds the data of .+\nfree-wallets [0-9a-f]+: .+ is missing[\s\S]+\nand 50 more\n\d+ rows were checked: 150 violations\.\nA backup is the past/,
      )
      const asJson = await command('restore', file, '--data', join(path, 'other'), '--json')
      const told = JSON.parse(asJson.stdout)
      assert.deepEqual([asJson.code, told.violations, told.found.length, told.rows > 0], [1, 150, 100, true])
      assert.equal((await command('check', '--data', join(path, 'restored'))).code, 1)
    } finally {
      remove()
    }
  })

  test('refuse a wrong command line with 2, and a directory without data with 1', async () => {
    const { path, remove } = temporaryDirectory()
    try {
      writeFileSync(join(path, 'no-backup'), 'text')
      for (const argv of [['backup'], ['restore', 'file'], ['restore', '--data', path], ['check', 'more']]) {
        assert.equal((await command(...argv)).code, 2, argv.join(' '))
      }
      const nothing = await command('check', '--data', path, '--json')
      assert.equal(nothing.code, 1)
      assert.match(JSON.parse(nothing.stderr).error, /holds no data/)
      const foreign = await command('restore', join(path, 'no-backup'), '--data', join(path, 'to'))
      assert.deepEqual([foreign.code, existsSync(join(path, 'to'))], [1, false])
      assert.match(foreign.stderr, /it is no backup, or it is cut short/)
    } finally {
      remove()
    }
  })
})
