import { AUDIT_TEXT_MAX } from './audit.js'
import { ID, INVOICE_ID, timeOfId } from './id.js'
import { FieldFlaw, type Fields, type Importing, matching, pastTime, text } from './imported-fields.js'
import { isNoteText, type Note } from './note.js'
import { isLongerThan } from './text.js'

/** A note of another store. */
export function readNote(record: Fields, importing: Importing): { readonly type: 'note'; readonly note: Note } {
  const id = matching(record, 'id', ID, '32 lower-case hex characters')
  const at = pastTime(record, 'at', importing)
  if (timeOfId(id) !== at) throw new FieldFlaw('at is not the time of its id')
  const invoiceId = matching(record, 'invoiceId', INVOICE_ID, '32 hex characters')
  const who = text(record, 'who')
  if (who.includes('\0')) throw new FieldFlaw('who has a NUL in it')
  if (isLongerThan(who, AUDIT_TEXT_MAX)) throw new FieldFlaw(`who is longer than ${AUDIT_TEXT_MAX} characters`)
  const written = text(record, 'text')
  if (!isNoteText(written)) throw new FieldFlaw('text is no text of a note')
  return { type: 'note', note: { id, invoiceId, at, who, text: written } }
}
