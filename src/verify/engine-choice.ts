/**
 * Chooses the implementation of the curve, and proves that it works. The service decides once, at start, and tells the
 * workers its name.
 */

import type { Secp256k1Engine, Secp256k1EngineName } from '../crypto/secp256k1.js'
import { encodeBatch, engineVerifier, readAnswer, type VerifyRequest, verifyBatch } from './wire.js'

export type WantedEngine = 'auto' | Secp256k1EngineName

export interface ChosenEngine {
  readonly engine: Secp256k1Engine
  /** Why this one, for the log. */
  readonly reason: string
}

/**
 * `auto` is libsecp256k1 where its binary loads and verifies, else noble. An engine that is named runs, or the promise
 * rejects; it is never silently replaced.
 */
export async function chooseEngine(wanted: WantedEngine): Promise<ChosenEngine> {
  if (wanted !== 'auto') return { engine: await loadEngine(wanted), reason: 'set explicitly' }
  try {
    return { engine: await loadEngine('libsecp256k1'), reason: 'its binary runs on this machine' }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return { engine: await loadEngine('noble'), reason: `libsecp256k1 does not run on this machine (${cause})` }
  }
}

/** Imports are dynamic, because a static import of libsecp256k1 would keep the service from starting without its binary. */
const engines: Readonly<Record<Secp256k1EngineName, () => Promise<Secp256k1Engine>>> = {
  libsecp256k1: async () => (await import('../crypto/libsecp256k1.js')).libsecp256k1,
  noble: async () => (await import('../crypto/noble.js')).noble,
}

/** Loads an engine and lets it verify a known signature. Rejects when it cannot be loaded or judges wrongly. */
export async function loadEngine(name: Secp256k1EngineName): Promise<Secp256k1Engine> {
  const engine = await engines[name]()
  assertKnownAnswer(engine)
  return engine
}

/**
 * A signed request whose verdict is known. The key is that of the secret 1, the generator of the group; the nonce is that of
 * RFC 6979.
 */
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
