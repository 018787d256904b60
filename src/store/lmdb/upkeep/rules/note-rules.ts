import { isNoteText } from '../../../../domain/note.js'
import { invoiceNoteKey, noteCodec } from '../../invoices/notes.js'
import { ID_BYTES } from '../../tables/keys.js'
import type { MakeRule } from './rule.js'

/** A note is of an invoice, and listed under it. */
export const notes: MakeRule = (reading) => ({
  row(key, value) {
    if (key.length !== ID_BYTES) return reading.wrong('its key is not an id')
    const { invoice, text } = noteCodec.decode(value)
    reading.expect(isNoteText(text), 'its text is none')
    reading.expect(reading.has('invoices', Buffer.from(invoice)), 'invoices does not have its invoice')
    reading.owe('invoiceNotes', invoiceNoteKey(invoice, key))
  },
})
