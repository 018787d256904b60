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

/** Fails when a check of a data directory finds anything but `flaw`. */
export async function assertSound(directory: string, flaw: RegExp | null = null): Promise<void> {
  assertFound((await checkData(directory)).found, flaw)
}

/** Fails unless a check found `flaw`, or nothing if that is null. */
export function assertFound(found: readonly Violation[], flaw: RegExp | null): void {
  assert.deepEqual(
    found.filter(({ what }) => flaw?.test(what) !== true),
    [],
    'a check of the data found these',
  )
  assert.ok(flaw === null || found.length > 0, `a check of the data did not find ${flaw}`)
}
