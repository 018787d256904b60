import assert from 'node:assert/strict'

/**
 * Compares recorded answers with those of the simulated ledger. They are equal but for what cannot be: ids of
 * transactions, which have to stand for each other in all answers alike, ids of errors, times, the digests behind the
 * numbers of revisions, and the stack of an error.
 */
export class RecordedAnswers {
  private readonly simulated = new Map<string, string>()
  private readonly recorded = new Map<string, string>()

  /** The simulated transaction that stands for a recorded one. */
  umidFor(recorded: string): string {
    return this.simulated.get(recorded) ?? recorded
  }

  compare(recorded: unknown, simulated: unknown, path = ''): void {
    const name = path.replace(/\.\d+$/, '').slice(path.lastIndexOf('/') + 1)
    if (typeof recorded === 'object' && recorded !== null && typeof simulated === 'object' && simulated !== null) {
      assert.deepEqual(
        Object.keys(simulated).sort(),
        Object.keys(recorded).sort(),
        `the fields of ${path} in ${JSON.stringify(simulated)}`,
      )
      const other = new Map(Object.entries(simulated))
      for (const [key, value] of Object.entries(recorded)) {
        this.compare(value, other.get(key), Array.isArray(recorded) ? `${path}.${key}` : `${path}/${key}`)
      }
    } else if (isTransactionId(name, recorded, simulated)) this.bind(recorded, String(simulated), path)
    else assert.deepEqual(plain(name, path, simulated), plain(name, path, recorded), path)
  }

  private bind(recorded: string, simulated: string, path: string): void {
    assert.match(simulated, UMID, path)
    if (!this.simulated.has(recorded) && !this.recorded.has(simulated)) {
      this.simulated.set(recorded, simulated)
      this.recorded.set(simulated, recorded)
    }
    assert.equal(this.simulated.get(recorded), simulated, `${path}: another transaction`)
    assert.equal(this.recorded.get(simulated), recorded, `${path}: another transaction`)
  }
}

const UMID = /^[0-9a-f]{64}$/
const ERROR_ID = / - Error [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const REVISION = /-[0-9a-f]{32}/g

function isTransactionId(name: string, recorded: unknown, simulated: unknown): recorded is string {
  return ['$umid', 'umid', 'txs'].includes(name) && [recorded, simulated].every((id) => UMID.test(String(id)))
}

/** A value without what may differ. */
function plain(name: string, path: string, value: unknown): unknown {
  if (name === 'timestamp' || name === '$datetime' || name === 'stack') return typeof value
  if (typeof value !== 'string') return value
  if (name === 'errors') return value.replace(ERROR_ID, ' - Error <id>')
  return name === '_rev' || path.includes('/$revs/') ? value.replace(REVISION, '-<digest>') : value
}
