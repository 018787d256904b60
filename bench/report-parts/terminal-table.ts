import { styleText } from 'node:util'
import type { Results, TargetOutcome } from '../results.js'
import { byGroup, type GroupOfMeasurements } from './groups.js'
import type { MeasurementWords } from './measurement-words.js'
import { targetSummary, targetWords } from './target-words.js'

type Row = readonly string[]

const COLUMN_GAP = '  '

const VERDICT_COLOURS = { met: 'green', 'floor holds': 'yellow', missed: 'red', 'not measured': 'gray' } as const

/** The targets, then all measurements, as text for a terminal. Colours are used only when `isTty`. */
export function terminalTable(results: Results, isTty = false): string {
  const { targets, measurements, skipped } = results
  const parts = [
    ...(results.isTiny ? ['A tiny run: it shows that everything works, its figures mean nothing.'] : []),
    [...table(targetRows(results), coloursOf(targets, isTty)), targetSummary(targets)].join('\n'),
    ...byGroup(measurements).map((group) =>
      [titleLine(group), ...table(group.rows.map(measurementRow)).map((line) => `  ${line}`)].join('\n'),
    ),
    ...(skipped.length === 0 ? [] : [['Skipped', ...skipped.map((reason) => `  ${reason}`)].join('\n')]),
  ]
  return `${parts.join('\n\n')}\n`
}

function targetRows({ targets }: Results): Row[] {
  if (targets.length === 0) return []
  const rows = targets.map((outcome) => {
    const { what, value, target, floor, verdict } = targetWords(outcome)
    return [what, value, target, floor, verdict]
  })
  return [['', 'value', 'target', 'floor', 'verdict'], ...rows]
}

function titleLine({ title, note }: GroupOfMeasurements): string {
  return note === '' ? title : `${title} (${note})`
}

function measurementRow({ name, size, median, spread, note }: MeasurementWords): Row {
  return [name, size, median, spread, note]
}

type Paint = (line: string, row: number) => string

/** Colours each target's line by its verdict. */
function coloursOf(targets: readonly TargetOutcome[], isTty: boolean): Paint {
  return (line, row) => {
    const outcome = targets[row - 1]
    if (!isTty || outcome === undefined) return line
    return styleText(VERDICT_COLOURS[outcome.verdict], line, { validateStream: false })
  }
}

/** Lines with aligned columns: the first and the last to the left, figures to the right; empty columns are dropped. */
function table(rows: readonly Row[], paint: Paint = (line) => line): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row, at) => {
    const cells = row.flatMap((cell, column) => {
      const width = widths[column] ?? 0
      if (width === 0) return []
      return [column === 0 || column === row.length - 1 ? cell.padEnd(width) : cell.padStart(width)]
    })
    return paint(cells.join(COLUMN_GAP).trimEnd(), at)
  })
}
