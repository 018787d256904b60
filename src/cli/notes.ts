import { failureMessages } from '../domain/failure.js'
import { NOTE_LENGTH_MAX, NOTES_MAX, type Note, noteTextOf } from '../domain/note.js'
import { withAdmin } from './admin.js'
import type { BillhookCommand } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { readInput } from './input.js'
import { jsonLine, printable } from './output.js'
import { listCommand } from './records.js'

/** Stands for standard input. */
const STANDARD_INPUT = '-'
const TRACED = 'It leaves a record that "billhook audit list" shows, without the text.'

/** `billhook notes`: what support writes about invoices. */
export function noteCommands(program: BillhookCommand): void {
  const notes = program.add('notes', 'Notes of support about invoices, which payers and merchants never see.')
  addCommand(notes)
  listCommand(notes, 'notes', 'List notes, newest first.')
    .option('--invoice <id>', 'Only those of this invoice.')
    .option('--since <time>', 'Only those of this time or later, such as 2026-11-26 or 2026-11-26T03:00:00Z.')
    .explain('A note of several lines is on one here, with / between them. With --json it is as it was written.')
  removeCommand(notes)
}

function addCommand(notes: BillhookCommand): void {
  notes
    .add('add', 'Write a note about an invoice.')
    .argument('<invoice>', 'The id of the invoice.')
    .argument('<text>', 'The note; - reads it from standard input, where it may have several lines.')
    .onData()
    .asJson()
    .explain(
      `At most ${NOTE_LENGTH_MAX} characters, and ${NOTES_MAX} notes for each invoice. The console shows it on the page of the invoice with who wrote it and when. Other users of the machine can see a text among the arguments while the command runs, and your shell may keep it: give - where that matters. ${TRACED}`,
    )
    .runs(
      (given) =>
        withAdmin(given, async (admin, io) => {
          const [invoice = '', written = ''] = given.args
          const text = written === STANDARD_INPUT ? await textOfInput() : written
          const { body } = await admin.call('POST', `/admin/invoices/${encodeURIComponent(invoice)}/notes`, { text })
          const note = body as Note
          if (given.options['json'] === true) io.out(jsonLine(note))
          else io.out(printable(`The note ${note.id} is kept with the invoice ${note.invoiceId}.`))
          return EXIT_SUCCESS
        }),
      ({ args: [, text] }, problems) => {
        if (text !== undefined && text !== STANDARD_INPUT && noteTextOf(text) === null) {
          problems.push(failureMessages.invalid_note)
        }
      },
    )
}

function removeCommand(notes: BillhookCommand): void {
  notes
    .add('remove', 'Remove a note, for good.')
    .argument('<id>', 'The id of the note, as list shows it.')
    .onData()
    .asJson()
    .explain(`Backups of before keep it. ${TRACED}`)
    .runs((given) =>
      withAdmin(given, async (admin, io) => {
        const [id = ''] = given.args
        const note = (await admin.call('POST', `/admin/notes/${encodeURIComponent(id)}/remove`)).body as Note
        if (given.options['json'] === true) io.out(jsonLine(note))
        else io.out(printable(`The note ${note.id} of the invoice ${note.invoiceId} is removed.`))
        return EXIT_SUCCESS
      }),
    )
}

/** Text that is no UTF-8 is refused: replacement characters would be kept as if somebody had written them. */
async function textOfInput(): Promise<string> {
  const input = await readInput(STANDARD_INPUT)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(input)
  } catch {
    throw new Error('standard input is not UTF-8')
  }
}
