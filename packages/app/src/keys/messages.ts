import type { KeyHolder } from './holder.js'
import type { KeyErrorCode } from './key-error.js'

/** What the page may ask of the thread. Everything else stays inside. */
export const CALLS = [
  'status',
  'newPhrase',
  'newPassphrase',
  'checkPhrase',
  'checkKey',
  'create',
  'takeKey',
  'unlock',
  'makeApiKey',
  'sign',
  'touch',
  'lock',
  'forget',
] as const satisfies readonly (keyof KeyHolder)[]

export type CallName = (typeof CALLS)[number]

export interface Asked {
  readonly id: number
  readonly call: CallName
  readonly given: readonly unknown[]
}

/** An answer, or the news that time has locked the vault. */
export type Told =
  | { readonly id: number; readonly value: unknown }
  /** `code` is null for what should not happen. */
  | { readonly id: number; readonly code: KeyErrorCode | null; readonly message: string }
  | 'locked'
