import type { VaultPlace } from '../keys/holder.js'
import type { Vault } from '../keys/vault.js'
import type { Database } from './database.js'

const KEY = 'vault'

export function vaultPlace(database: Database): VaultPlace {
  return {
    read: () => database.get<Vault>('vault', KEY),
    replace: async (salt, vault) => {
      const fits = (there: Vault | null) => String(there?.salt ?? null) === String(salt)
      return (await database.change<Vault>('vault', KEY, (there) => (fits(there) ? vault : there))) === vault
    },
    clear: () => database.clear(),
  }
}
