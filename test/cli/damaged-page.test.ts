import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { PAGE_BYTES, pageOfTables, spoilPage } from '../support/damaged-pages.js'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { type Ended, startChild } from './child.js'
import { command, inDirectory, main } from './served.js'

const GARBAGE = Buffer.from(Array.from({ length: PAGE_BYTES }, (_, at) => (at * at * 167 + 91) % 251))

function assertOneLine({ code, signal, stdout, stderr }: Ended, line: RegExp, what: string): void {
  assert.deepEqual([code, signal, stdout], [1, null, ''], `${what}: ${stderr}`)
  assert.match(stderr, line, what)
}

test(
  'a damaged page ends commands, and a start, with a line and an exit code',
  inDirectory(async (place) => {
    const directory = join(place, 'data')
    await (await openStoreAt(directory)).close()
    const file = join(directory, 'data.mdb')
    const page = pageOfTables(file)
    spoilPage(file, page, GARBAGE)
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
