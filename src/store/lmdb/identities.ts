import { recordCodec } from './record-codec.js'
import { RowCache } from './row-cache.js'
import type { Sequences } from './sequences.js'
import type { Tables } from './tables.js'

interface IdentityRow {
  readonly no: number
  /** Whether the ledger is known to have it: a gateway event, an assignment, or the ledger's own word (decisions 8). */
  readonly isKnown: boolean
}

const codec = recordCodec<IdentityRow>(
  'identities',
  1,
  (row) => [row.no, row.isKnown],
  (fields) => ({ no: fields.integer(), isKnown: fields.flag() }),
)

/** Longest key LMDB takes here; an owner of 128 code points has at most 512 bytes. */
const KEY_BYTES_MAX = 512

/** Identities by stream id. Anyone whom a record names gets a number, which is not the same as being known to the ledger. */
export class Identities {
  /** A number never changes. */
  private readonly numbersByOwner = new RowCache<number>()

  constructor(
    private readonly tables: Tables,
    private readonly sequences: Sequences,
  ) {}

  numberOf(owner: string): number | undefined {
    return this.row(owner)?.no
  }

  /** The same, in a commit. */
  numberInCommit(owner: string): number | undefined {
    const known = this.numbersByOwner.get(owner)
    if (known !== undefined) return known
    const no = this.numberOf(owner)
    if (no !== undefined) this.numbersByOwner.set(owner, no)
    return no
  }

  /** The number of an owner whom a row is about to name, in a commit; handed out on first use. */
  numberForRow(owner: string): number {
    return this.numberInCommit(owner) ?? this.intern(owner)
  }

  /** After an aborted commit. */
  forget(): void {
    this.numbersByOwner.forget()
  }

  isKnown(owner: string): boolean {
    return this.row(owner)?.isKnown ?? false
  }

  /** The owner's number, handed out on first use. */
  intern(owner: string): number {
    const row = this.row(owner)
    if (row !== undefined) return row.no
    const no = this.sequences.next('owner')
    this.put(owner, { no, isKnown: false })
    return no
  }

  /** Keeps that the ledger has the identity; false when that was known. */
  markKnown(owner: string): boolean {
    const row = this.row(owner)
    if (row?.isKnown === true) return false
    this.put(owner, { no: row?.no ?? this.sequences.next('owner'), isKnown: true })
    return true
  }

  private row(owner: string): IdentityRow | undefined {
    const key = Buffer.from(owner)
    if (key.length === 0 || key.length > KEY_BYTES_MAX) return undefined
    const bytes = this.tables.identities.get(key)
    return bytes === undefined ? undefined : codec.decode(bytes)
  }

  private put(owner: string, row: IdentityRow): void {
    this.tables.identities.putSync(Buffer.from(owner), codec.encode(row))
  }
}
