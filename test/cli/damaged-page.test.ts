import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { type Ended, startChild } from './child.js'
import { command, inDirectory, main } from './served.js'

const PAGE_BYTES = 4096
/** Of the newest meta page: the number of the root page of the main tree, in which the tables stand. */
const MAIN_ROOT_AT = 136
const TRANSACTION_AT = 152
const GARBAGE = Buffer.from(Array.from({ length: PAGE_BYTES }, (_, at) => (at * at * 167 + 91) % 251))

/** Writes garbage over the page in which the tables stand, which everything reads. Answers its number. */
function spoilTables(file: string): number {
  const bytes = readFileSync(file)
  const [first, second] = [bytes.subarray(0, PAGE_BYTES), bytes.subarray(PAGE_BYTES)]
  const isSecond = second.readBigUInt64LE(TRANSACTION_AT) > first.readBigUInt64LE(TRANSACTION_AT)
  const page = Number((isSecond ? second : first).readBigUInt64LE(MAIN_ROOT_AT))
  const fd = openSync(file, 'r+')
  writeSync(fd, GARBAGE, 0, PAGE_BYTES, page * PAGE_BYTES)
  closeSync(fd)
  return page
}

function assertOneLine({ code, signal, stdout, stderr }: Ended, line: RegExp, what: string): void {
  assert.deepEqual([code, signal, stdout], [1, null, ''], `${what}: ${stderr}`)
  assert.match(stderr, line, what)
}

test(
  'a damaged page ends commands, and a start, with a line and an exit code',
  inDirectory(async (place) => {
    const directory = join(place, 'data')
    await (await openStoreAt(directory)).close()
    const page = spoilTables(join(directory, 'data.mdb'))
    const found = new RegExp(
      `^billhook: the data directory \\S+ holds a damaged (or foreign )?database: page ${page} is damaged\\n$`,
    )
    assertOneLine(await command('check', '--data', directory), found, 'check')
    assertOneLine(await command('backup', join(place, 'b'), '--data', directory), found, 'backup')
    assertOneLine(await command('status', '--data', directory), found, 'status')
    const serve = ['serve', '--port', '0', '--data', directory]
    assertOneLine(await startChild(main, serve, { BILLHOOK_LOG: 'error' }).ended, found, 'serve')
  }),
)
