import { workerData } from 'node:worker_threads'
import { Verifier } from '../../src/verify/verifier.js'
import { verifyBatch } from '../../src/verify/wire.js'
import type { VerifyWorkerData } from '../../src/verify/worker.js'
import { TalkativeEngine } from '../support/talkative-engine.js'

/* A worker whose engine judges wrongly as soon as it has judged a hundred signatures: from then on only tables are right. */

const ENOUGH = 100
const { keyTables }: VerifyWorkerData = workerData
const engine = new TalkativeEngine('noble')
const verifier = new Verifier(engine, keyTables)

export default function verify(batch: ArrayBuffer): unknown {
  engine.isWrong = engine.asked >= ENOUGH
  return verifyBatch(batch, verifier)
}
