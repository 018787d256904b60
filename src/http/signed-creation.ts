import { createHash } from 'node:crypto'
import type { Signer } from '../auth/signed-request.js'
import type { CreationTerms } from '../store/commands.js'

/** What the store must know of the signature: without a reference, a repeated request must not create again. */
export function termsOf(signer: Signer | null, reference: string | null, body: Uint8Array): CreationTerms {
  if (signer === null) return {}
  const { authority, timestamp } = signer
  if (reference !== null) return { authority }
  const digest = createHash('sha256').update(`${authority.keyId}\n${timestamp}\n`).update(body).digest()
  return { authority, signed: { timestampMs: Number(timestamp), digest } }
}
