import { Argument } from 'commander'
import { periodOf, UTC } from '../domain/zone.js'
import { csvHead, csvLine } from '../reports/csv.js'
import { REPORTS, type ReportLine, type ReportName } from '../reports/report.js'
import { withAdmin } from './admin.js'
import type { BillhookCommand, Given } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { needFlags, text } from './flags.js'
import { jsonLine } from './output.js'

const WRONG = {
  from: '--from must be a day such as 2026-11-01',
  to: '--to must be a day such as 2026-11-30, and not before --from',
  zone: '--zone must be a time zone such as Europe/Berlin',
} as const

/** `billhook report`: what an accountant asks for, as CSV. */
export function reportCommand(program: BillhookCommand): void {
  program
    .add('report', 'Write what was received, or sold, in a period as CSV, for accountants.')
    .addArgument(
      new Argument(
        '<report>',
        'received: a line for each confirmed deposit. daily: their sums by day, network, coin and currency. orders: a line for each order that was created.',
      ).choices(Object.keys(REPORTS)),
    )
    .onData()
    .option('--from <day>', 'The first day, such as 2026-11-01.')
    .option('--to <day>', 'The last day, which belongs to the report.')
    .option('--zone <zone>', `The time zone in which days begin, such as Europe/Berlin. Default: ${UTC}.`)
    .option('--owner <id>', 'Only what is of this owner.')
    .option('--json', 'Print a line of JSON for each line of the report, instead of CSV.')
    .explain(
      'A deposit belongs to the day on which it was received, as the clocks of the zone show it. Deposits that are dropped, or not confirmed yet, are left out; of the latter a line on standard error says how many. Amounts are in coins, exactly. What a deposit is worth follows from the rate of its order. In CSV an apostrophe stands before whatever a spreadsheet would take for a formula.',
    )
    .runs(report, ({ options }, problems) => {
      needFlags('report', ['from', 'to'], options, problems)
      const read = periodOf(periodIn(options))
      const isGiven = text('from', options) !== undefined && text('to', options) !== undefined
      if ('wrong' in read && (isGiven || read.wrong === 'zone')) {
        problems.push(`${WRONG[read.wrong]}, not ${JSON.stringify(text(read.wrong, options))}.`)
      }
    })
}

function periodIn(options: Given['options']) {
  const [from = '', to = '', zone = UTC] = ['from', 'to', 'zone'].map((name) => text(name, options))
  return { from, to, zone }
}

function report(given: Given): Promise<number> {
  const { args, options } = given
  // The parser has checked it.
  const name = args[0] as ReportName
  const owner = text('owner', options)
  const query = new URLSearchParams({ ...periodIn(options), ...(owner === undefined ? {} : { owner }) })
  const isJson = options['json'] === true
  return withAdmin(given, async (admin, io) => {
    if (!isJson) await io.print(csvHead(name))
    const { pending } = await admin.work('GET', `/admin/reports/${name}?${query}`, {
      unit: 'lines',
      onItem: (line) => io.print(isJson ? `${jsonLine(line)}\n` : csvLine(name, line as ReportLine)),
    })
    if (pending !== 0) io.error(`Deposits of this period that are not confirmed yet, and are left out: ${pending}.`)
    return EXIT_SUCCESS
  })
}
