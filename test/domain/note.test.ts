import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureMessages } from '../../src/domain/failure.js'
import { beginningOfNote, NOTE_LENGTH_MAX, NOTES_MAX, noteTextOf } from '../../src/domain/note.js'

const EMOJI = '\u{1f600}'
/** A family: seven code points that are shown as one. */
const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}'

for (const [what, given, kept] of [
  ['a text', 'Called; wants a refund.', 'Called; wants a refund.'],
  ['line breaks of a browser', 'one\r\ntwo\rthree\nfour', 'one\ntwo\nthree\nfour'],
  ['blanks around it', ' \n\t called \r\n', 'called'],
  ['blanks within it', 'a  b\n\n  c', 'a  b\n\n  c'],
  ['markup', '<script>alert(1)</script>&amp;"\'', '<script>alert(1)</script>&amp;"\''],
  ['writing from right to left, and what changes the order', 'שלום \u202eabc\u202c', 'שלום \u202eabc\u202c'],
  ['half of a surrogate pair', 'a\ud83d', 'a\ufffd'],
  ['the most characters', 'x'.repeat(NOTE_LENGTH_MAX), 'x'.repeat(NOTE_LENGTH_MAX)],
  ['the most characters, of four bytes each', EMOJI.repeat(NOTE_LENGTH_MAX), EMOJI.repeat(NOTE_LENGTH_MAX)],
  ['the most characters, line breaks of a browser among them', `${'x\r\n'.repeat(999)}yz`, `${'x\n'.repeat(999)}yz`],
  ['one emoji of several characters', FAMILY, FAMILY],
] as const) {
  test(`a note may have ${what}`, () => assert.equal(noteTextOf(given), kept))
}

for (const [what, given] of [
  ['no text', ''],
  ['blanks only', ' \n\t\u00a0\u3000 '],
  ['nothing that is seen', '\u200b\u2060\ufeff\u00ad\u3164\u2800\u202e'],
  ['one character too many', 'x'.repeat(NOTE_LENGTH_MAX + 1)],
  ['one emoji too many', EMOJI.repeat(NOTE_LENGTH_MAX + 1)],
  ['a NUL', 'a\0b'],
  ['an escape', 'a\u001b[2Jb'],
  ['a C1 control', 'a\u009b2Jb'],
  ['a tab', 'a\tb'],
  ['a delete', 'a\u007f'],
  ['a number', 7],
  ['null', null],
  ['nothing at all', undefined],
  ['a list', ['a']],
] as const) {
  test(`a note with ${what} is none`, () => assert.equal(noteTextOf(given), null))
}

for (const [text, beginning] of [
  ['short', 'short'],
  ['one\ntwo', 'one…'],
  [EMOJI.repeat(80), EMOJI.repeat(80)],
  [EMOJI.repeat(81), `${EMOJI.repeat(80)}…`],
] as const) {
  test(`the beginning of ${JSON.stringify(text.slice(0, 8))} (${text.length}) is on one line`, () =>
    assert.equal(beginningOfNote({ text }), beginning))
}

test('refusals name the limits', () => {
  assert.ok(failureMessages.invalid_note.includes(`1 to ${NOTE_LENGTH_MAX} characters`))
  assert.ok(failureMessages.too_many_notes.includes(`${NOTES_MAX} notes`))
})
