/**
 * A signed request whose verdict is known, to find out at start whether an engine and a worker really verify. The key
 * is that of the secret 1, the generator of the group; the nonce is that of RFC 6979.
 */

import { type BatchVerifier, encodeBatch, readAnswer, type VerifyRequest, verifyBatch } from './wire.js'

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
  if (valid !== true || forged !== false) throw new Error('A known signature was judged wrongly.')
}

/** Throws an Error unless signatures are judged as they must be. */
export function assertKnownAnswer(verifier: BatchVerifier): void {
  assertKnownVerdicts(verifyBatch(encodeKnownBatch(), verifier))
}
