import type { LedgerCursor } from '../../domain/ledger-cursor.js'
import { recordCodec } from './record-codec.js'
import type { Tables } from './tables.js'

const KEY = Buffer.from('ledger-cursor')

const codec = recordCodec<LedgerCursor>(
  'meta/ledger-cursor',
  1,
  ({ origin, timestampMs, umids }) => [origin, timestampMs, umids.length, ...umids],
  (fields) => ({
    origin: fields.text(),
    timestampMs: fields.integer(),
    umids: Array.from({ length: fields.integer() }, () => fields.text()),
  }),
)

/** How far the ledger has been followed: one row of the store's own table. */
export class LedgerCursorRow {
  constructor(private readonly tables: Tables) {}

  read(): LedgerCursor | undefined {
    const bytes = this.tables.meta.get(KEY)
    return bytes === undefined ? undefined : codec.decode(bytes)
  }

  write(cursor: LedgerCursor): void {
    this.tables.meta.putSync(KEY, codec.encode(cursor))
  }
}
