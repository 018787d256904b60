/**
 * A process that migrates the data in a directory, and hangs at a point until it is killed:
 *
 *     <directory> <rows of a step> commit <n>    when the nth commit is on disk
 *     <directory> <rows of a step> row <n>       at the nth row, within a transaction
 *
 * It says `here` when it hangs, and `done` when it has come to the end before that.
 */
import { writeSync } from 'node:fs'
import type { Migration } from '../../../src/store/lmdb/file/migration.js'
import { MIGRATIONS, prepareSchema, SCHEMA_VERSION } from '../../../src/store/lmdb/file/schema.js'
import { openEnvironment } from '../../../src/store/lmdb/tables/tables.js'
import { quiet } from '../../support/migration.js'

const STDOUT = 1
const [directory = '', stepRows, what, count] = process.argv.slice(2)

function hang(): void {
  writeSync(STDOUT, 'here\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0)
}

let seen = 0
function see(kind: string): void {
  if (kind !== what) return
  seen += 1
  if (seen === Number(count)) hang()
}

const watched = MIGRATIONS.map(
  (migration): Migration => ({
    ...migration,
    passes: migration.passes.map((pass) => ({
      ...pass,
      row: (commit, key, value) => {
        pass.row(commit, key, value)
        see('row')
      },
    })),
  }),
)
const root = openEnvironment(directory)
const transaction = root.transaction.bind(root)
root.transaction = async <T>(work: () => T) => {
  const result = await transaction(work)
  see('commit')
  return result
}
const program = { version: SCHEMA_VERSION, migrations: watched, stepRows: Number(stepRows) }
await prepareSchema(root, directory, quiet(), program)
await root.close()
writeSync(STDOUT, 'done\n')
