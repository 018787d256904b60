/** Which implementation of the curve runs. The service decides once, at start, and tells the workers its name. */

import type { Secp256k1Engine, Secp256k1EngineName } from '../crypto/secp256k1.js'
import { assertKnownAnswer } from './known-answer.js'

export type WantedEngine = 'auto' | Secp256k1EngineName

export interface ChosenEngine {
  readonly engine: Secp256k1Engine
  /** Why this one, for the log. */
  readonly reason: string
}

/**
 * `auto` is libsecp256k1 where its binary loads and verifies, else noble. An engine that is named runs, or the promise
 * rejects; it is never silently replaced. Imports are dynamic, because a static import of libsecp256k1 would keep the
 * service from starting where there is no binary.
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

/** Loads an engine and lets it verify a known signature. Rejects when it cannot be loaded or judges wrongly. */
export async function loadEngine(name: Secp256k1EngineName): Promise<Secp256k1Engine> {
  const engine = await importEngine(name)
  assertKnownAnswer(engine)
  return engine
}

async function importEngine(name: Secp256k1EngineName): Promise<Secp256k1Engine> {
  switch (name) {
    case 'libsecp256k1':
      return (await import('../crypto/libsecp256k1.js')).libsecp256k1
    case 'noble':
      return (await import('../crypto/noble.js')).noble
  }
}
