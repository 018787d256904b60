import { AUDIT_OUTCOMES, AUDIT_TEXT_MAX, type AuditRecord } from './audit.js'
import { ID, timeOfId } from './id.js'
import {
  FieldFlaw,
  type Fields,
  type Importing,
  matching,
  optionalPastTime,
  optionalText,
  pastTime,
} from './imported-fields.js'
import { isLongerThan } from './text.js'

const ACTION = /^[a-z]+([.-][a-z]+)*$/

/** A record of what an operator of another store did. */
export function readAudit(
  record: Fields,
  importing: Importing,
): { readonly type: 'audit'; readonly record: AuditRecord } {
  const id = matching(record, 'id', ID, '32 lower-case hex characters')
  const at = pastTime(record, 'at', importing)
  if (timeOfId(id) !== at) throw new FieldFlaw('at is not the time of its id')
  const named = record['outcome'] ?? null
  const outcome = named === null ? null : AUDIT_OUTCOMES.find((one) => one === named)
  if (outcome === undefined) throw new FieldFlaw('outcome is not one that is known')
  const endedAt = optionalPastTime(record, 'endedAt', importing)
  if ((outcome === null) !== (endedAt === null))
    throw new FieldFlaw('endedAt must be there with an outcome, and only then')
  return {
    type: 'audit',
    record: {
      id,
      at,
      who: given(record, 'who'),
      from: given(record, 'from'),
      action: matching(record, 'action', ACTION, 'the name of an action'),
      owner: bounded(record, 'owner'),
      subject: bounded(record, 'subject'),
      outcome,
      detail: bounded(record, 'detail'),
      endedAt,
    },
  }
}

function given(record: Fields, name: string): string {
  const value = bounded(record, name)
  if (value === null) throw new FieldFlaw(`${name} is missing`)
  return value
}

function bounded(record: Fields, name: string): string | null {
  const value = optionalText(record, name)
  if (value === null) return null
  if (value.includes('\0')) throw new FieldFlaw(`${name} has a NUL in it`)
  if (isLongerThan(value, AUDIT_TEXT_MAX)) throw new FieldFlaw(`${name} is longer than ${AUDIT_TEXT_MAX} characters`)
  return value
}
