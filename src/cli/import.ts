import { randomUUID } from 'node:crypto'
import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readFailure } from '../base/read-failure.js'
import type { ImportPart } from '../http/routes/admin.js'
import type { ImportOutcome } from '../store/imports.js'
import { type Admin, withAdmin } from './admin.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { jsonLine, printable } from './output.js'
import { ProgressLine } from './progress-line.js'
import { type RecordLine, recordLines } from './record-lines.js'

/** Records and characters in one request, without its last line. */
const BATCH_RECORDS = 500
const BATCH_CHARACTERS = 500_000
const STDIN = '-'

/** `billhook import` and `billhook wallets import`. */
export function importCommand(parent: BillhookCommand, summary: string): void {
  parent
    .add('import', summary)
    .argument('<file>', 'A JSON object on each line, as export writes it; - is standard input.')
    .onData()
    .option('--former-owners', 'Take invoices on wallets that belong to another identity by now.')
    .asJson()
    .explain(
      'Invoices need their wallets: import identities, wallets, keys, invoices, deposits, orders and events in this order. They keep their ids, which are 32 hex characters of any kind. Events keep theirs, too, so that a cursor of the other store is one here. What is there already is left as it is, so an import can be repeated. Nobody is notified of imported deposits. An empty data directory gets a new store. Records are checked as the API checks requests: a line that it would refuse is refused with its number and the reason, and the others are imported. Ends with 0 when none was refused, else with 1. The last line tells how many were added, known already and refused.',
    )
    .runs((given) => withAdmin(given, (admin, io, stop) => importFile(given, admin, io, stop), 'empty too'))
}

async function importFile({ args, options }: Given, admin: Admin, io: ProcessIo, stop: AbortSignal): Promise<number> {
  const [path = STDIN] = args
  const totalBytes = path === STDIN ? null : sizeOf(path)
  const progress = new ProgressLine({ ...io, unit: 'bytes' })
  const refuse = (no: number, error: string) => {
    progress.clear()
    io.error(printable(`${path}:${no}: ${error}`))
  }
  const named = path === STDIN ? 'standard input' : resolve(path)
  const lines = new LineImport(admin, named, options['formerOwners'] === true, refuse)
  const show = (bytes: number) => progress.show(bytes, totalBytes, `${lines.counts.added} added`)
  let endsAt = 0
  try {
    for await (const line of recordLines(path === STDIN ? process.stdin : createReadStream(path))) {
      endsAt = line.endsAt
      if (await lines.take(line)) show(endsAt)
    }
    await lines.end()
    show(endsAt)
  } finally {
    progress.clear()
    // Told of an import that breaks off, too, as what was added stays; but not to who has stopped it.
    if (!stop.aborted) conclude(lines.counts, options['json'] === true, io)
  }
  return lines.counts.refused === 0 ? EXIT_SUCCESS : EXIT_FAILURE
}

/** Sends lines some at a time, and counts what becomes of them. */
class LineImport {
  readonly counts = { added: 0, known: 0, refused: 0 }
  private waiting: RecordLine[] = []
  private characters = 0
  /** Lines without a record that the service was not told of yet. */
  private unreadable = 0
  /** Names the import in each of its requests. */
  private readonly id = randomUUID()

  constructor(
    private readonly admin: Admin,
    /** What the trail of operators calls it. */
    private readonly named: string,
    private readonly ofFormerOwners: boolean,
    private readonly refuse: (no: number, error: string) => void,
  ) {}

  /** Whether it was sent with those before it. */
  async take(line: RecordLine): Promise<boolean> {
    this.waiting.push(line)
    if ('json' in line.content) this.characters += line.content.json.length
    if (this.waiting.length < BATCH_RECORDS && this.characters < BATCH_CHARACTERS) return false
    await this.flush(false)
    return true
  }

  /** Sends what waits, and that nothing follows. */
  async end(): Promise<void> {
    await this.flush(true)
  }

  private async flush(isLast: boolean): Promise<void> {
    const lines = this.waiting
    this.waiting = []
    this.characters = 0
    const records = lines.flatMap(({ content }) => ('json' in content ? [content.json] : []))
    this.unreadable += lines.length - records.length
    const outcomes = await this.sent(records, isLast)
    for (const { no, content } of lines) {
      const outcome = 'json' in content ? outcomes.shift() : { status: 'refused' as const, error: content.flaw }
      if (outcome === undefined) throw new Error('the service answered another number of records')
      this.counts[outcome.status] += 1
      if (outcome.status === 'refused') this.refuse(no, outcome.error)
    }
  }

  /** The records are sent as they are written: reading them into values and writing them again could make them longer. */
  private async sent(records: readonly string[], isLast: boolean): Promise<ImportOutcome[]> {
    if (records.length === 0 && !isLast) return []
    const { id, named: file, unreadable } = this
    const part = JSON.stringify({ id, file, isLast, unreadable } satisfies ImportPart)
    this.unreadable = 0
    const body = `{"ofFormerOwners":${this.ofFormerOwners},"part":${part},"records":[${records.join(',')}]}`
    const reply = await this.admin.callWith('POST', '/admin/import', body)
    return (reply.body as { outcomes: ImportOutcome[] }).outcomes
  }
}

/** Null for what has no size, such as a pipe. Throws when there is nothing to read. */
function sizeOf(path: string): number | null {
  try {
    accessSync(path, constants.R_OK)
    const stat = statSync(path)
    if (!stat.isDirectory()) return stat.isFile() ? stat.size : null
  } catch (error) {
    throw new Error(`${path} cannot be read: ${readFailure(error)}`)
  }
  throw new Error(`${path} cannot be read: it is a directory`)
}

function conclude(counts: LineImport['counts'], isJson: boolean, io: ProcessIo): void {
  const { added, known, refused } = counts
  if (isJson) io.out(jsonLine(counts))
  else io.out(`${added} added, ${known} known already, ${refused} refused`)
}
