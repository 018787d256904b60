import { recordCodec } from './record-codec.js'
import type { Table } from './tables.js'

/** What is numbered so that keys stay short and sort by age. */
const KINDS = ['owner', 'wallet', 'address', 'assignment', 'apiKey', 'payee', 'deposit'] as const
export type NumberKind = (typeof KINDS)[number]

const KEY = Buffer.from('numbers')

const codec = recordCodec<readonly number[]>(
  'meta/sequences',
  1,
  (last) => last,
  (fields) => KINDS.map(() => fields.integer()),
)

/**
 * Hands out sequences inside a write transaction. The last ones are kept in memory and written once at the end of the
 * transaction; after an aborted one `forget` drops what was handed out.
 */
export class Sequences {
  private last: Map<NumberKind, number> | null = null
  private isDirty = false

  constructor(private readonly meta: Table) {}

  next(kind: NumberKind): number {
    const last = this.known()
    const number = (last.get(kind) ?? 0) + 1
    last.set(kind, number)
    this.isDirty = true
    return number
  }

  /** To be called last in a transaction. */
  save(): void {
    if (!this.isDirty) return
    const last = this.known()
    this.meta.putSync(KEY, codec.encode(KINDS.map((kind) => last.get(kind) ?? 0)))
    this.isDirty = false
  }

  forget(): void {
    this.last = null
    this.isDirty = false
  }

  /** Read again inside the transaction that needs them: a read outside may still see an earlier snapshot. */
  private known(): Map<NumberKind, number> {
    if (this.last !== null) return this.last
    const stored = this.meta.get(KEY)
    const values = stored === undefined ? [] : codec.decode(stored)
    this.last = new Map(KINDS.map((kind, i) => [kind, values[i] ?? 0]))
    return this.last
  }
}
