import type { Group, Measurement } from '../results.js'
import { type MeasurementWords, measurementWords } from './measurement-words.js'

/** The groups of a report, in order, with their titles. */
export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  throughput: 'Invoices created in a second, signed and durable',
  postgres: 'On PostgreSQL',
  limits: 'Limits of the machine',
  latency: 'Latency of a creation at half of the peak rate',
  reads: 'Reads of an invoice',
  history: 'Cost against history size',
  batch: 'Throughput against batch size',
  webhooks: 'Webhooks',
  process: 'Start and memory',
  backup: 'Creations beside backups',
  sizing: 'What a rate of invoices takes',
  disk: 'Bytes on disk',
  micro: 'Single functions',
}

export interface GroupOfMeasurements {
  readonly group: Group
  readonly title: string
  /** How the whole group was measured; empty when that differs within it. */
  readonly note: string
  readonly rows: readonly MeasurementWords[]
}

/** Groups the measurements. Groups without measurements are left out. */
export function byGroup(measurements: readonly Measurement[]): GroupOfMeasurements[] {
  return (Object.keys(GROUP_TITLES) as Group[]).flatMap((group) => {
    const rows = measurements.filter((measurement) => measurement.group === group).map(measurementWords)
    const [first] = rows
    if (first === undefined) return []
    const isShared = rows.length > 1 && rows.every(({ note }) => note === first.note)
    return [{ group, title: GROUP_TITLES[group], note: isShared ? first.note : '', rows: saidOnce(rows, isShared) }]
  })
}

/** Drops notes that stand above all rows already, or in the row before for the same name. */
function saidOnce(rows: readonly MeasurementWords[], isShared: boolean): MeasurementWords[] {
  return rows.map((row, n) => {
    const before = rows[n - 1]
    const isRepeated = before?.name === row.name && before.note === row.note
    return isShared || isRepeated ? { ...row, note: '' } : row
  })
}
