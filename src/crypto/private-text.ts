/** Texts with which money can be spent, which somebody has put where an extended public key belongs. */

/** What begins like an extended private key of any coin, such as xprv, zprv and Ltpv, however it goes on. */
const EXTENDED_PRIVATE_KEY = /(?:^|[^1-9A-HJ-NP-Za-km-z])[A-Za-z]{1,3}pr?v[1-9A-HJ-NP-Za-km-z]{40}/
/** A private key in hex, or the one of a PEM file. */
const BARE_PRIVATE_KEY = /(?:^|[^0-9a-f])(?:0x)?[0-9a-f]{64}(?:$|[^0-9a-f])|PRIVATE KEY/i
/** Twelve words or more: a recovery phrase. */
const PHRASE = /(?:^|\s)(?:[a-z]{3,8}\s+){11,}[a-z]{3,8}(?:\s|$)/i

/** Whether a text has something in it that money can be spent with. Errs on the side of yes. */
export function hasPrivateKey(text: string): boolean {
  return EXTENDED_PRIVATE_KEY.test(text) || BARE_PRIVATE_KEY.test(text) || PHRASE.test(text)
}
