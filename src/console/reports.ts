import { type Outcome, succeed } from '../domain/failure.js'
import { periodOf, UTC } from '../domain/zone.js'
import { refuseParameter } from '../http/list-query.js'
import { type Markup, markup } from '../page/markup.js'
import { csvOf } from '../reports/csv.js'
import { fileName, isReport, linesOf, REPORTS, type ReportName, type ReportStore } from '../reports/report.js'
import type { Download } from './answer.js'
import type { Visit } from './entrance.js'
import type { ConsolePage } from './layout.js'
import { links } from './links.js'
import { given } from './paging.js'

const WHAT: Readonly<Record<ReportName, string>> = {
  received: 'a line for each confirmed deposit',
  daily: 'their sums by day, network, coin and currency',
  orders: 'a line for each order that was created',
}

/** The form that asks for a report. It begins with the month before the present one. */
export function reportsPage(nowMs: number): ConsolePage {
  const { from, to } = monthBefore(new Date(nowMs))
  const content = markup`<p>What was received, or sold, in a period, as CSV for accountants.</p>
<form class="filter" method="get" action="${links.report}">
<div><label for="report">Report</label><select id="report" name="report">${Object.keys(REPORTS).map((name) => markup`<option>${name}</option>`)}</select></div>
${field('from', 'First day', from, markup` type="date" required`)}
${field('to', 'Last day', to, markup` type="date" required`)}
${field('zone', 'Time zone', UTC, markup` required`)}
${field('owner', 'Owner', '', null)}
<button>Download</button>
</form>
<dl class="facts">
${Object.entries(WHAT).map(
  ([name, what]) => markup`<dt>${name}</dt> <dd>${what}</dd>
`,
)}</dl>
<p class="quiet">A deposit belongs to the day on which it was received. Those that are dropped, or not confirmed yet, are left out.</p>`
  return { title: 'Reports', section: 'reports', content }
}

/** A report as a file, which is read while it is sent. */
export function reportFile(store: ReportStore, { query }: Visit): Outcome<Download> {
  const name = query.get('report') ?? ''
  if (!isReport(name)) return refuseParameter('report')
  const [from, to, zone] = ['from', 'to', 'zone'].map((part) => given(query, part))
  const read = periodOf({ from: from ?? '', to: to ?? '', zone: zone ?? UTC })
  if ('wrong' in read) return refuseParameter(read.wrong)
  const { period } = read
  const lines = linesOf(store, name, { period, owner: given(query, 'owner') }, { pending: 0 })
  return succeed({ name: fileName(name, period), text: csvOf(name, lines) })
}

function field(name: string, label: string, value: string, attributes: Markup | null): Markup {
  return markup`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${attributes}></div>`
}

function monthBefore(now: Date): { readonly from: string; readonly to: string } {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const day = (unixMs: number) => new Date(unixMs).toISOString().slice(0, 'yyyy-mm-dd'.length)
  return { from: day(Date.UTC(year, month - 1, 1)), to: day(Date.UTC(year, month, 0)) }
}
