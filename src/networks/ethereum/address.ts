import { keccak_256 } from '@noble/hashes/sha3.js'

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const LOWER_CASE = /^0x[0-9a-f]{40}$/
const UPPER_CASE = /^0x[0-9A-F]{40}$/

/** `0x` and 40 hex digits whose case is the checksum of ERC-55: upper where the digest of the digits has a high nibble. */
export function checksummedAddress(account: Uint8Array): string {
  const digits = Buffer.from(account).toString('hex')
  const digest = Buffer.from(keccak_256(Buffer.from(digits))).toString('hex')
  let cased = ''
  for (const [i, digit] of [...digits].entries()) cased += (digest[i] ?? '0') >= '8' ? digit.toUpperCase() : digit
  return `0x${cased}`
}

/** Whether a text is an address: letters of one case carry no checksum, those of both must be the checksum (ERC-55). */
export function isEthereumAddress(text: string): boolean {
  if (!ADDRESS.test(text)) return false
  return (
    LOWER_CASE.test(text) || UPPER_CASE.test(text) || checksummedAddress(Buffer.from(text.slice(2), 'hex')) === text
  )
}
