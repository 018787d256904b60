import { mkdirSync } from 'node:fs'
import { open } from 'lmdb'

/** Key and value sizes, in bytes, of the rows that an invoice with a reference adds, by table. */
const ROWS = [
  { table: 'invoices', key: 16, value: 200 },
  { table: 'owner-invoices', key: 20, value: 0 },
  { table: 'references', key: 14, value: 16 },
  { table: 'queue-invoices', key: 26, value: 8 },
  { table: 'open-amounts', key: 24, value: 16 },
  { table: 'queues', key: 10, value: 24 },
] as const

/** Units of one commit: the maximum of the store. */
const UNITS_PER_COMMIT = 256
const BINARY = { keyEncoding: 'binary', encoding: 'binary' } as const

/**
 * Measures commits, in units per second. A unit writes the rows and bytes of an invoice; 256 share a durable commit.
 */
export async function durableUnitsPerSecond(directory: string, seconds: number): Promise<number> {
  mkdirSync(directory, { recursive: true })
  const root = open<Buffer, Buffer>({ path: directory, overlappingSync: false, eventTurnBatching: false, ...BINARY })
  const tables = ROWS.map(({ table, key, value }) => ({
    table: root.openDB<Buffer, Buffer>({ name: table, ...BINARY }),
    keyLength: key,
    value: Buffer.alloc(value, 'v'),
  }))
  let units = 0
  const startedAt = performance.now()
  while (performance.now() - startedAt < seconds * 1000) {
    await root.transaction(() => {
      for (let i = 0; i < UNITS_PER_COMMIT; i += 1) {
        units += 1
        for (const { table, keyLength, value } of tables) {
          const key = Buffer.alloc(keyLength)
          key.writeUInt32BE(units, keyLength - 4)
          table.putSync(key, value)
        }
      }
    })
  }
  const perSecond = (units * 1000) / (performance.now() - startedAt)
  await root.close()
  return perSecond
}
