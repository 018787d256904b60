import type { AuditRecord } from '../domain/audit.js'
import { type Columns, timeText } from './column.js'

export const auditColumns = {
  at: { title: 'At', kind: 'time', of: ({ at }) => timeText(at) },
  who: { title: 'Who', of: ({ who }) => who },
  from: { title: 'From', of: ({ from }) => from },
  action: { title: 'Action', kind: 'word', of: ({ action }) => action },
  subject: { title: 'On', kind: 'id', of: ({ subject }) => subject },
  // Its process may have died with it.
  outcome: { title: 'Outcome', kind: 'word', of: ({ outcome }) => outcome ?? 'unknown' },
  detail: { title: 'Detail', of: ({ detail }) => detail },
  owner: { title: 'Owner', kind: 'id', of: ({ owner }) => owner },
} satisfies Columns<AuditRecord>
