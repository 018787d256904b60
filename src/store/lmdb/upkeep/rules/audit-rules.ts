import { auditRecord } from '../../audit-rows.js'
import { ID_BYTES } from '../../tables/keys.js'
import type { MakeRule } from './rule.js'

/** Rows stand for themselves: what operators did. */
export const audit: MakeRule = (reading) => ({
  row(key, value) {
    reading.expect(key.length === ID_BYTES, 'its key is malformed')
    const { outcome, endedAt } = auditRecord(key, value)
    reading.expect(
      (outcome === null) === (endedAt === null),
      'it has an end without an outcome, or an outcome without an end',
    )
  },
})
