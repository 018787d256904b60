import { type NoteId, noteCodec, putNote } from '../invoices/notes.js'
import type { InvoiceId } from '../tables/keys.js'
import { type LmdbMovedKind, pageOfTable } from './moved-kind.js'

export const notes: LmdbMovedKind<'notes'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.notes, behind, limit, (key, value) => {
      const { invoice, who, text } = noteCodec.decode(value)
      return { id: key.toString('hex'), invoiceId: Buffer.from(invoice).toString('hex'), who, text }
    }),
  write: (commit, { id, invoiceId, who, text }) =>
    putNote(commit, Buffer.from(invoiceId, 'hex') as InvoiceId, Buffer.from(id, 'hex') as NoteId, { who, text }),
}
