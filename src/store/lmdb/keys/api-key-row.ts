import type { ApiKey } from '../../../domain/api-key.js'
import { integer, orNull, recordCodec, text } from '../tables/record-codec.js'

export const apiKeyCodec = recordCodec<ApiKey>('api-keys', 1, {
  id: text,
  owner: text,
  label: text,
  public_key: text,
  permissions: text,
  expires_at: orNull(integer),
  revoked_at: orNull(integer),
  created_at: integer,
})
