import type { MigrationPlan } from '../service/migration.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { reportFailure } from './failure.js'
import { withProcess } from './local-work.js'
import { jsonLine } from './output.js'
import { ProgressLine } from './progress-line.js'

export function migrateCommand(program: BillhookCommand): void {
  program
    .add(
      'migrate',
      'Bring the data of an older version to this one, or move it to another store, while no service runs.',
    )
    .onData()
    .opensData(async (given) =>
      isMove(given) ? 'what is to be moved' : `the data directory ${given.settings.dataDirectory}`,
    )
    .option('--check', 'Only tell what there is to do.')
    .option(
      '--from <store>',
      'Move all data from here: lmdb:DIR, postgres://…, or postgres: for that of BILLHOOK_STORE.',
    )
    .option('--to <store>', 'Move all data to here: an empty database, or an empty directory.')
    .asJson()
    .explain(
      'Make a backup first: older versions of Billhook cannot read the data afterwards; a service migrates it at its start. A migration or a move that was stopped or killed is continued by the next one. A move only reads its source, and ends with a comparison of every record and every paid status; until then no service opens its target.',
    )
    .runs(
      (given) => withProcess(given, (io, stop) => (isMove(given) ? move(given, io, stop) : migrate(given, io, stop))),
      (given, problems) => {
        const { from, to, check } = given.options
        if ((from === undefined) !== (to === undefined)) problems.push('A move needs --from and --to.')
        if (isMove(given) && check === true) problems.push('--check is not for a move.')
      },
    )
}

function isMove({ options }: Pick<Given, 'options'>): boolean {
  return options['from'] !== undefined
}

async function move({ settings, options }: Given, io: ProcessIo, stop: AbortSignal): Promise<number> {
  const [from, to] = [String(options['from']), String(options['to'])]
  const { moveData } = await import('../service/moving.js')
  const line = new ProgressLine({ ...io, unit: 'records' })
  try {
    const records = await moveData({ from, to }, settings, io.clock, {
      stop,
      at: (phase, done, total) => line.show(done, total, phase),
    })
    line.clear()
    io.out(
      options['json'] === true
        ? jsonLine({ records })
        : `${records} records were moved, and are the same in both stores, as is what every invoice received.`,
    )
    return EXIT_SUCCESS
  } catch (error) {
    // What a signal ends is told by the exit code alone.
    if (stop.aborted) reportFailure(error as Error, options['json'] === true, io)
    throw error
  } finally {
    line.clear()
  }
}

async function migrate({ settings, options }: Given, io: ProcessIo, stop: AbortSignal): Promise<number> {
  const isJson = options['json'] === true
  const { dueMigration, migrateData } = await import('../service/migration.js')
  const plan = await dueMigration(settings)
  const isDue = plan.from !== plan.to && options['check'] !== true
  try {
    if (isDue) await migrateData(settings, io.clock, progressOf(plan, io, stop))
  } catch (error) {
    // What a signal ends is told by the exit code alone.
    if (stop.aborted) reportFailure(error as Error, isJson, io)
    throw error
  }
  const end = isDue ? { ...plan, done: plan.rows } : plan
  io.out(isJson ? jsonLine(end) : sentence(end, isDue))
  return EXIT_SUCCESS
}

function progressOf({ rows }: MigrationPlan, io: ProcessIo, stop: AbortSignal) {
  const line = new ProgressLine({ ...io, unit: 'rows' })
  return {
    begins: ({ done }: MigrationPlan) => line.show(done, rows, ''),
    // What is left may be passes without a row. The end is told by itself.
    stepped: (done: number) => (done < rows ? line.show(done, rows, '') : undefined),
    finished: () => line.clear(),
    isStopping: () => {
      if (stop.aborted) line.clear()
      return stop.aborted
    },
  }
}

function sentence({ from, to, rows, done }: MigrationPlan, isMigrated: boolean): string {
  if (isMigrated) return `The data has version ${to} now; it had version ${from}.`
  if (from === to) return `The data has version ${to}; nothing is to be done.`
  const begun = done === 0 ? '' : `, of which ${done} are done`
  return `The data has version ${from} and is to get version ${to}: ${rows} rows to read${begun}. Make a backup first.`
}
