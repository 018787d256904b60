import { join } from 'node:path'
import { openEnvironment, openTables, type Table, type Tables } from '../../src/store/lmdb/tables/tables.js'
import { Histories } from '../histories.js'
import type { Measurement } from '../results.js'
import { type Case, type Effort, measure } from './case.js'

const BATCH_SIZES = [1, 8, 64, 256, 512] as const
const WALLET = 'wallet'
/** The end of a key, which distinguishes units. */
const COUNTER_BYTES = 4

/** A row that an invoice writes. */
interface Row {
  readonly table: Table
  readonly key: Buffer
  readonly value: Buffer
  /** Whether every invoice adds a row; otherwise it overwrites one. */
  readonly isOwn: boolean
}

/** Measures units per second by units per durable commit. A unit writes the rows of an invoice. */
export async function commitBatches(effort: Effort, directory: string): Promise<readonly Measurement[]> {
  const place = join(directory, 'commits')
  const before = await rowsAfterInvoices(place, 2)
  await rowsAfterInvoices(place, 1)
  const root = openEnvironment(place)
  try {
    const rows = writtenSince(before, openTables(root))
    let unit = 0
    const write = () => {
      unit += 1
      for (const { table, key, value, isOwn } of rows) {
        const own = Buffer.from(key)
        if (isOwn) own.writeUInt32BE(unit, own.length - COUNTER_BYTES)
        table.putSync(own, value)
      }
    }
    const cases = BATCH_SIZES.map(
      (x): Case => ({
        measurement: {
          group: 'batch',
          name: 'LMDB commit',
          unit: 'per second',
          x,
          note: `units of one commit, durable; each writes the ${rows.length} rows of an invoice with a reference`,
        },
        task: () =>
          root.transaction(() => {
            for (let n = 0; n < x; n += 1) write()
          }),
        perTask: x,
      }),
    )
    return await measure(cases, effort)
  } finally {
    await root.close()
  }
}

/** Creates invoices, closes the store, and returns all rows by table: values by key in hex. */
async function rowsAfterInvoices(place: string, invoices: number): Promise<ReadonlyMap<string, Map<string, Buffer>>> {
  const histories = await Histories.open(place, invoices)
  await histories.addWallet(WALLET)
  await histories.perform(histories.creations(WALLET, 1_000_000, invoices))
  await histories.store.close()
  const root = openEnvironment(place)
  try {
    return new Map(
      tablesIn(openTables(root)).map(([name, table]) => [
        name,
        new Map([...table.getRange({})].map(({ key, value }) => [key.toString('hex'), value])),
      ]),
    )
  } finally {
    await root.close()
  }
}

/** Returns the rows of the last invoice. Throws unless some of them distinguish it. */
function writtenSince(before: ReadonlyMap<string, ReadonlyMap<string, Buffer>>, tables: Tables): readonly Row[] {
  const rows = tablesIn(tables).flatMap(([name, table]) =>
    [...table.getRange({})].flatMap(({ key, value }): Row[] => {
      const earlier = before.get(name)?.get(key.toString('hex'))
      return earlier?.equals(value) === true ? [] : [{ table, key, value, isOwn: earlier === undefined }]
    }),
  )
  const own = rows.filter(({ isOwn }) => isOwn)
  if (!own.some(({ table }) => table === tables.invoices) || own.some(({ key }) => key.length < COUNTER_BYTES)) {
    throw new Error('the rows of an invoice were not found')
  }
  return rows
}

function tablesIn({ root: _, ...tables }: Tables): readonly [string, Table][] {
  return Object.entries(tables)
}
