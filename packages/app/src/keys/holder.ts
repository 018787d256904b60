import { identityId, keySigner, newPhrase, privateKeyFromPhrase, type Signer } from '@billhook/client'
import { closedStatus } from './closed-status.js'
import { KeyError } from './key-error.js'
import { newVaultKey, type Secrets, type StoredKey, seal, unseal, type Vault, type VaultKey } from './vault.js'

/** How long an open vault waits for the next input. */
export const LOCK_AFTER_MS = 15 * 60_000

/** Half of what they can be takes half a million years at a thousand trials a second (docs/security/web-wallet.md). */
const PASSPHRASE_WORDS = 5

/** Where the one vault is kept. */
export interface VaultPlace {
  read(): Promise<Vault | null>
  /**
   * Resolves when it is on the disk, in place of the vault with that salt (null: of none). Answers false, and writes nothing, where another
   * tab has put another one there.
   */
  replace(salt: Vault['salt'] | null, vault: Vault): Promise<boolean>
  /** Removes everything that the browser holds of this service. */
  clear(): Promise<void>
}

export type KeyName = 'identity' | 'apiKey'

/** What the page may know of the keys. */
export type KeyStatus =
  | { readonly state: 'empty' }
  | { readonly state: 'locked'; readonly owner: string }
  | {
      readonly state: 'open'
      readonly owner: string
      /** Public keys; null for a key that is not there. */
      readonly identity: string | null
      readonly apiKey: string | null
    }

export interface HolderParts {
  readonly place: VaultPlace
  /** Milliseconds of a clock that goes on while the machine sleeps. */
  readonly now: () => number
  /** Called when the vault was locked without being asked. */
  readonly onLocked: () => void
  /** The cost of scrypt for a new vault. */
  readonly cost?: number
}

interface Open {
  readonly secrets: Secrets
  readonly key: VaultKey
  readonly signers: ReadonlyMap<KeyName, Signer>
}

/**
 * Holds the keys: `empty` (no vault) → `open` by `create` or `takeKey`; `open` → `locked` by `lock` or time; `locked` → `open` by `unlock`;
 * `forget` leads from anywhere to `empty`.
 */
