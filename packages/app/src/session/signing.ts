import type { ServiceInfo } from '@billhook/client'

/** Whether the service takes nothing from this app without a signature. */
export function needsSignature({ strict, unsigned }: Pick<ServiceInfo, 'strict' | 'unsigned'>): boolean {
  return strict || unsigned === 'off'
}

/** Codes of the service for a key that it will never take again. */
const USELESS = ['unknown_api_key', 'api_key_revoked', 'api_key_expired', 'not_owner']

export function isUselessKey(code: string): boolean {
  return USELESS.includes(code)
}
