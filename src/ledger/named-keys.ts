import { isObject } from '../base/json-object.js'
import { parseLedgerKey } from './ledger-signature.js'

/** Keys that are taken from one transaction. */
export const NAMED_KEYS_MAX = 16
/** How deep they may lie in it. */
export const NAMED_DEPTH_MAX = 8
/** Values of a transaction that are looked through. */
const VALUES_MAX = 2000
/** A longer text is no key. */
const KEY_TEXT_LENGTH_MAX = 1000

/** The compressed form of a key, lower-case hex; null for a text that is none. */
export function canonicalKey(text: string): string | null {
  if (text.length > KEY_TEXT_LENGTH_MAX) return null
  const key = parseLedgerKey(text)
  return key === null ? null : Buffer.from(key).toString('hex')
}

/**
 * The keys that a transaction names, anywhere in it, as values or names. Contracts are the operator's own, so nothing is
 * known of where one that replaces a key expects the new one.
 */
export function keysNamedIn(tx: unknown): readonly string[] {
  const keys = new Set<string>()
  let values = 0

  const take = (text: string): void => {
    const key = canonicalKey(text)
    if (key !== null && keys.size < NAMED_KEYS_MAX) keys.add(key)
  }

  const visit = (value: unknown, depth: number): void => {
    values += 1
    if (values > VALUES_MAX || depth > NAMED_DEPTH_MAX) return
    if (typeof value === 'string') take(value)
    else if (Array.isArray(value)) for (const one of value) visit(one, depth + 1)
    else if (isObject(value)) {
      for (const [name, one] of Object.entries(value)) {
        take(name)
        visit(one, depth + 1)
      }
    }
  }

  visit(tx, 0)
  return [...keys].sort()
}
