import type { ApiKey } from '../domain/api-key.js'
import { type Columns, timeOrNull, timeText } from './column.js'

export const keyColumns = {
  created: { title: 'Created', kind: 'time', of: ({ created_at }) => timeText(created_at) },
  id: { title: 'Key', kind: 'id', of: ({ id }) => id },
  label: { title: 'Label', of: ({ label }) => label },
  permissions: { title: 'Permissions', kind: 'word', of: ({ permissions }) => permissions.replaceAll(',', ', ') },
  expires: { title: 'Expires', kind: 'time', of: ({ expires_at }) => timeOrNull(expires_at) },
  revoked: { title: 'Revoked', kind: 'time', of: ({ revoked_at }) => timeOrNull(revoked_at) },
  publicKey: { title: 'Public key', kind: 'id', of: ({ public_key }) => public_key },
  owner: { title: 'Owner', kind: 'id', of: ({ owner }) => owner },
} satisfies Columns<ApiKey>
