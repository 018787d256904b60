import { setImmediate as otherWork } from 'node:timers/promises'
import { type CheckProgress, type CheckResult, Findings, type Violation } from '../../upkeep.js'
import { CorruptRecord } from '../tables/record-codec.js'
import { rowCount, type TableName } from '../tables/tables.js'
import { Sums, type Suspects } from './findings.js'
import type { HeldTables } from './held-data.js'
import { Reading, type Tally } from './reading.js'
import type { Rule } from './rules/rule.js'
import { RULES } from './rules/rules.js'

/** Checks tables as `checkTables` does, and lets other work come between. */
export async function* checkInPieces(
  tables: HeldTables,
  nowMs: number,
  onViolation: (violation: Violation) => void,
): AsyncGenerator<CheckProgress, CheckResult> {
  const steps = checkTables(tables, nowMs, onViolation)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield step.value
    await otherWork()
  }
}

/** Rows between two reports of progress. */
const PROGRESS_ROWS = 20_000

/**
 * Checks every record, every index against its records in both directions, and every running total against its deposits. Memory is bounded
 * whatever the size of the tables. A second reading, which finds the rows of an index that are wrong, follows only when the first one
 * has found that some are. Yields how far it is, so that its caller can do something else between; ends with the result.
 */
export function* checkTables(
  tables: HeldTables,
  nowMs: number,
  onViolation: (violation: Violation) => void,
): Generator<CheckProgress, CheckResult> {
  const findings = new Findings(onViolation)
  const sums = new Sums()
  const rows = yield* read(
    tables,
    nowMs,
    (table, key, value, count) => sums.add(table, key, value, count),
    findings.report,
    'reading',
  )
  const suspects: Suspects | null = sums.suspects()
  if (suspects !== null) {
    // What is wrong with a row of itself has been told.
    yield* read(
      tables,
      nowMs,
      (...row) => suspects.add(...row),
      () => {},
      'looking for rows',
    )
    for (const violation of suspects.violations()) findings.report(violation)
    findings.count += suspects.more
  }
  return { rows, violations: findings.count }
}

function* read(
  tables: HeldTables,
  nowMs: number,
  tally: Tally,
  report: (violation: Violation) => void,
  phase: CheckProgress['phase'],
): Generator<CheckProgress, number> {
  const reading = new Reading(tables, nowMs, tally, report)
  const names = Object.keys(RULES) as TableName[]
  const total = names.reduce((sum, name) => sum + (tables[name] === undefined ? 0 : rowCount(tables[name])), 0)
  const rules: Rule[] = []
  let rows = 0
  for (const name of names) {
    const rule = RULES[name](reading)
    rules.push(rule)
    const table = tables[name]
    if (table === undefined) {
      reading.wrongIn(name, 'the table is missing')
      continue
    }
    for (const { key, value } of table.getRange()) {
      reading.at(name, key)
      guarded(reading, () => rule.row(key, value))
      rows += 1
      if (rows % PROGRESS_ROWS === 0) yield { phase, rows, total }
    }
    guarded(reading, () => rule.end?.())
  }
  for (const rule of rules) guarded(reading, () => rule.finish?.())
  yield { phase, rows, total: rows }
  return rows
}

/** Damage may make any code throw that reads it; a rule that is wrong itself shows up in tests. */
function guarded(reading: Reading, run: () => void): void {
  try {
    run()
  } catch (error) {
    if (error instanceof CorruptRecord) reading.wrong(error.message)
    else if (error instanceof RangeError || error instanceof TypeError)
      reading.wrong(`it is malformed: ${error.message}`)
    else throw error
  }
}
