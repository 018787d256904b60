import { createHash } from 'node:crypto'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import secp256k1 from 'secp256k1'
import { loadEngine } from '../../src/verify/engine-choice.js'
import { compileKeyTables } from '../../src/verify/key-tables.js'
import { BATCH_LIMIT } from '../../src/verify/pool.js'
import { TableVerifier } from '../../src/verify/table-verifier.js'
import { type BatchVerifier, engineVerifier, type SignedDigest } from '../../src/verify/wire.js'
import { derSignature } from '../merchants.js'
import { argument, tell } from '../parent.js'
import type { VerifyTask } from './verifications.js'

/** Verifies as fast as it can, on threads that start together. */

const ENGINE = 'libsecp256k1'
/** As many signatures together as the service verifies at most. */
const TOGETHER = BATCH_LIMIT[ENGINE]
/** Batches that differ. */
const BATCHES = 50
/** Long enough for every key to get its table. */
const WARM_UP_SECONDS = 0.5

if (isMainThread) await direct(argument<VerifyTask>())
else await work(workerData as VerifyTask)

async function direct(task: VerifyTask): Promise<void> {
  const workers = Array.from({ length: task.threads }, () => new Worker(new URL(import.meta.url), { workerData: task }))
  const says = () =>
    workers.map(
      (worker) =>
        new Promise<unknown>((resolve, reject) => {
          worker.once('message', resolve)
          worker.once('error', reject)
        }),
    )
  await Promise.all(says())
  const rates = says()
  for (const worker of workers) worker.postMessage('begin')
  const perSecond = (await Promise.all(rates)).reduce((sum: number, rate) => sum + Number(rate), 0)
  tell({ perSecond })
}

async function work({ seconds, keys, hasTables }: VerifyTask): Promise<void> {
  const engine = await loadEngine(ENGINE)
  const verifier = hasTables ? new TableVerifier(engine, await compileKeyTables(), keys) : engineVerifier(engine)
  const batches = Array.from({ length: BATCHES }, (_, batch) =>
    Array.from({ length: TOGETHER }, (_, n) => signedBy((batch + n) % keys, batch * TOGETHER + n)),
  )
  verifyFor(verifier, batches, WARM_UP_SECONDS)
  parentPort?.once('message', () => parentPort?.postMessage(verifyFor(verifier, batches, seconds)))
  parentPort?.postMessage('ready')
}

function signedBy(key: number, message: number): SignedDigest {
  const secretKey = createHash('sha256').update(`bench ${key}`).digest()
  const digest = createHash('sha256').update(`${message}`).digest()
  return { digest, signature: derSignature(digest, secretKey), publicKey: secp256k1.publicKeyCreate(secretKey) }
}

/** Returns verifications per second. */
function verifyFor(verifier: BatchVerifier, batches: readonly (readonly SignedDigest[])[], duration: number): number {
  const startedAt = performance.now()
  let count = 0
  while (performance.now() - startedAt < duration * 1000) {
    for (const batch of batches) {
      const { valid, complaint } = verifier.verifyAll(batch, true)
      if (complaint !== null || valid.includes(false)) throw new Error(`a good signature was refused: ${complaint}`)
    }
    count += batches.length * TOGETHER
  }
  return (count * 1000) / (performance.now() - startedAt)
}
