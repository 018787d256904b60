import { createHash } from 'node:crypto'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import secp256k1 from 'secp256k1'
import { loadEngine } from '../../src/verify/engine-choice.js'
import { derSignature } from '../merchants.js'
import { argument, tell } from '../parent.js'

/** Verifies as fast as it can, on threads that start together. */

const SIGNATURES = 256
const WARM_UP_SECONDS = 0.2

interface Task {
  readonly threads: number
  readonly seconds: number
}

if (isMainThread) await direct(argument<Task>())
else await work((workerData as Task).seconds)

async function direct(task: Task): Promise<void> {
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

async function work(seconds: number): Promise<void> {
  const engine = await loadEngine('libsecp256k1')
  const secretKey = createHash('sha256').update('bench').digest()
  const publicKey = secp256k1.publicKeyCreate(secretKey)
  const signed = Array.from({ length: SIGNATURES }, (_, n) => {
    const digest = createHash('sha256').update(`${n}`).digest()
    return { digest, der: derSignature(digest, secretKey) }
  })
  const verifyFor = (duration: number): number => {
    const startedAt = performance.now()
    let count = 0
    while (performance.now() - startedAt < duration * 1000) {
      for (const { digest, der } of signed) {
        if (!engine.verify(der, digest, publicKey)) throw new Error('a good signature was refused')
      }
      count += signed.length
    }
    return (count * 1000) / (performance.now() - startedAt)
  }
  verifyFor(WARM_UP_SECONDS)
  parentPort?.once('message', () => parentPort?.postMessage(verifyFor(seconds)))
  parentPort?.postMessage('ready')
}
