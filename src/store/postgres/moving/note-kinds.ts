import { sql } from '../connection/sql.js'
import { behindPlace, insertInto, type PostgresMovedKind } from './moved-kind.js'

interface NoteColumns {
  readonly id: string
  readonly invoice_id: string
  readonly who: string
  readonly content: string
}

export const notes: PostgresMovedKind<'notes', NoteColumns> = {
  select: (behind) =>
    sql`SELECT n.id, n.invoice_id, n.who, n.content FROM notes AS n ${behindPlace([sql`n.id`], ['uuid'], behind)}`,
  toRecord: ({ id, invoice_id: invoiceId, who, content: text }) => ({
    record: { id, invoiceId, who, text },
    place: [id],
  }),
  write: (work, records) =>
    work.write(
      insertInto(
        'notes',
        [
          { name: 'id', type: 'uuid', of: ({ id }) => id },
          { name: 'invoice_id', type: 'uuid', of: ({ invoiceId }) => invoiceId },
          { name: 'who', type: 'text', of: ({ who }) => who },
          { name: 'content', type: 'text', of: ({ text }) => text },
        ],
        records,
      ),
    ),
}
