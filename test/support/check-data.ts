import assert from 'node:assert/strict'
import { checkTables } from '../../src/store/lmdb/upkeep/check.js'
import { holdData } from '../../src/store/lmdb/upkeep/held-data.js'
import type { CheckProgress, CheckResult, Violation } from '../../src/store/upkeep.js'

/** Everything that a check finds in a data directory. A service may be running on it. */
export async function checkData(directory: string): Promise<CheckResult & { readonly found: readonly Violation[] }> {
  const held = await holdData(directory)
  try {
    const found: Violation[] = []
    const check = checkTables(held.tables, Date.now(), (violation) => found.push(violation))
    let step: IteratorResult<CheckProgress, CheckResult>
    do step = check.next()
    while (step.done !== true)
    return { ...step.value, found }
  } finally {
    await held.close()
  }
}

/** Fails when a check of a data directory finds anything. */
export async function assertSound(directory: string): Promise<void> {
  const { found } = await checkData(directory)
  assert.deepEqual(found, [], 'a check of the data directory found these')
}
