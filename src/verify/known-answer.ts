/**
 * A signed request whose verdict is known, to prove engines and workers at start. The key is that of the secret 1, the
 * generator of the group; the nonce is that of RFC 6979.
 */

import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { encodeBatch, engineVerifier, readAnswer, type VerifyRequest, verifyBatch } from './wire.js'

const knownRequest: VerifyRequest = {
  publicKey: Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
  signature: 'MEUCIQCi8WIcKFSpvlqdVUOL+Eyef3UL6ohahCZo0+6JLBiBTwIgVdbZBMGITRIdEumoQoIZM0+HOVNTmufGtLC4MkcxsTQ=',
  routeTag: 'KNOWN /answer',
  timestamp: '0',
  body: Buffer.from('{}'),
}
const knownForgery: VerifyRequest = { ...knownRequest, body: Buffer.from('{ }') }
const knownRequests = [knownRequest, knownForgery]

/** A new batch of one valid and one invalid request. */
export function encodeKnownBatch(): ArrayBuffer {
  return encodeBatch(knownRequests)
}

/** Throws an Error unless `answer` accepts the valid one and refuses the other. */
export function assertKnownVerdicts(answer: unknown): void {
  const [valid, forged] = readAnswer(answer, knownRequests.length).verdicts
  if (valid !== true || forged !== false) throw new Error('a known signature was judged wrongly')
}

/** Throws an Error unless the engine judges both as it must. */
export function assertKnownAnswer(engine: Pick<Secp256k1Engine, 'verify'>): void {
  assertKnownVerdicts(verifyBatch(encodeKnownBatch(), engineVerifier(engine)))
}
