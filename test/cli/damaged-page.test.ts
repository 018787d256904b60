import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { closeSync, cpSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Ended, startChild } from './child.js'
import { command, inDirectory, main, serving } from './served.js'

const PAGE_BYTES = 4096
/** Of the newest meta page: the number of the root page of the main tree, in which the tables stand. */
const MAIN_ROOT_AT = 136
const TRANSACTION_AT = 152
/** The same for each run. */
const GARBAGE = Buffer.concat(
  Array.from({ length: PAGE_BYTES / 32 }, (_, n) => createHash('sha256').update(`garbage ${n}`).digest()),
)

/** The page in which the tables stand: everything reads it. */
function pageOfTables(file: string): number {
  const bytes = readFileSync(file)
  const [first, second] = [bytes.subarray(0, PAGE_BYTES), bytes.subarray(PAGE_BYTES)]
  const isSecond = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT)
  return Number((isSecond ? second : first).readBigUInt64LE(MAIN_ROOT_AT))
}

function spoil(file: string, page: number): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, GARBAGE, 0, PAGE_BYTES, page * PAGE_BYTES)
  closeSync(fd)
}

async function storeIn(directory: string): Promise<void> {
  const { service } = await serving(directory, '--sandbox')
  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
}

function assertOneLine({ code, signal, stdout, stderr }: Ended, line: RegExp, what: string, expected = 1): void {
  assert.deepEqual([code, signal, stdout], [expected, null, ''], `${what}: ${stderr}`)
  assert.match(stderr, line, what)
}

describe('a data file with a damaged page', () => {
  test(
    'ends every command, and a start, with a line and an exit code',
    inDirectory(async (place) => {
      const directory = join(place, 'data')
      await storeIn(directory)
      const page = pageOfTables(join(directory, 'data.mdb'))
      spoil(join(directory, 'data.mdb'), page)
      // These may run beside a service, so LMDB is the first to see the page. What it makes of it may be its end, or an error.
      const line = /(^|\n)billhook: [^\n]+\n$/
      assertOneLine(await command('check', '--data', directory), line, 'check')
      assertOneLine(await command('backup', join(place, 'b'), '--data', directory), line, 'backup')
      const json = await command('check', '--json', '--data', directory)
      assert.equal(typeof JSON.parse(json.stderr.trim().split('\n').at(-1) ?? '').error, 'string')
      const found = new RegExp(
        `^billhook: the data directory \\S+ holds a damaged or foreign database: page ${page} is damaged\\n$`,
      )
      for (const argv of [['status'], ['export', 'invoices'], ['keys', 'list'], ['migrate', '--check'], ['migrate']]) {
        assertOneLine(await command(...argv, '--data', directory), found, argv.join(' '))
      }
      const serve = ['serve', '--sandbox', '--port', '0', '--data', directory]
      assertOneLine(await startChild(main, serve, { BILLHOOK_LOG: 'error' }).ended, found, 'serve')
    }),
  )

  test(
    'makes no backup, whichever page it is',
    inDirectory(async (place) => {
      const [directory, copy, backup] = [join(place, 'data'), join(place, 'copy'), join(place, 'backup')]
      await storeIn(directory)
      const whole = readFileSync(join(directory, 'data.mdb'))
      let refusals = 0
      for (let page = 2; page < whole.length / PAGE_BYTES; page += 11) {
        cpSync(directory, copy, { recursive: true })
        spoil(join(copy, 'data.mdb'), page)
        const { code, signal, stderr } = await command('backup', backup, '--data', copy)
        assert.deepEqual([signal, code === 0 || code === 1], [null, true], `page ${page}: ${stderr}`)
        if (code === 1) refusals += 1
        // What is a backup can be restored, and has everything.
        else {
          const restored = join(place, 'restored')
          assert.equal((await command('restore', backup, '--data', restored)).code, 0, `page ${page}`)
          assert.equal((await command('check', '--data', restored)).code, 0, `page ${page}`)
          rmSync(restored, { recursive: true })
          rmSync(backup)
        }
        rmSync(copy, { recursive: true })
      }
      assert.ok(refusals > 0)
    }),
  )
})

describe('a command that works in a child', () => {
  test(
    'passes on what it is asked to read, what it answers and how it ends',
    inDirectory(async (place) => {
      const directory = join(place, 'data')
      await storeIn(directory)
      const status = await command('status', '--json', '--data', directory)
      assert.deepEqual([status.code, status.stderr, JSON.parse(status.stdout).url], [0, '', null])
      const refused = join(place, 'records')
      writeFileSync(refused, 'no record\n')
      const imported = await command('import', refused, '--data', directory)
      assert.deepEqual([imported.code, imported.stdout], [1, '0 added, 0 known already, 1 refused\n'])
      assert.match(imported.stderr, /records:1: /)
    }),
  )
})
