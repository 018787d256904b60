import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { SCHEMA_VERSION } from '../../src/store/lmdb/file/schema.js'
import { openEnvironment, openTables } from '../../src/store/lmdb/tables/tables.js'
import { aboutBytes, endBytes } from '../../src/store/lmdb/upkeep/backup-file.js'
import { openStoreAt } from '../support/lmdb-fixture.js'
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js'
import { Shop } from './shop.js'
import { noTerminal, Terminal } from './terminal.js'

const MEBIBYTE = 1_048_576
const DATA_MEBIBYTES = 160
const BACKUP_MEBIBYTES = 2048
const IMPORTED = 200_000
const CTRL_C = '\u0003'
/** To the start of the line, and cleared (ECMA-48: CR, EL). */
const CLEAR = '\r\u001b[K'
const EXIT_SIGINT = 130

/** Each has far more to do when its first bar is drawn than a key needs to arrive. */
describe('ctrl-c on a terminal', { skip: noTerminal }, () => {
  let place: TemporaryDirectory
  let data = ''

  before(async () => {
    place = temporaryDirectory()
    data = join(place.path, 'data')
    await (await openStoreAt(data)).close()
  })

  after(() => place.remove())

  async function interrupted(...argv: readonly string[]): Promise<void> {
    const names = readdirSync(place.path).sort()
    const terminal = Terminal.start(argv)
    await terminal.wrote(' (')
    terminal.type(CTRL_C)
    const { code, text } = await terminal.ended
    assert.equal(code, EXIT_SIGINT)
    assert.ok(text.endsWith(CLEAR), JSON.stringify(text.slice(-200)))
    assert.doesNotMatch(text, /\n/, 'nothing is left on the screen')
    assert.deepEqual(readdirSync(place.path).sort(), names, 'nothing is left behind')
  }

  test('ends an import', async () => {
    const file = join(place.path, 'identities')
    writeFileSync(file, '{"owner":"somebody","isKnown":true}\n'.repeat(IMPORTED))
    await interrupted('import', file, '--data', data)
  })

  test('ends a backup, and leaves no part of it', async () => {
    const root = openEnvironment(data)
    const { events } = openTables(root)
    await root.transaction(() => {
      for (let n = 0; n < DATA_MEBIBYTES; n += 1) events.putSync(Buffer.from([n]), Buffer.alloc(MEBIBYTE))
    })
    await root.close()
    await interrupted('backup', join(place.path, 'backup'), '--data', data)
  })

  test('ends a restore, and leaves an empty directory empty', async () => {
    const file = join(place.path, 'large-backup')
    writeFileSync(file, '')
    truncateSync(file, BACKUP_MEBIBYTES * MEBIBYTE)
    const dataBytes = BACKUP_MEBIBYTES * MEBIBYTE
    const about = aboutBytes({ dataVersion: SCHEMA_VERSION, madeAt: 1, dataBytes, companions: [] })
    appendFileSync(file, Buffer.concat([about, endBytes(about, Buffer.alloc(32))]))
    await interrupted('restore', file, '--data', join(place.path, 'made'))
    const empty = join(place.path, 'empty')
    mkdirSync(empty)
    await interrupted('restore', file, '--data', empty)
    assert.deepEqual(readdirSync(empty), [])
  })
})

for (const [noun, waiting] of [
  ['invoice', 'Waiting for payment; ctrl-c to stop'],
  ['order', 'Waiting for payment, until '],
] as const) {
  test(`a watched ${noun} shows on a terminal that it waits, and leaves nothing behind after ctrl-c`, {
    skip: noTerminal,
  }, async (t) => {
    const shop = await Shop.open()
    t.after(() => shop.close())
    const id = noun === 'invoice' ? await shop.invoice('43') : await shop.order('43 EUR')
    const terminal = Terminal.start([noun, 'watch', id, '--data', shop.data, '--interval', '1'])
    await terminal.wrote('ctrl-c to stop')
    terminal.type(CTRL_C)
    const { code, text } = await terminal.ended
    assert.equal(code, EXIT_SIGINT)
    assert.ok(text.includes(CLEAR + waiting), JSON.stringify(text))
    assert.ok(text.endsWith(CLEAR), JSON.stringify(text))
  })
}
