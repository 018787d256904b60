import type { DatabaseAddress } from '../../../base/database-address.js'
import { type CheckProgress, type CheckResult, Findings, type Violation } from '../../upkeep.js'
import { openSound } from '../moving/open-sound.js'
import type { Snapshot } from '../moving/snapshot.js'
import { DEPOSIT_RULES, PAYMENT_RULES } from './deposit-rules.js'
import { EVENT_RULES } from './event-rules.js'
import { INVOICE_RULES } from './invoice-rules.js'
import { checkRead } from './read-rules.js'
import { type Rule, rowsOf } from './rule.js'
import { LEANING_RULES } from './trade-rules.js'
import { WALLET_RULES } from './wallet-rules.js'

const RULES: readonly Rule[] = [
  ...WALLET_RULES,
  ...INVOICE_RULES,
  ...DEPOSIT_RULES,
  ...PAYMENT_RULES,
  ...EVENT_RULES,
  ...LEANING_RULES,
]

/** The rules in turn, those of one table that follow each other together. */
const RULES_IN_TURN: readonly (readonly [table: string, rules: readonly Rule[]])[] = inTurn(RULES)

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
 * deposits. The database does the work; progress counts the rows of the tables whose rules were read. How many rows break a rule is asked
 * first, for all rules of a table at once: in sound data there is nothing more to ask.
 */
export async function* checkSnapshot(
  snapshot: Snapshot,
  onViolation: (violation: Violation) => void,
): AsyncGenerator<CheckProgress, CheckResult> {
  const counted = await snapshot.counts(CHECKED_TABLES.map(rowsOf))
  const counts = new Map(CHECKED_TABLES.map((table, place) => [table, counted[place] ?? 0]))
  const total = counted.reduce((sum, count) => sum + count, 0)
  const findings = new Findings(onViolation)
  let rows = 0
  for (const [table, rules] of RULES_IN_TURN) {
    yield { phase: 'reading', rows, total }
    rows += counts.get(table) ?? 0
    counts.delete(table)
    const broken = await snapshot.counts(rules.map(({ select }) => select))
    for (const { what, select } of rules.filter((_, place) => broken[place] !== 0)) {
      for await (const batch of snapshot.batches<{ name: string }>(select)) {
        for (const { name } of batch) findings.report({ table, row: name, what })
      }
    }
  }
  yield { phase: 'reading', rows, total }
  for await (const violation of checkRead(snapshot)) findings.report(violation)
  return { rows: total, violations: findings.count }
}

function inTurn(rules: readonly Rule[]): [string, Rule[]][] {
  const turns: [string, Rule[]][] = []
  for (const rule of rules) {
    const last = turns.at(-1)
    if (last?.[0] === rule.table) last[1].push(rule)
    else turns.push([rule.table, [rule]])
  }
  return turns
}