export class KeyHolder {
  private open: Open | null = null
  /** When somebody was there, by the clock of the parts. */
  private touchedAt = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly parts: HolderParts) {}

  async status(): Promise<KeyStatus> {
    return this.isOpen() ? this.openStatus() : closedStatus(this.parts.place)
  }

  /** Twelve new words. Nothing is kept of them. */
  newPhrase(): string {
    return newPhrase()
  }

  /** Some words for a passphrase, of 55 random bits: each word of a new phrase but the last one has eleven (BIP-39). */
  newPassphrase(): string {
    return newPhrase().split(' ').slice(0, PASSPHRASE_WORDS).join(' ')
  }

  /** Throws `bad_phrase` for words that are no phrase. */
  async checkPhrase(phrase: string): Promise<void> {
    await identityKey(phrase)
  }

  /** Throws `bad_key` for what is no private key. */
  checkKey(privateKey: string): void {
    readKey(privateKey.trim())
  }

  /** Keeps the identity of the words. Throws `bad_phrase`, or `occupied` where there is a vault. */
  async create(phrase: string, onboardingName: string, passphrase: string): Promise<KeyStatus> {
    const identity = await identityKey(phrase)
    const owner = identityId(identity.publicKey, onboardingName)
    return this.begin({ owner, identity, apiKey: null }, passphrase)
  }

  /** Keeps an API key that somebody was given. Throws `bad_key` or `occupied`. */
  async takeKey(owner: string, privateKey: string, passphrase: string): Promise<KeyStatus> {
    const text = privateKey.trim()
    return this.begin(
      { owner: owner.trim(), identity: null, apiKey: { ...readKey(text), privateKey: text } },
      passphrase,
    )
  }

  /** Throws `wrong_passphrase`, or `empty`. */
  async unlock(passphrase: string): Promise<KeyStatus> {
    const vault = await this.parts.place.read()
    if (vault === null) throw new KeyError('empty')
    const opened = await unseal(vault, passphrase)
    if (opened === null) throw new KeyError('wrong_passphrase')
    return this.take(opened.secrets, opened.key)
  }

  /** Makes an API key and keeps it, in place of one that was there. Answers its public key. */
  async makeApiKey(): Promise<string> {
    const { secrets, key } = this.opened()
    const privateKey = hexOf(crypto.getRandomValues(new Uint8Array(32)))
    const apiKey = { ...readKey(privateKey), privateKey }
    const more = { ...secrets, apiKey }
    if (!(await this.parts.place.replace(key.salt, await seal(more, key)))) throw new KeyError('occupied')
    this.take(more, key)
    return apiKey.publicKey
  }

  /** Throws `locked`, or `no_key`. */
  async sign(name: KeyName, digest: Uint8Array): Promise<Uint8Array> {
    const signer = this.opened().signers.get(name)
    if (signer === undefined) throw new KeyError('no_key')
    return signer.sign(digest)
  }

  /** Somebody is there: the vault stays open for as long again. */
  touch(): void {
    if (this.isOpen()) this.touchedAt = this.parts.now()
  }

  lock(): void {
    clearTimeout(this.timer)
    this.open = null
  }

  async forget(): Promise<void> {
    this.lock()
    await this.parts.place.clear()
  }

  private async begin(secrets: Secrets, passphrase: string): Promise<KeyStatus> {
    if ((await this.parts.place.read()) !== null) throw new KeyError('occupied')
    const key = await newVaultKey(passphrase, this.parts.cost)
    // Another tab may have begun meanwhile: the key took a second.
    if (!(await this.parts.place.replace(null, await seal(secrets, key)))) throw new KeyError('occupied')
    return this.take(secrets, key)
  }

  private take(secrets: Secrets, key: VaultKey): KeyStatus {
    const { identity, apiKey } = secrets
    const signers = new Map<KeyName, Signer>()
    if (identity !== null) signers.set('identity', keySigner(identity.privateKey))
    if (apiKey !== null) signers.set('apiKey', keySigner(apiKey.privateKey))
    this.touchedAt = this.parts.now()
    this.open = { secrets, key, signers }
    this.wait()
    return this.openStatus()
  }

  private openStatus(): KeyStatus {
    const { owner, identity, apiKey } = this.opened().secrets
    return { state: 'open', owner, identity: identity?.publicKey ?? null, apiKey: apiKey?.publicKey ?? null }
  }

  private opened(): Open {
    if (!this.isOpen() || this.open === null) throw new KeyError('locked')
    return this.open
  }

  /**
   * Locks it where its time is over. A timer alone would not do: it stops while the machine sleeps. A clock that was set back does not keep
   * it open.
   */
  private isOpen(): boolean {
    if (this.open === null) return false
    if (Math.abs(this.parts.now() - this.touchedAt) < LOCK_AFTER_MS) return true
    this.lock()
    this.parts.onLocked()
    return false
  }

  private wait(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(
      () => {
        if (this.isOpen()) this.wait()
      },
      Math.max(0, Math.min(LOCK_AFTER_MS, this.touchedAt + LOCK_AFTER_MS - this.parts.now())),
    )
  }
}

async function identityKey(phrase: string): Promise<StoredKey> {
  try {
    const privateKey = hexOf(await privateKeyFromPhrase(phrase))
    return { ...readKey(privateKey), privateKey }
  } catch (cause) {
    throw new KeyError('bad_phrase', cause)
  }
}

function readKey(privateKey: string): { readonly publicKey: string } {
  try {
    return { publicKey: keySigner(privateKey).publicKey }
  } catch (cause) {
    throw new KeyError('bad_key', cause)
  }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
