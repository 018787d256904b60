/* Forms of texts by which nodes and explorers of networks are named. */

/** True for an absolute http or https URL without fragment; user, password, path and query are allowed. */
export function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && !text.includes('#')
}

/** The id of a block of a TRON network. */
export function isBlockId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

/** True for an https origin, as a Content-Security-Policy names it. */
export function isOrigin(text: string): boolean {
  return /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

/** True for an https URL without credentials that has `{txHash}` once, behind its host. */
export function isExplorer(text: string): boolean {
  return /^https:\/\/[^\s\\/?#@{}]+\/[^\s\\{}]*\{txHash\}[^\s\\{}]*$/.test(text) && URL.canParse(text)
}
