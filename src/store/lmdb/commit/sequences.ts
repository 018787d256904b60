import type { Numbers } from '../tables/names.js'
import { recordCodec } from '../tables/record-codec.js'
import type { Tables } from '../tables/tables.js'

/** What is numbered so that keys stay short and sort by age, in the order of the stored record. */
const KINDS = [
  'owner',
  'wallet',
  'address',
  'assignment',
  'apiKey',
  'walletSet',
  'deposit',
] as const satisfies (keyof Numbers)[]

const KEY = Buffer.from('numbers')

const codec = recordCodec<readonly number[]>(
  'meta/sequences',
  1,
  (last) => last,
  (fields) => KINDS.map(() => fields.integer()),
)

/** The last numbers handed out. A commit reads them at their first use and writes them once, at its end. */
export class Sequences {
  private last: Map<keyof Numbers, number> | null = null
  private isDirty = false

  next<K extends keyof Numbers>(tables: Tables, kind: K): Numbers[K] {
    this.last ??= read(tables)
    const number = (this.last.get(kind) ?? 0) + 1
    this.last.set(kind, number)
    this.isDirty = true
    return number as Numbers[K]
  }

  save(tables: Tables): void {
    const { last } = this
    if (!this.isDirty || last === null) return
    tables.meta.putSync(KEY, codec.encode(KINDS.map((kind) => last.get(kind) ?? 0)))
    this.isDirty = false
  }
}

function read({ meta }: Tables): Map<keyof Numbers, number> {
  const stored = meta.get(KEY)
  const values = stored === undefined ? [] : codec.decode(stored)
  return new Map(KINDS.map((kind, i) => [kind, values[i] ?? 0]))
}
