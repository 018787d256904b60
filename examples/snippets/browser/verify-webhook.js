// For servers with WebCrypto and no node:crypto, such as edge workers. A page in a browser receives no webhooks.
const TOLERANCE_SECONDS = 300

/** Whether a webhook is genuine. `body` is the bytes as they arrived, `headers` a `Headers`. */
export async function isGenuine(body, headers, secret, nowMs = Date.now()) {
  const timestamp = headers.get('webhook-timestamp') ?? ''
  if (!/^\d+$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const start = new TextEncoder().encode(`${headers.get('webhook-id')}.${timestamp}.`)
  const text = Uint8Array.of(...start, ...body)
  const key = await crypto.subtle.importKey('raw', fromHex(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  // While a secret is rotated there are two signatures, with a blank between them.
  for (const one of (headers.get('webhook-signature') ?? '').split(' ')) {
    const mac = one.startsWith('v1,') ? fromBase64(one.slice(3)) : null
    // `verify` compares in constant time.
    if (mac !== null && (await crypto.subtle.verify('HMAC', key, mac, text))) return true
  }
  return false
}

const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

function fromBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
