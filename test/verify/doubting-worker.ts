import { KeyTables, type TableVerdict } from '../../src/verify/key-tables.js'
import verify from '../../src/verify/worker.js'

/* The real worker, but its tables find nothing valid once they have passed their self-test. */

const judge = KeyTables.prototype.verify
let hasProvedItself = false

KeyTables.prototype.verify = function (): readonly TableVerdict[] {
  const verdicts = judge.call(this)
  if (hasProvedItself) return verdicts.map(() => 'invalid')
  hasProvedItself = true
  return verdicts
}

export default verify
