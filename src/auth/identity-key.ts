import { createHash } from 'node:crypto'

/**
 * Whether `identity` is the stream id that onboarding gave to the key of `keyText` (66 hex digits, `0x` optional, as in
 * a header). The id is the SHA-256, in hex, of the key's text and the onboarding name (specification, Ledger steps,
 * Onboarding rules 1), so neither the ledger nor the store has to be asked.
 *
 * The text that was hashed is the one that the identity onboarded with, and it need not be spelled as in this request.
 * Every usual spelling is therefore tried: `0x` or not, lower case, upper case, and the case of the request. All of them
 * name the same key, so accepting any of them admits no other key.
 */
export function isIdentityOfKey(identity: string, keyText: string, onboardingName: string): boolean {
  const digits = keyText.replace(/^0x/, '')
  const spellings = new Set([digits, digits.toLowerCase(), digits.toUpperCase()])
  for (const spelling of spellings) {
    for (const prefix of ['', '0x']) {
      if (identityOfKeyText(`${prefix}${spelling}`, onboardingName) === identity) return true
    }
  }
  return false
}

/** The stream id that onboarding gives to a key: `keyText` is hashed exactly as the onboarding transaction spells it. */
export function identityOfKeyText(keyText: string, onboardingName: string): string {
  return createHash('sha256').update(`${keyText}${onboardingName}`).digest('hex')
}
