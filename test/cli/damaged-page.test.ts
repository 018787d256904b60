import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fillEveryTable } from '../store/lmdb/full-store.js'
import { PAGE_BYTES, pageOfTables, rootOfTable, spoilPage } from '../support/damaged-pages.js'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { type Ended, startChild } from './child.js'
import { inDirectory, main } from './served.js'

const GARBAGE = Buffer.from(Array.from({ length: PAGE_BYTES }, (_, at) => (at * at * 167 + 91) % 251))

function assertOneLine({ code, signal, stdout, stderr }: Ended, line: RegExp, what: string): void {
  assert.deepEqual([code, signal, stdout], [1, null, ''], `${what}: ${stderr}`)
  assert.match(stderr, line, what)
}

const COMMANDS: readonly (readonly [name: string, ...argv: string[]])[] = [
  ['check'],
  ['backup'],
  ['status'],
  ['order', 'get', '0'.repeat(32)],
  ['export', 'orders'],
  ['serve', '--port', '0'],
]

/** What an operator runs at first. */
const BEFORE_ALL: ReadonlySet<string> = new Set(['check', 'serve'])

/** What each command that reads the directory, and a start, says of a damaged page of it. */
async function allTell(place: string, directory: string, page: number, commands = COMMANDS): Promise<void> {
  const found = new RegExp(
    `^billhook: the data directory \\S+ holds a damaged (or foreign )?database: page ${page} is damaged\\n$`,
  )
  for (const [name, ...argv] of commands) {
    const file = name === 'backup' ? [join(place, 'backup')] : []
    const ended = startChild(main, [name, ...file, ...argv, '--data', directory], { BILLHOOK_LOG: 'error' }).ended
    assertOneLine(await ended, found, name)
  }
}

test(
  'a damaged page ends commands, and a start, with a line and an exit code',
  inDirectory(async (place) => {
    const directory = join(place, 'data')
    await (await openStoreAt(directory)).close()
    const file = join(directory, 'data.mdb')
    const page = pageOfTables(file)
    spoilPage(file, page, GARBAGE)
    await allTell(place, directory, page)
  }),
)

/** Where orders are, their options, what came for them, and the rates of their prices. */
const TABLES_OF_ORDERS = ['orders', 'owner-orders', 'numbered-orders', 'order-expiries', 'invoices', 'matches', 'meta']

test(
  'a damaged page of orders, of their options or of rates does so, too',
  inDirectory(async (place) => {
    const whole = join(place, 'whole')
    mkdirSync(whole)
    await fillEveryTable(whole)
    for (const [i, table] of TABLES_OF_ORDERS.entries()) {
      const directory = join(place, table)
      mkdirSync(directory, { mode: 0o700 })
      const file = join(directory, 'data.mdb')
      copyFileSync(join(whole, 'data.mdb'), file)
      const page = rootOfTable(file, table)
      spoilPage(file, page, GARBAGE)
      await allTell(place, directory, page, i === 0 ? COMMANDS : COMMANDS.filter(([name]) => BEFORE_ALL.has(name)))
    }
  }),
)
