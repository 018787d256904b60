import { stringify } from 'csv-stringify/sync'
import { csvText } from '../base/csv-text.js'
import { REPORTS, type ReportLine, type ReportName } from './report.js'

/** The first line of a report: the names of its fields. */
export function csvHead(name: ReportName): string {
  return stringify([[...REPORTS[name]]])
}

/** A line of a report as CSV. What a spreadsheet would take for a formula has an apostrophe before it. */
export function csvLine(name: ReportName, line: ReportLine): string {
  const values = REPORTS[name].map((field) => line[field] ?? null)
  return stringify([values.map((value) => (typeof value === 'string' ? csvText(value) : value))])
}

/** A report as CSV, piece by piece. */
export async function* csvOf(name: ReportName, pieces: AsyncIterable<readonly ReportLine[]>): AsyncGenerator<string> {
  yield csvHead(name)
  for await (const lines of pieces) if (lines.length > 0) yield lines.map((line) => csvLine(name, line)).join('')
}
