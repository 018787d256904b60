import type { Outcome } from '../../../domain/failure.js'
import { ID, timeOfId } from '../../../domain/id.js'
import type { Note } from '../../../domain/note.js'
import type { NewNote, NotePort } from '../../notes.js'
import type { Page, PageOf } from '../../reading.js'
import { addNote, type NoteWork, removeNote } from '../../rules/notes.js'
import { tracedIn } from '../audit.js'
import type { Database } from '../connection/database.js'
import { type Fragment, sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { pageBehind } from '../pages.js'
import { isNamed } from './invoice-rows.js'

interface NoteColumns {
  readonly id: string
  readonly imported_as: string | null
  readonly invoice_id: string
  readonly who: string
  readonly content: string
}

/** The notes that `rest` chooses, of `notes AS n` and `invoices AS i`. */
function selectNotes(rest: Fragment): Fragment {
  return sql`
    SELECT n.id, n.invoice_id, i.imported_as, n.who, n.content
    FROM notes AS n JOIN invoices AS i ON i.id = n.invoice_id ${rest}`
}

function toNote({ id, imported_as, invoice_id, who, content: text }: NoteColumns): Note {
  return { id, invoiceId: imported_as ?? invoice_id, at: timeOfId(id), who, text }
}

/** Notes of support. */
export class PostgresNotes implements NotePort {
  constructor(private readonly database: Database) {}

  add(note: NewNote, trace?: string): Promise<Outcome<Note>> {
    return this.database.writeRequested((work) => tracedIn(work, trace, addNote(new PostgresNoteWork(work), note)))
  }

  remove(id: string, trace?: string): Promise<Outcome<Note>> {
    return this.database.writeRequested((work) => tracedIn(work, trace, removeNote(new PostgresNoteWork(work), id)))
  }

  async find(id: string): Promise<Note | undefined> {
    if (!ID.test(id)) return undefined
    const row = await this.database.readOne<NoteColumns>(selectNotes(sql`WHERE n.id = ${id}::uuid`))
    return row === undefined ? undefined : toNote(row)
  }

  async ofInvoice(invoiceId: string): Promise<readonly Note[]> {
    const named = isNamed(invoiceId)
    if (named === null) return []
    const rows = await this.database.readPage<NoteColumns>(selectNotes(sql`WHERE ${named} ORDER BY n.id`))
    return rows.map(toNote)
  }

  page(page: Page): Promise<PageOf<Note>> {
    return pageBehind(page, async (behind, limit) => {
      const rows = await this.database.readPage<NoteColumns>(
        selectNotes(sql`WHERE true ${behind(sql`n.id`)} ORDER BY n.id DESC LIMIT ${limit}::bigint`),
      )
      return rows.map((row) => ({ item: toNote(row), id: row.id }))
    })
  }
}

/** What a unit of work does for notes. An invoice that is written about is locked, so that its notes can be counted. */
export class PostgresNoteWork implements NoteWork<string> {
  constructor(private readonly work: Work) {}

  readClock(): Promise<number> {
    return this.work.readClock()
  }

  newId(): string {
    return this.work.newId()
  }

  async invoice(name: string): Promise<string | undefined> {
    const named = isNamed(name)
    if (named === null) return undefined
    const row = await this.work.row<{ id: string }>(sql`SELECT i.id FROM invoices AS i WHERE ${named} FOR UPDATE`)
    return row?.id
  }

  async count(invoice: string, limit: number): Promise<number> {
    const row = await this.work.row<{ notes: number }>(sql`
      SELECT count(*) AS notes FROM (
        SELECT n.id FROM notes AS n WHERE n.invoice_id = ${invoice}::uuid LIMIT ${limit}::bigint) AS counted`)
    return row?.notes ?? 0
  }

  async find(id: string): Promise<Note | undefined> {
    if (!ID.test(id)) return undefined
    const row = await this.work.row<NoteColumns>(selectNotes(sql`WHERE n.id = ${id}::uuid FOR UPDATE OF n`))
    return row === undefined ? undefined : toNote(row)
  }

  add(invoice: string, { id, who, text }: Note): void {
    this.work.write(sql`
      INSERT INTO notes (id, invoice_id, who, content) VALUES (${id}::uuid, ${invoice}::uuid, ${who}, ${text})`)
  }

  remove({ id }: Note): void {
    this.work.write(sql`DELETE FROM notes WHERE id = ${id}::uuid`)
  }
}
