import { isLongerThan, wellFormed } from './text.js'

/** The most characters of a note, as people count them: code points. */
export const NOTE_LENGTH_MAX = 2000
/** The most notes of one invoice, so that its page stays a page. */
export const NOTES_MAX = 100

/** What somebody of support wrote about an invoice. Neither payers nor the API see it. */
export interface Note {
  /** 32 hex characters, which begin with the time. */
  readonly id: string
  readonly invoiceId: string
  /** Unix ms. */
  readonly at: number
  /** Who wrote it: a session of the console, or a user of the operating system. */
  readonly who: string
  readonly text: string
}

/** A browser sends line breaks as CR and LF. */
const LINE_BREAK = /\r\n?/g
/** Everything but a line break. */
const CONTROL = /(?!\n)\p{Cc}/u
/** U+2800 is a symbol, and shown as a blank. */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** The text of a note as it is kept; null when it says nothing, has control characters or is too long. */
export function noteTextOf(given: unknown): string | null {
  if (typeof given !== 'string') return null
  const text = wellFormed(given).replace(LINE_BREAK, '\n').trim()
  return isNoteText(text) ? text : null
}

/** Whether a stored note may have this text. */
export function isNoteText(text: string): boolean {
  return VISIBLE.test(text) && !CONTROL.test(text) && !isLongerThan(text, NOTE_LENGTH_MAX)
}

const BEGINNING_MAX = 80

/** The beginning of a note, on one line. */
export function beginningOfNote({ text }: Pick<Note, 'text'>): string {
  const [line = ''] = text.split('\n', 1)
  const isWhole = line === text && !isLongerThan(line, BEGINNING_MAX)
  return isWhole ? line : `${[...line].slice(0, BEGINNING_MAX).join('')}…`
}
