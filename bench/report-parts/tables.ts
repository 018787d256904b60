import type { Results } from '../results.js'
import { NOT_MEASURED } from './figure.js'
import { type Align, plain, table } from './markdown.js'
import type { MeasurementWords } from './measurement-words.js'
import { targetWords } from './target-words.js'

/** The tables of the page. */

export function targetsTable({ targets }: Results): string {
  const columns = [
    { title: 'Target', align: 'left' },
    { title: 'Asked', align: 'right' },
    { title: 'Floor', align: 'right' },
    { title: 'Reached', align: 'right' },
    { title: '', align: 'left' },
  ] as const
  const rows = targets.map((outcome) => {
    const { what, value, target, floor, verdict } = targetWords(outcome)
    return [plain(what), target, floor, `**${value}**`, verdict]
  })
  return table(columns, rows)
}

const COLUMNS = [
  { of: 'name', title: 'What', align: 'left' },
  { of: 'size', title: 'Size', align: 'right' },
  { of: 'median', title: 'Median', align: 'right' },
  { of: 'spread', title: 'Lowest–highest', align: 'right' },
  { of: 'repetitions', title: 'Repetitions', align: 'right' },
  { of: 'note', title: 'How', align: 'left' },
] as const satisfies readonly { readonly of: keyof MeasurementWords; readonly title: string; readonly align: Align }[]

/** A column that no measurement of the group fills is left out. */
export function measurementTable(rows: readonly MeasurementWords[]): string {
  const columns = COLUMNS.filter(({ of }) => rows.some((row) => row[of] !== ''))
  return table(
    columns,
    rows.map((row) => columns.map(({ of }) => plain(row[of]))),
  )
}

/** Measurements that were made once at each of some sizes: a column for each. */
export function sizesTable(sizeName: string, rows: readonly MeasurementWords[]): string {
  const unique = (of: 'name' | 'size') => [...new Set(rows.map((row) => row[of]))]
  const sizes = unique('size')
  const columns = [
    { title: sizeName, align: 'left' as Align },
    ...sizes.map((size) => ({ title: size, align: 'right' as const })),
  ]
  const cells = (name: string) =>
    sizes.map((size) => rows.find((row) => row.name === name && row.size === size)?.median ?? NOT_MEASURED)
  return table(
    columns,
    unique('name').map((name) => [name, ...cells(name)].map(plain)),
  )
}

/** A table of names and values. */
export function factsTable(facts: readonly (readonly [name: string, value: string])[]): string {
  const columns = [
    { title: 'What', align: 'left' },
    { title: 'Value', align: 'left' },
  ] as const
  return table(
    columns,
    facts.map(([name, value]) => [plain(name), plain(value)]),
  )
}
