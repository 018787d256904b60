/** Characters of somebody else's words that are shown. */
const LENGTH_MAX = 300

/** What may say where a node is, or open it, in the order in which it is looked for. */
const PRIVATE: readonly RegExp[] = [
  // URLs, and addresses of mail.
  /[a-z][a-z0-9+.-]*:\/\/\S*/gi,
  /\S+@\S+/g,
  // IPv4 and IPv6 addresses.
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi,
  // Names of hosts. Those of classes and of a node's settings end in mixed case, but for one.
  /(?<![\w-]|[\w-]\.)(?!storage\.transHistory\.switch\b)(?:[\w-]+\.)+(?![A-Za-z\d]*[a-z][A-Z])[A-Za-z][A-Za-z\d-]*(?::\d+)?\b(?!\.\w)/g,
  // Keys, hashes and addresses have digits; names of methods do not.
  /\b(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])[\w+/=-]{16,}/gi,
  /[\w+=-]{32,}/g,
]

/**
 * Words of a node as anyone may read them: on one line, bounded, and without what looks like an address or a key. What a node repeats
 * of its own URL was replaced where it was read.
 */
export function publicWords(text: string): string {
  // Longer texts are not searched: the patterns must not cost more than what they find is worth.
  const line = text.slice(0, 4 * LENGTH_MAX).replace(/[\p{C}\p{Z}]+/gu, ' ')
  const shown = PRIVATE.reduce((rest, pattern) => rest.replace(pattern, '…'), line).trim()
  const points = [...shown]
  return points.length > LENGTH_MAX ? `${points.slice(0, LENGTH_MAX).join('')}…` : shown
}
