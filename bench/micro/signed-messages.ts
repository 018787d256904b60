import { createHash } from 'node:crypto'
import secp256k1 from 'secp256k1'
import type { VerifyRequest } from '../../src/verify/wire.js'
import { signedTextHead } from '../../src/verify/wire.js'
import { derSignature } from '../merchants.js'

const ROUTE_TAG = 'POST /api/invoices'
const TIMESTAMP = '1700000000000'

export const secretKey = createHash('sha256').update('bench').digest()
export const publicKey = secp256k1.publicKeyCreate(secretKey)

/** A signed creation, in the forms that the cases need. */
export interface SignedMessage {
  readonly request: VerifyRequest
  readonly text: Buffer
  readonly digest: Buffer
  readonly der: Buffer
}

/** Returns different messages, all signed with one key. */
export function signedMessages(count: number): readonly SignedMessage[] {
  return Array.from({ length: count }, (_, n) => {
    const body = Buffer.from(JSON.stringify(draft(n)))
    const text = Buffer.concat([Buffer.from(signedTextHead(ROUTE_TAG, TIMESTAMP)), body])
    const digest = createHash('sha256').update(text).digest()
    const der = derSignature(digest, secretKey)
    const request = { publicKey, signature: der.toString('base64'), routeTag: ROUTE_TAG, timestamp: TIMESTAMP, body }
    return { request, text, digest, der }
  })
}

/** The body of the `n`th creation. */
export function draft(n: number): Readonly<Record<string, unknown>> {
  const amount = `12.${String(n + 1).padStart(6, '0')}`
  return { walletIds: ['wallet-1'], name: `Order ${n}`, amount, currency: 'USDT', reference: `order-${n}` }
}
