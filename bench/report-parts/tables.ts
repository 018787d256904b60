import { type Markup, markup } from '../../src/page/markup.js'
import type { Results } from '../results.js'
import { byGroup } from './groups.js'
import type { MeasurementWords } from './measurement-words.js'
import { targetSummary, targetWords } from './target-words.js'

/** The tables of the page. */

export function targetsTable({ targets }: Results): Markup {
  const rows = targets.map((outcome) => {
    const words = targetWords(outcome)
    return markup`<tr><th scope="row">${words.what}<small>${outcome.from}</small></th><td class="number">${words.value}</td>
<td class="number">${words.target}</td><td class="number">${words.floor}</td>
<td class="verdict ${outcome.verdict.replaceAll(' ', '-')}">${words.verdict}</td></tr>
`
  })
  if (rows.length === 0) return markup`<p>${targetSummary(targets)}</p>`
  return markup`<p>${targetSummary(targets)}</p>
<div class="wide"><table>
<thead><tr><th scope="col">Target</th><th scope="col" class="number">Value</th><th scope="col" class="number">Target</th>
<th scope="col" class="number">Floor</th><th scope="col">Verdict</th></tr></thead>
<tbody>
${rows}</tbody></table></div>`
}

export function measurementTables({ measurements }: Results): Markup {
  const groups = byGroup(measurements)
  if (groups.length === 0) return markup`<p>Nothing was measured.</p>`
  return markup`${groups.map(
    ({ title, note, rows }) => markup`<h3>${title}</h3>
${note === '' ? null : markup`<p class="quiet">${note}</p>`}
${measurementTable(rows)}
`,
  )}`
}

/** A column that no measurement of the group fills is left out. */
function measurementTable(rows: readonly MeasurementWords[]): Markup {
  const columns = COLUMNS.filter(({ of }) => rows.some((row) => row[of] !== ''))
  const classOf = (isNumber: boolean) => (isNumber ? 'number' : 'text')
  return markup`<div class="wide"><table class="measured">
<thead><tr>${columns.map(({ title, isNumber }) => markup`<th scope="col" class="${classOf(isNumber)}">${title}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (row) =>
    markup`<tr>${columns.map(({ of, isNumber }) => markup`<td class="${classOf(isNumber)}">${row[of]}</td>`)}</tr>
`,
)}</tbody></table></div>`
}

const COLUMNS = [
  { of: 'name', title: 'What', isNumber: false },
  { of: 'size', title: 'Size', isNumber: true },
  { of: 'median', title: 'Median', isNumber: true },
  { of: 'spread', title: 'Lowest–highest', isNumber: true },
  { of: 'repetitions', title: 'Repetitions', isNumber: true },
  { of: 'note', title: 'How', isNumber: false },
] as const

/** A table of names and values. */
export function factsTable(facts: readonly (readonly [name: string, value: string])[]): Markup {
  if (facts.length === 0) return markup`<p>Nothing was recorded.</p>`
  return markup`<div class="wide"><table class="facts"><tbody>
${facts.map(
  ([name, value]) => markup`<tr><th scope="row">${name}</th><td>${value}</td></tr>
`,
)}</tbody></table></div>`
}
