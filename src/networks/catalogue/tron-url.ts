import { isEndpoint } from '../../base/network-texts.js'
import type { TronUrl } from './entry.js'

/** Between the URL of the full interface and that of the solidified one. No URL has it unencoded. */
const SEPARATOR = '|'

/** True for a URL, and for two: `http://10.0.0.7:8090|http://10.0.0.7:8091`. */
export function isTronUrl(text: string): boolean {
  const parts = text.split(SEPARATOR)
  return parts.length <= 2 && parts.every(isEndpoint)
}

/** The addresses in a text that passes `isTronUrl`. */
export function readTronUrl(text: string): TronUrl {
  const [full = '', solidity = null] = text.split(SEPARATOR)
  return { full, solidity }
}
