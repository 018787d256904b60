import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DATA_FILE } from '../../src/store/lmdb/file/data-file.js'
import { openEnvironment } from '../../src/store/lmdb/tables/tables.js'
import { projectRoot } from './project-root.js'

/*
 * What version 0.1.0 wrote, as it was at commit 5fd8155, and what it answered about it; `test/upgrade/write-fixture.ts` made
 * both. Its data has version 2.
 */

const FOLDER = join(projectRoot, 'test/upgrade/data')

function unpacked(name: string): Buffer {
  return gunzipSync(readFileSync(join(FOLDER, name)))
}

/** Puts the data of the earlier version into a directory. */
export function putEarlierData(directory: string): void {
  writeFileSync(join(directory, DATA_FILE), unpacked('0.1.0.mdb.gz'))
}

/** What the earlier version answered, by path. */
export function earlierAnswers(): Readonly<Record<string, unknown>> {
  return JSON.parse(unpacked('0.1.0.json.gz').toString())
}

/** Every row of every table, in hex, by table. */
export async function allRows(directory: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const root = openEnvironment(directory)
  try {
    const names = [...root.getKeys()].map((key) => key.toString().replace(/\0$/, ''))
    const rows = (name: string) =>
      [...root.openDB<Buffer, Buffer>({ name, keyEncoding: 'binary', encoding: 'binary' }).getRange()].map(
        ({ key, value }) => `${key.toString('hex')} ${value.toString('hex')}`,
      )
    return Object.fromEntries(names.map((name) => [name, rows(name)]))
  } finally {
    await root.close()
  }
}
