import { hash } from 'node:crypto'

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
  const cases = [digits, digits.toLowerCase(), digits.toUpperCase()]
  const spellings = cases.flatMap((spelling) => [spelling, `0x${spelling}`])
  return spellings.some((spelling) => identityOfKeyText(spelling, onboardingName) === identity)
}

/** The stream id that onboarding gives to a key: `keyText` is hashed exactly as the onboarding transaction spells it. */
export function identityOfKeyText(keyText: string, onboardingName: string): string {
  return hash('sha256', `${keyText}${onboardingName}`)
}
