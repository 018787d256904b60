import type { Endpoint } from '../endpoints.js'

/** What the list of security requirements cannot say. */
export function accessWords(tag: string, endpoint: Endpoint): string | undefined {
  switch (endpoint.access) {
    case 'api-key':
      return `**Signed text begins with** \`${tag}\`. The key needs the permission \`${endpoint.permission}\`. Without a signature \`owner\` in the body is trusted, if the service allows it (\`BILLHOOK_UNSIGNED\`) and is not in strict mode.`
    case 'owner':
      return `**In strict mode** it is signed by any active key of the owner; the signed text begins with \`${tag}\`. Otherwise it is open.`
    case 'identity':
      return `**In strict mode** the signed text begins with \`${tag}\`. Otherwise it is open.`
    default:
      return undefined
  }
}

const SIGNED = { ServiceApiKey: [], ServiceTimestamp: [], ServiceSignature: [] }

/** An empty requirement is the open way in. */
export function securityOf({ access }: Endpoint) {
  switch (access) {
    case 'api-key':
      return [SIGNED, {}]
    case 'owner':
    case 'identity':
      return [{}, SIGNED]
    case 'gateway':
      return [{ GatewayTimestamp: [], GatewaySignature: [] }]
    default:
      return []
  }
}

const inHeader = (name: string, about: string) => ({ type: 'apiKey', in: 'header', name, description: about })

export const securitySchemes = {
  ServiceApiKey: inHeader('X-Service-Api-Key', 'The compressed public key of secp256k1, hex. `0x` is optional.'),
  ServiceTimestamp: inHeader(
    'X-Service-Timestamp',
    "Unix milliseconds, digits only, within five minutes of the server's clock.",
  ),
  ServiceSignature: inHeader(
    'X-Service-Signature',
    'Standard base64 of the strict DER ECDSA signature over the SHA-256 of three parts with a line feed between them: the method and the pattern of the endpoint with `:id` as it stands (`POST /api/invoices`), the timestamp as sent, and the exact bytes of the body. High and low S are both accepted. The three headers belong together. There is no bearer secret: a signature is for one request.',
  ),
  GatewayTimestamp: inHeader('X-Gateway-Timestamp', 'Unix milliseconds, within five minutes.'),
  GatewaySignature: inHeader(
    'X-Gateway-Signature',
    'Lower-case hex HMAC-SHA256 of the timestamp, a line feed and the raw body, with the secret that gateway and service share.',
  ),
}
