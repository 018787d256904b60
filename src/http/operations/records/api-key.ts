import { PERMISSIONS } from '../../../domain/api-key.js'
import { hex, orNull, record, type Schema, text, time } from '../schema.js'
import { identity } from './common.js'

export const apiKeyRecords = {
  ApiKey: record({
    id: hex(16, 'Revokes the key.'),
    owner: identity,
    label: text('Trimmed and truncated to 60 characters.'),
    public_key: text('Compressed, hex, as registered.', { pattern: '^(0x)?0[23][0-9a-fA-F]{64}$' }),
    permissions: text(`Joined by commas: ${PERMISSIONS.join(', ')}.`),
    expires_at: orNull(time('Null when the key never expires.')),
    revoked_at: orNull(time('Null while it is not revoked.')),
    created_at: time('Unix milliseconds.'),
  }),
} as const satisfies Readonly<Record<string, Schema>>
