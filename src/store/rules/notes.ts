import { isDeepStrictEqual } from 'node:util'
import { type Outcome, refuse, succeed } from '../../domain/failure.js'
import { NOTES_MAX, type Note } from '../../domain/note.js'
import type { ImportOutcome } from '../imports.js'
import type { NewNote } from '../notes.js'
import type { Awaitable } from '../reading.js'
import { type Asking, ask } from './asking.js'
import { ADDED, KNOWN, refused } from './import-outcomes.js'

/** What an engine does for notes, inside a transaction. `Id` is the id under which it has an invoice. */
export interface NoteWork<Id> {
  readClock(): Awaitable<number>
  /** A new id, which begins with the time of the transaction. */
  newId(): string
  /** The invoice that somebody names. Nobody else adds notes to it until the commit. */
  invoice(name: string): Awaitable<Id | undefined>
  /** How many notes an invoice has; counts no further than `limit`. */
  count(invoice: Id, limit: number): Awaitable<number>
  /** Nobody else removes it until the commit. */
  find(id: string): Awaitable<Note | undefined>
  add(invoice: Id, note: Note): void
  remove(note: Note): void
}

export function* addNote<Id>(notes: NoteWork<Id>, { invoiceId, who, text }: NewNote): Asking<Outcome<Note>> {
  const invoice = yield* ask(notes.invoice(invoiceId))
  if (invoice === undefined) return refuse('invoice_not_found')
  if (yield* isFull(notes, invoice)) return refuse('too_many_notes')
  const at = yield* ask(notes.readClock())
  const note = { id: notes.newId(), invoiceId, at, who, text }
  notes.add(invoice, note)
  return succeed(note)
}

export function* removeNote<Id>(notes: NoteWork<Id>, id: string): Asking<Outcome<Note>> {
  const note = yield* ask(notes.find(id))
  if (note === undefined) return refuse('not_found')
  notes.remove(note)
  return succeed(note)
}

/** Adds a note of another store. */
export function* importNote<Id>(notes: NoteWork<Id>, note: Note): Asking<ImportOutcome> {
  const invoice = yield* ask(notes.invoice(note.invoiceId))
  if (invoice === undefined) return refused('its invoice is not known: import invoices first')
  const known = yield* ask(notes.find(note.id))
  if (known !== undefined) return isDeepStrictEqual(known, note) ? KNOWN : refused('another note has its id')
  if (yield* isFull(notes, invoice)) return refused(`its invoice has ${NOTES_MAX} notes already`)
  notes.add(invoice, note)
  return ADDED
}

function* isFull<Id>(notes: NoteWork<Id>, invoice: Id): Asking<boolean> {
  return (yield* ask(notes.count(invoice, NOTES_MAX))) >= NOTES_MAX
}
