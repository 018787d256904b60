import type { Finding } from '../service/doctor/examination.js'
import { withAdmin } from './admin.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { doctorSignatureCommand } from './doctor-signature.js'
import { jsonLine, printable } from './output.js'
import { isServed } from './served-data.js'

const MARKS: Readonly<Record<Finding['verdict'], string>> = {
  ok: 'ok      ',
  warning: 'WARNING ',
  failed: 'FAILED  ',
  skipped: 'skipped ',
}

export function doctorCommand(program: BillhookCommand): void {
  const command = program
    .add(
      'doctor',
      'Try settings, clock, disk or database, open files, nodes, ledger, rates, proxy and callbacks, and say what to do.',
    )
    .onData()
    .opensData(null)
    .asJson()
    .explain(
      'With a running service it examines that one, with its settings; else this command line and environment. Ends with 0 when nothing failed, 1 otherwise. Nothing is sent to merchants, and nothing is changed.',
    )
    .runs(doctor)
  doctorSignatureCommand(command)
}

async function doctor(given: Given): Promise<number> {
  let hasFailed = false
  const show = async (finding: Finding, io: ProcessIo) => {
    hasFailed ||= finding.verdict === 'failed'
    await io.print(given.options['json'] === true ? `${jsonLine(finding)}\n` : `${lineOf(finding)}\n`)
  }
  if (await isServed(given.settings.dataDirectory)) {
    await withAdmin(given, async (admin, io) => {
      await admin.work('GET', '/admin/doctor', { onItem: (item) => show(item as Finding, io) })
      return EXIT_SUCCESS
    })
  } else {
    const io = given.context.processIo('silent')
    const { examine } = await import('../service/doctor/doctor.js')
    for await (const record of examine({ settings: given.settings, clock: io.clock, log: io.log, running: null })) {
      if (record.type === 'item') await show(record.item as Finding, io)
    }
  }
  return hasFailed ? EXIT_FAILURE : EXIT_SUCCESS
}

/** Text from others, such as a node's answer, cannot send control characters to a terminal. */
function lineOf({ name, verdict, text, advice }: Finding): string {
  const line = `${MARKS[verdict]}${name}: ${text}${advice === undefined ? '' : ` ${advice}`}`
  return printable(line)
}
