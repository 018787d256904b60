import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { readFailure } from '../base/read-failure.js'
import type { ImportOutcome } from '../store/store.js'
import { type Admin, withAdmin } from './admin.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { jsonLine } from './output.js'
import { ProgressLine } from './progress-line.js'

/** Records and characters in one request. */
const BATCH_RECORDS = 500
const BATCH_CHARACTERS = 500_000
/** Refused lines that are printed; the others are only counted. */
const SHOWN_MAX = 100
const STDIN = '-'

const NO_JSON: ImportOutcome = { status: 'refused', error: 'it is no JSON' }

/** A line of the file. Its record is undefined when it holds no JSON. */
interface Line {
  readonly no: number
  readonly record: unknown
}

interface Counts {
  added: number
  known: number
  refused: number
}

/** `billhook import` and `billhook wallets import`. */
export function importCommand(parent: BillhookCommand, summary: string): void {
  parent
    .add('import', summary)
    .argument('<file>', 'A JSON object on each line, as export writes it; - is standard input.')
    .onData()
    .asJson()
    .explain(
      'Invoices need their wallets: import identities, wallets, keys, invoices, deposits and events in this order. They keep their ids, which are 32 hex characters of any kind. Events keep theirs, too, so that a cursor of the other store is one here. What is there already is left as it is, so an import can be repeated. Nobody is notified of imported deposits. An empty data directory gets a new store.',
    )
    .runs((given) => withAdmin(given, (admin, io) => importFile(given, admin, io), 'empty too'))
}

async function importFile({ args, options }: Given, admin: Admin, io: ProcessIo): Promise<number> {
  const [path = STDIN] = args
  const totalBytes = path === STDIN ? null : sizeOf(path)
  const progress = new ProgressLine({ ...io, unit: 'bytes' })
  try {
    const counts = await importLines(path, totalBytes, admin, io, progress)
    progress.clear()
    conclude(counts, options['json'] === true, io)
    return counts.refused === 0 ? EXIT_SUCCESS : EXIT_FAILURE
  } finally {
    progress.clear()
  }
}

async function importLines(
  path: string,
  totalBytes: number | null,
  admin: Admin,
  io: ProcessIo,
  progress: ProgressLine,
): Promise<Counts> {
  const counts: Counts = { added: 0, known: 0, refused: 0 }
  let doneBytes = 0
  const refuse = (no: number, error: string) => {
    counts.refused += 1
    if (counts.refused > SHOWN_MAX) return
    progress.clear()
    io.error(`${path}:${no}: ${error}`)
  }
  const send = async (lines: readonly Line[]) => {
    const outcomes = await sent(admin, lines)
    for (const { no, record } of lines) {
      const outcome = record === undefined ? NO_JSON : outcomes.shift()
      if (outcome === undefined) throw new Error('the service answered another number of records')
      if (outcome.status === 'refused') refuse(no, outcome.error)
      else counts[outcome.status] += 1
    }
    progress.show(doneBytes, totalBytes, `${counts.added} added`)
  }

  let batch: Line[] = []
  let characters = 0
  let no = 0
  const input = path === STDIN ? process.stdin : createReadStream(path)
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    no += 1
    doneBytes += Buffer.byteLength(text) + 1
    if (text.trim() === '') continue
    batch.push({ no, record: parsed(text) })
    characters += text.length
    if (batch.length < BATCH_RECORDS && characters < BATCH_CHARACTERS) continue
    await send(batch)
    batch = []
    characters = 0
  }
  if (batch.length > 0) await send(batch)
  return counts
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

async function sent(admin: Admin, lines: readonly Line[]): Promise<ImportOutcome[]> {
  const records = lines.map(({ record }) => record).filter((record) => record !== undefined)
  const { body } = await admin.call('POST', '/admin/import', { records })
  return (body as { outcomes: ImportOutcome[] }).outcomes
}

function conclude(counts: Counts, isJson: boolean, io: ProcessIo): void {
  const { added, known, refused } = counts
  if (refused > SHOWN_MAX) io.error(`and ${refused - SHOWN_MAX} more`)
  if (isJson) io.out(jsonLine(counts))
  else io.out(`${added} added, ${known} known already, ${refused} refused`)
}

/** Undefined when the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
