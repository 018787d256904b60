import type { KeyStatus, VaultPlace } from './holder.js'

/** What there is to know of keys that nobody has opened. */
export async function closedStatus(
  place: Pick<VaultPlace, 'read'>,
): Promise<Exclude<KeyStatus, { readonly state: 'open' }>> {
  const vault = await place.read()
  return vault === null ? { state: 'empty' } : { state: 'locked', owner: vault.owner }
}
