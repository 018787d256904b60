import { scrypt } from '@noble/hashes/scrypt.js'

/** A private key as `keySigner` takes it, with its public key. */
export interface StoredKey {
  readonly publicKey: string
  readonly privateKey: string
}

/** What a vault holds. */
export interface Secrets {
  /** The id of the identity. */
  readonly owner: string
  /** Null where somebody was given an API key alone. */
  readonly identity: StoredKey | null
  readonly apiKey: StoredKey | null
}

/** Sealed secrets, as the browser keeps them. What is legible is authenticated with the rest. */
export interface Vault {
  readonly version: 1
  readonly owner: string
  readonly salt: Uint8Array
  /** The cost of scrypt: memory of 1 KiB each, and as many steps. */
  readonly cost: number
  readonly nonce: Uint8Array
  readonly sealed: Uint8Array
}

/** 128 MiB and about a second for each trial of a passphrase, as OWASP asks. */
export const SCRYPT_COST = 2 ** 17
/** A record that says more is not ours: it would take the memory of a phone. */
const COST_MAX = 2 ** 20
const BLOCK_SIZE = 8
const SALT_BYTES = 16
/** NIST SP 800-38D, 8.2. A random one for each sealing. */
const NONCE_BYTES = 12
const KEY_BYTES = 32

/** The key of a vault, which no program can read, and what it was made with. */
export interface VaultKey {
  readonly salt: Uint8Array
  readonly cost: number
  readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

export async function newVaultKey(passphrase: string, cost: number = SCRYPT_COST): Promise<VaultKey> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  return { salt, cost, key: await keyFrom(passphrase, salt, cost) }
}

export async function seal(secrets: Secrets, { salt, cost, key }: VaultKey): Promise<Vault> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const head = { version: 1, owner: secrets.owner, salt, cost } as const
  const text = new TextEncoder().encode(JSON.stringify(secrets))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData: bound(head) }, key, text)
  return { ...head, nonce, sealed: new Uint8Array(sealed) }
}

/** Null for a wrong passphrase, and for a record that was changed. */
export async function unseal(
  vault: Vault,
  passphrase: string,
): Promise<{ readonly secrets: Secrets; readonly key: VaultKey } | null> {
  const { cost, nonce, sealed } = vault
  if (vault.version !== 1 || !isCost(cost)) return null
  const salt = new Uint8Array(vault.salt)
  const key = await keyFrom(passphrase, salt, cost)
  const algorithm = { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData: bound(vault) }
  try {
    const text = await crypto.subtle.decrypt(algorithm, key, new Uint8Array(sealed))
    return { secrets: JSON.parse(new TextDecoder().decode(text)), key: { salt, cost, key } }
  } catch {
    return null
  }
}

function isCost(cost: number): boolean {
  return Number.isInteger(Math.log2(cost)) && cost > 1 && cost <= COST_MAX
}

async function keyFrom(passphrase: string, salt: Uint8Array, cost: number): Promise<VaultKey['key']> {
  // The same letters typed on two systems are the same passphrase (RFC 8265, 4.2).
  const typed = new TextEncoder().encode(passphrase.normalize('NFC'))
  const bytes = scrypt(typed, salt, { N: cost, r: BLOCK_SIZE, p: 1, dkLen: KEY_BYTES, maxmem: 2 * COST_MAX * 1024 })
  return crypto.subtle.importKey('raw', new Uint8Array(bytes), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

function bound({ version, owner, salt, cost }: Pick<Vault, 'version' | 'owner' | 'salt' | 'cost'>) {
  return new TextEncoder().encode(JSON.stringify([version, owner, [...salt], cost]))
}
