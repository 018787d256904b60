import type { ApiKey } from '@billhook/client'

export type KeyState = 'active' | 'revoked' | 'expired'

export function stateOfKey(
  { revoked_at, expires_at }: Pick<ApiKey, 'revoked_at' | 'expires_at'>,
  now: number,
): KeyState {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at <= now ? 'expired' : 'active'
}
