import type { Outcome } from '../domain/failure.js'
import type { Note } from '../domain/note.js'
import type { Awaitable, Page, PageOf } from './reading.js'

/** A note to add. Its text is one that `noteTextOf` has made. */
export type NewNote = Pick<Note, 'invoiceId' | 'who' | 'text'>

/** What support writes about invoices. Each write takes the id of its record in the audit. */
export interface NotePort {
  /** Refuses with `invoice_not_found` or `too_many_notes`. */
  add(note: NewNote, trace?: string): Promise<Outcome<Note>>
  /** Refuses with `not_found`. Answers with what was removed. */
  remove(id: string, trace?: string): Promise<Outcome<Note>>
  find(id: string): Awaitable<Note | undefined>
  /** Those of an invoice, oldest first: all of them. */
  ofInvoice(invoiceId: string): Awaitable<readonly Note[]>
  /** Those of all invoices, newest first; cursors are ids. */
  page(page: Page): Awaitable<PageOf<Note>>
}
