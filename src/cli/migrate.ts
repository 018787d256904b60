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
      'Bring the data of an older version to this one, while no service runs. A service does it at its start.',
    )
    .onData()
    .option('--check', 'Only tell what there is to do.')
    .asJson()
    .explain(
      'Make a backup first: older versions of Billhook cannot read the data afterwards. A migration that was stopped or killed is continued by the next one.',
    )
    .runs((given) => withProcess(given, (io, stop) => migrate(given, io, stop)))
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
    stepped: (done: number) => line.show(done, rows, ''),
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
