import type { Upkeep, Violation } from '../service/upkeep.js'
import type { BillhookCommand, Given, OpensData, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { withProcess } from './local-work.js'
import { jsonLine } from './output.js'
import { ProgressLine } from './progress-line.js'

/** Violations that are printed; those beyond are counted. */
const PRINTED_MAX = 100
const BYTES_OF_UNIT = 1_048_576

/** What a restored backup does not know. Each is a line for the operator. */
const PAST = [
  'A backup is the past. What happened since is unknown now:',
  '- Wallets assigned since are free again. Keep clients away until the ledger has caught up or the gateway has pushed again.',
  '- API keys revoked since are valid again: revoke them before clients can reach the service.',
  '- Invoices and orders created since are gone, though merchants and payers hold their links; references and request signatures count as unused.',
  '- Watched networks and a followed ledger catch up by themselves from where the backup was. The gateway must push again.',
  '- Webhooks sent since may be sent again: receivers know a repetition by txHash and status.',
]

/** The commands about all data: they read the data directory themselves, beside a service that may be running on it. */
export function upkeepCommands(program: BillhookCommand): void {
  program
    .add('backup', 'Write all data of this moment to a new file. The service may be running.')
    .argument('<file>', 'The file, which must not exist.')
    .onData()
    .opensData(dataInFiles)
    .asJson()
    .runs((given) => withUpkeep(given, backup))
  program
    .add('restore', 'Verify a backup, and put it into an empty directory.')
    .argument('<file>', 'The backup.')
    .onData()
    .opensData(dataInFiles)
    .asJson()
    .explain(
      'It checks the restored data like "billhook check", unless they are of an older version. If it finds something, it prints it and ends with 1; the data stay.',
    )
    .runs(
      (given) => withUpkeep(given, restore),
      ({ options }, problems) => {
        if (options['data'] === undefined) problems.push('restore needs --data.')
      },
    )
  program
    .add('check', 'Verify every index against its records and every running total against its deposits.')
    .onData()
    .opensData(dataInFiles)
    .asJson()
    .explain(
      'The service may be running. Ends with 0 when nothing is wrong, with 1 and a line for each violation otherwise.',
    )
    .runs((given) => withUpkeep(given, check))
}

/** They open the data beside a service. A database is another process. */
const dataInFiles: OpensData = async ({ settings: { store, dataDirectory } }) =>
  store === 'lmdb' ? `the data directory ${dataDirectory}` : null

interface Work {
  readonly given: Given
  readonly upkeep: Upkeep
  readonly io: ProcessIo
  readonly stop: AbortSignal
}

function withUpkeep(given: Given, run: (work: Work) => Promise<number>): Promise<number> {
  return withProcess(given, async (io, stop) => {
    const { openUpkeep } = await import('../service/upkeep.js')
    return await run({ given, upkeep: openUpkeep(given.settings, io.clock), io, stop })
  })
}

async function backup({ given, upkeep, io, stop }: Work): Promise<number> {
  const [file = ''] = given.args
  const line = new ProgressLine({ ...io, unit: 'MiB' })
  try {
    const { bytes, madeAt } = await upkeep.backup({ file, stop, onProgress: inMebibytes(line) })
    line.clear()
    if (isJson(given)) io.out(jsonLine({ file, bytes, made_at: madeAt }))
    else io.out(`${file} holds the data of ${time(madeAt)}, ${bytes} bytes.`)
    return EXIT_SUCCESS
  } finally {
    line.clear()
  }
}

async function restore(work: Work): Promise<number> {
  const { given, upkeep, io, stop } = work
  const [file = ''] = given.args
  const directory = given.settings.dataDirectory
  const line = new ProgressLine({ ...io, unit: 'MiB' })
  try {
    const { bytes, madeAt, isOlderVersion } = await upkeep.restore({
      file,
      directory,
      stop,
      onProgress: inMebibytes(line),
    })
    line.clear()
    if (!isJson(given)) io.out(`${directory} holds the data of ${time(madeAt)}.`)
    const checked = isOlderVersion ? null : await checkedData(work)
    if (isJson(given)) {
      const restored = { data: directory, bytes, made_at: madeAt, migrates_at_start: isOlderVersion }
      io.out(jsonLine(checked === null ? restored : { ...restored, ...checked }))
    } else {
      if (checked === null) io.out('It is of an older version: the next start migrates it.')
      else conclude(io, checked)
      for (const sentence of PAST) io.out(sentence)
    }
    return exitCodeOf(checked)
  } finally {
    line.clear()
  }
}

async function check(work: Work): Promise<number> {
  const { given, io } = work
  const checked = await checkedData(work)
  if (isJson(given)) io.out(jsonLine(checked))
  else conclude(io, checked)
  return exitCodeOf(checked)
}

/** What a check of the data directory has found; at most `PRINTED_MAX` of the violations. */
interface Checked {
  readonly rows: number
  readonly violations: number
  readonly found: readonly Violation[]
}

function exitCodeOf(checked: Checked | null): number {
  return checked === null || checked.violations === 0 ? EXIT_SUCCESS : EXIT_FAILURE
}

/** Checks the data, and prints violations as they are found unless the output is JSON. */
async function checkedData({ given, upkeep, io, stop }: Work): Promise<Checked> {
  const line = new ProgressLine({ ...io, unit: 'rows' })
  const found: Violation[] = []
  const onViolation = (violation: Violation) => {
    if (found.length === PRINTED_MAX) return
    found.push(violation)
    if (isJson(given)) return
    line.clear()
    io.out(violationLine(violation))
  }
  const steps = upkeep.check(onViolation)
  try {
    for (;;) {
      const step = await steps.next()
      if (step.done === true) return { ...step.value, found }
      stop.throwIfAborted()
      line.show(step.value.rows, step.value.total, step.value.phase)
    }
  } finally {
    line.clear()
    await steps.return({ rows: 0, violations: 0 })
  }
}

function conclude(io: ProcessIo, { rows, violations, found }: Checked): void {
  if (violations > found.length) io.out(`and ${violations - found.length} more`)
  io.out(`${rows} rows were checked: ${violations === 0 ? 'nothing is wrong' : `${violations} violations`}.`)
}

function violationLine({ table, row, what }: Violation): string {
  return `${table}${row === null ? '' : ` ${row}`}: ${what}`
}

function inMebibytes(line: ProgressLine): (bytes: number, total: number) => void {
  return (bytes, total) => line.show(Math.floor(bytes / BYTES_OF_UNIT), Math.ceil(total / BYTES_OF_UNIT), '')
}

function isJson({ options }: Given): boolean {
  return options['json'] === true
}

function time(unixMs: number): string {
  return new Date(unixMs).toISOString()
}
