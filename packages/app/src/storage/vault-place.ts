import type { VaultPlace } from '../keys/holder.js'
import type { Vault } from '../keys/vault.js'
import type { Database } from './database.js'

const KEY = 'vault'

export function vaultPlace(database: Database): VaultPlace {
  return {
    read: () => database.get<Vault>('vault', KEY),
    write: (vault) => database.put('vault', KEY, vault),
    clear: () => database.clear(),
  }
}
