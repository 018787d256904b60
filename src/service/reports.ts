import type { WorkRecord } from '../http/routes/work-answer.js'
import type { Asked } from '../reports/received.js'
import { linesOf, type ReportName, type ReportStore } from '../reports/report.js'

/** A report for a command: its lines, and at the end how many there are and what was left out. */
export async function* reportOf(store: ReportStore, name: ReportName, asked: Asked): AsyncGenerator<WorkRecord> {
  const leftOut = { pending: 0 }
  let done = 0
  for await (const lines of linesOf(store, name, asked, leftOut)) {
    for (const item of lines) yield { type: 'item', item }
    done += lines.length
    yield { type: 'progress', done, total: null, what: '' }
  }
  yield { type: 'done', result: { lines: done, pending: leftOut.pending } }
}
