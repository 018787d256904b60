import type { Numbers } from '../tables/names.js'
import { integer, recordCodec } from '../tables/record-codec.js'
import type { Tables } from '../tables/tables.js'

/** The last number of each kind. Numbers keep keys short and sort by age. */
type Last = Record<keyof Numbers, number>

const KEY = Buffer.from('numbers')

const codec = recordCodec<Last>('meta/sequences', 1, {
  owner: integer,
  wallet: integer,
  address: integer,
  assignment: integer,
  apiKey: integer,
  walletSet: integer,
  deposit: integer,
})

const NONE: Last = { owner: 0, wallet: 0, address: 0, assignment: 0, apiKey: 0, walletSet: 0, deposit: 0 }

/** The last numbers handed out. A commit reads them at their first use and writes them once, at its end. */
export class Sequences {
  private last: Last | null = null
  private isDirty = false

  next<K extends keyof Numbers>(tables: Tables, kind: K): Numbers[K] {
    this.last ??= read(tables)
    this.last[kind] += 1
    this.isDirty = true
    return this.last[kind] as Numbers[K]
  }

  save(tables: Tables): void {
    if (!this.isDirty || this.last === null) return
    tables.meta.putSync(KEY, codec.encode(this.last))
    this.isDirty = false
  }
}

function read({ meta }: Tables): Last {
  const stored = meta.get(KEY)
  return stored === undefined ? { ...NONE } : codec.decode(stored)
}
