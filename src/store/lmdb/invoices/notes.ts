import type { Outcome } from '../../../domain/failure.js'
import type { Note } from '../../../domain/note.js'
import type { NewNote, NotePort } from '../../notes.js'
import type { Page, PageOf } from '../../reading.js'
import { addNote, type NoteWork, removeNote } from '../../rules/notes.js'
import { tracedIn } from '../audit-rows.js'
import type { Commit, Reader } from '../commit/commit.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { newestFirst } from '../overview.js'
import { endOf, ID_BYTES, type InvoiceId, idOfKey, type Named, parseId, timeOfId } from '../tables/keys.js'
import { bytes, recordCodec, type Shape, text } from '../tables/record-codec.js'
import { NOTHING } from '../tables/tables.js'
import { findInvoice, invoiceRow } from './invoice-rows.js'

/** 16 bytes, of which the first 6 are the time. */
export type NoteId = Named<Buffer, 'note'>

/** A note as it is stored: its id is the key, and begins with the time. */
export interface StoredNote {
  readonly invoice: Uint8Array
  readonly who: string
  readonly text: string
}

const SHAPE: Shape<StoredNote> = { invoice: bytes, who: text, text }

export const noteCodec = recordCodec<StoredNote>('notes', 1, SHAPE)

/** Notes of support. */
export class LmdbNotes implements NotePort {
  constructor(private readonly commits: CommitLoop) {}

  add(note: NewNote, trace?: string): Promise<Outcome<Note>> {
    return this.commits.run((commit) => tracedIn(commit, trace, addNote(new LmdbNoteWork(commit), note)))
  }

  remove(id: string, trace?: string): Promise<Outcome<Note>> {
    return this.commits.run((commit) => tracedIn(commit, trace, removeNote(new LmdbNoteWork(commit), id)))
  }

  find(id: string): Note | undefined {
    return findNote(this.commits.snapshot, id)
  }

  ofInvoice(invoiceId: string): readonly Note[] {
    const { snapshot } = this.commits
    const invoice = findInvoice(snapshot, invoiceId)
    if (invoice === undefined) return []
    return keysOf(snapshot, invoice.id).map((key) => presentNote(snapshot, idOfKey(key)))
  }

  page(page: Page): PageOf<Note> {
    const { snapshot } = this.commits
    return newestFirst(snapshot.tables.notes, page, (key) => presentNote(snapshot, Buffer.from(key)))
  }
}

export class LmdbNoteWork implements NoteWork<InvoiceId> {
  constructor(private readonly commit: Commit) {}

  readClock(): number {
    return this.commit.nowMs
  }

  newId(): string {
    return this.commit.newId().toString('hex')
  }

  invoice(name: string): InvoiceId | undefined {
    return findInvoice(this.commit, name)?.id
  }

  count(invoice: InvoiceId, limit: number): number {
    return keysOf(this.commit, invoice, limit).length
  }

  find(id: string): Note | undefined {
    return findNote(this.commit, id)
  }

  add(invoice: InvoiceId, { id, who, text }: Note): void {
    putNote(this.commit, invoice, Buffer.from(id, 'hex') as NoteId, { who, text })
  }

  remove(note: Note): void {
    const { notes, invoiceNotes } = this.commit.tables
    const id = Buffer.from(note.id, 'hex') as NoteId
    const invoice = this.invoice(note.invoiceId)
    if (invoice === undefined) throw new Error('a note is of an invoice that is not there')
    notes.removeSync(id)
    invoiceNotes.removeSync(invoiceNoteKey(invoice, id))
  }
}

export function putNote(
  { tables }: Commit,
  invoice: InvoiceId,
  id: NoteId,
  { who, text }: Pick<Note, 'who' | 'text'>,
): void {
  tables.notes.putSync(id, noteCodec.encode({ invoice, who, text }))
  tables.invoiceNotes.putSync(invoiceNoteKey(invoice, id), NOTHING)
}

export function invoiceNoteKey(invoice: Uint8Array, id: Uint8Array): Buffer {
  return Buffer.concat([invoice, id])
}

/** The keys of the notes of an invoice in its index, oldest first. */
function keysOf({ tables }: Reader, invoice: InvoiceId, limit?: number): readonly Buffer[] {
  const end = endOf(invoice, 2 * ID_BYTES + 1)
  const range = { start: invoice, end, ...(limit === undefined ? {} : { limit }) }
  return [...tables.invoiceNotes.getKeys(range)].map((key) => Buffer.from(key))
}

function findNote(at: Reader, name: string): Note | undefined {
  const id = parseId<InvoiceId>(name)
  return id === undefined || !at.tables.notes.doesExist(id) ? undefined : presentNote(at, id)
}

/** A note that an index names. */
function presentNote(at: Reader, id: Buffer): Note {
  const stored = at.tables.notes.get(id)
  if (stored === undefined) throw new Error('an index names a note that is not there')
  const { invoice, who, text } = noteCodec.decode(stored)
  const { id: invoiceId } = invoiceRow(at, Buffer.from(invoice) as InvoiceId).invoice
  return { id: id.toString('hex'), invoiceId, at: timeOfId(id), who, text }
}
