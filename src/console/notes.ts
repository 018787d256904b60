import { NOTE_LENGTH_MAX, NOTES_MAX, type Note } from '../domain/note.js'
import { noteColumns } from '../listing/notes.js'
import { type Markup, markup } from '../page/markup.js'
import { finalForm, tokenFor, writingForm } from './forms.js'
import { links } from './links.js'
import type { Session } from './sessions.js'
import { table } from './table.js'
import { NOTES_ANCHOR } from './timeline.js'

/** What the forms call what they do. */
export const NOTE_ACTIONS = { add: 'note', remove: 'remove note' } as const

const { at, who, text } = noteColumns

/** What support wrote about an invoice, oldest first, and room for more. */
export function notesShown(session: Session, invoiceId: string, notes: readonly Note[]): Markup {
  return markup`<h2 id="${NOTES_ANCHOR}">Notes</h2>
${table({
  caption: 'Oldest first',
  columns: { at, who, text },
  items: notes,
  links: {},
  none: 'None.',
  action: { title: 'Remove', of: (note) => removing(session, note) },
})}
${notes.length < NOTES_MAX ? adding(session, invoiceId) : markup`<p class="quiet">An invoice has ${String(NOTES_MAX)} notes at most. Remove one to write another.</p>`}`
}

function adding(session: Session, invoiceId: string): Markup {
  return writingForm(
    {
      path: `${links.invoice(invoiceId)}/notes`,
      token: tokenFor(session, NOTE_ACTIONS.add, invoiceId),
      label: 'Add the note',
    },
    {
      label: 'A note',
      hint: `For support: neither the payer nor the merchant sees it. At most ${NOTE_LENGTH_MAX} characters.`,
    },
  )
}

function removing(session: Session, { id }: Note): Markup {
  return finalForm({
    path: `${links.note(id)}/remove`,
    token: tokenFor(session, NOTE_ACTIONS.remove, id),
    label: 'Remove this note',
    warning: 'It is gone for good. Backups of before keep it.',
  })
}
