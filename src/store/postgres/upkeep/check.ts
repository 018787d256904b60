import type { DatabaseAddress } from '../../../base/database-address.js'
import { type CheckProgress, type CheckResult, Findings, type Violation } from '../../upkeep.js'
import { Fragment } from '../connection/sql.js'
import { openSound } from '../moving/open-sound.js'
import type { Snapshot } from '../moving/snapshot.js'
import { DEPOSIT_RULES, PAYMENT_RULES } from './deposit-rules.js'
import { EVENT_RULES } from './event-rules.js'
import { INVOICE_RULES } from './invoice-rules.js'
import { checkRead } from './read-rules.js'
import type { Rule } from './rule.js'
import { WALLET_RULES } from './wallet-rules.js'

const RULES: readonly Rule[] = [...WALLET_RULES, ...INVOICE_RULES, ...DEPOSIT_RULES, ...PAYMENT_RULES, ...EVENT_RULES]

/** The tables that rules are about. */
const CHECKED_TABLES: readonly string[] = [...new Set(RULES.map(({ table }) => table))]

/** Checks a database as it is at one moment, while others write. Throws `OperatorError` when it has no data of this version. */
export async function* checkDatabase(
  address: DatabaseAddress,
  onViolation: (violation: Violation) => void,
): AsyncGenerator<CheckProgress, CheckResult> {
  const { snapshot } = await openSound(address)
  try {
    return yield* checkSnapshot(snapshot, onViolation)
  } finally {
    await snapshot.close()
  }
}

/**
 * Checks every record against those that it names, every place against its invoice in both directions, and every sum against its
 * deposits. The database does the work, one rule after the other; progress counts the rows of the tables whose rules were read.
 */
export async function* checkSnapshot(
  snapshot: Snapshot,
  onViolation: (violation: Violation) => void,
): AsyncGenerator<CheckProgress, CheckResult> {
  const counts = new Map<string, number>()
  for (const table of CHECKED_TABLES) {
    const row = await snapshot.one<{ rows: number }>(new Fragment([`SELECT count(*) AS rows FROM ${table}`], []))
    counts.set(table, row?.rows ?? 0)
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const findings = new Findings(onViolation)
  let rows = 0
  let table: string | undefined
  for (const rule of RULES) {
    if (table !== rule.table) {
      yield { phase: 'reading', rows, total }
      rows += counts.get(rule.table) ?? 0
      counts.delete(rule.table)
      table = rule.table
    }
    for await (const batch of snapshot.batches<{ name: string }>(rule.select)) {
      for (const { name } of batch) findings.report({ table: rule.table, row: name, what: rule.what })
    }
  }
  yield { phase: 'reading', rows, total }
  for await (const violation of checkRead(snapshot)) findings.report(violation)
  return { rows: total, violations: findings.count }
}
