/**
 * A process that migrates the data in a directory, and hangs at a point until it is killed:
 *
 *     <directory> <rows of a step> commit <n>    when the nth commit is on disk
 *     <directory> <rows of a step> row <n>       at the nth row, within a transaction
 *
 * It says `here` when it hangs, and `done` when it has come to the end before that.
 */
import { writeSync } from 'node:fs'
import { MIGRATE_2 } from '../../../src/store/lmdb/file/migrate-2.js'
import { MIGRATE_3 } from '../../../src/store/lmdb/file/migrate-3.js'
import { MIGRATE_4 } from '../../../src/store/lmdb/file/migrate-4.js'
import { MIGRATE_5 } from '../../../src/store/lmdb/file/migrate-5.js'
import { MIGRATE_6 } from '../../../src/store/lmdb/file/migrate-6.js'
import { MIGRATE_7 } from '../../../src/store/lmdb/file/migrate-7.js'
import { MIGRATE_8 } from '../../../src/store/lmdb/file/migrate-8.js'
import { MIGRATE_9 } from '../../../src/store/lmdb/file/migrate-9.js'
import { MIGRATE_10 } from '../../../src/store/lmdb/file/migrate-10.js'
import { MIGRATE_11 } from '../../../src/store/lmdb/file/migrate-11.js'
import { MIGRATE_12 } from '../../../src/store/lmdb/file/migrate-12.js'
import type { Migration } from '../../../src/store/lmdb/file/migration.js'
import { prepareSchema, SCHEMA_VERSION } from '../../../src/store/lmdb/file/schema.js'
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

const watched = [
  MIGRATE_2,
  MIGRATE_3,
  MIGRATE_4,
  MIGRATE_5,
  MIGRATE_6,
  MIGRATE_7,
  MIGRATE_8,
  MIGRATE_9,
  MIGRATE_10,
  MIGRATE_11,
  MIGRATE_12,
].map(
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
