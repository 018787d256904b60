import type { Note } from '../domain/note.js'
import { type Columns, timeText } from './column.js'

export const noteColumns = {
  at: { title: 'At', kind: 'time', of: ({ at }) => timeText(at) },
  invoice: { title: 'Invoice', kind: 'id', of: ({ invoiceId }) => invoiceId },
  who: { title: 'Who', of: ({ who }) => who },
  text: { title: 'Note', kind: 'lines', of: ({ text }) => text },
  id: { title: 'Id', kind: 'id', of: ({ id }) => id },
} satisfies Columns<Note>
