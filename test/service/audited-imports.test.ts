import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuditTrail } from '../../src/audit/trail.js'
import type { AuditEnd } from '../../src/domain/audit.js'
import { createLog } from '../../src/log.js'
import { AuditedImports } from '../../src/service/audited-imports.js'
import type { ImportOutcome } from '../../src/store/imports.js'

const OPERATOR = { who: 'root (uid 0)', from: 'command line on shop' }
const ADDED: ImportOutcome = { status: 'added' }
const REFUSED: ImportOutcome = { status: 'refused', error: 'a flaw' }

/** Imports, with the records that they left and the lines of the log. */
function world() {
  const records = new Map<string, AuditEnd & { readonly subject: string | null }>()
  const lines: unknown[] = []
  const trail = new AuditTrail({
    audit: {
      begin: async (action) => {
        const record = { ...action, id: `r${records.size}`, at: 1, outcome: null, detail: null, endedAt: null }
        records.set(record.id, record)
        return record
      },
      note: async (id, { outcome, detail }) => {
        records.set(id, { subject: records.get(id)?.subject ?? null, outcome, detail })
      },
    },
    log: createLog('info', { write: (line) => lines.push(JSON.parse(line).outcome) }),
  })
  const imports = new AuditedImports(trail)
  const add = (id: string, isLast: boolean, ...outcomes: readonly ImportOutcome[]) =>
    imports.add(OPERATOR, { id, file: `${id}.ndjson`, isLast, unreadable: 0 }, async () => outcomes)
  return {
    imports,
    add,
    lines,
    told: () => [...records.values()].map(({ subject, outcome, detail }) => [subject, outcome, detail]),
  }
}

test('an import in several requests is one record, which is done with the last of them', async () => {
  const { add, lines, told } = world()
  await add('a', false, ADDED, REFUSED)
  // A command that is killed leaves it so.
  assert.deepEqual(told(), [['a.ndjson', null, '1 added, 0 known already, 1 refused']])
  await add('b', true, { status: 'known' })
  await add('a', false, ADDED)
  await add('a', true)
  assert.deepEqual(told(), [
    ['a.ndjson', 'done', '2 added, 0 known already, 1 refused'],
    ['b.ndjson', 'done', '0 added, 1 known already, 0 refused'],
  ])
  assert.deepEqual(lines, [null, 'done', 'done'])
})

test('an import that the store ends has failed', async () => {
  const { imports, lines, told } = world()
  const work = () => Promise.reject(new RangeError('no space'))
  await assert.rejects(imports.add(OPERATOR, { id: 'a', file: null, isLast: false, unreadable: 0 }, work), RangeError)
  assert.deepEqual([told(), lines], [[[null, 'failed', 'RangeError']], [null, 'failed']])
})
