import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import secp256k1 from 'secp256k1'
import type { Secp256k1EngineName } from '../src/crypto/secp256k1.js'
import { loadEngine } from '../src/verify/engine-choice.js'
import { compileKeyTables } from '../src/verify/key-tables.js'
import { TableVerifier } from '../src/verify/table-verifier.js'
import { type BatchVerifier, engineVerifier, type SignedDigest } from '../src/verify/wire.js'
import { derSignature } from './merchants.js'
import { median } from './results.js'
import { say } from './service-process.js'

/*
 * What a verification costs, with and without key tables, when so many keys are equally active: processor time in µs, in
 * turns, after tables have settled. With tables it must never be slower by more than 3 %.
 *
 *     node dist/bench/equal-keys.js [--keys 1,50,256,…] [--engine noble] [--tiny]
 */

const KEYS = '1,50,256,400,700,1000,2000,3000,10000'
/** The default of BILLHOOK_KEY_TABLES. */
const TABLES = 256
const BATCH: Readonly<Record<Secp256k1EngineName, number>> = { libsecp256k1: 128, noble: 8 }

interface Extent {
  readonly rounds: number
  readonly batchesPerRound: number
  readonly batchesBefore: number
}

const FULL: Readonly<Record<Secp256k1EngineName, Extent>> = {
  libsecp256k1: { rounds: 30, batchesPerRound: 24, batchesBefore: 800 },
  noble: { rounds: 6, batchesPerRound: 16, batchesBefore: 400 },
}
const TINY: Extent = { rounds: 1, batchesPerRound: 1, batchesBefore: 2 }

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: KEYS },
    engine: { type: 'string', default: 'libsecp256k1' },
    tiny: { type: 'boolean', default: false },
  },
})
const name: Secp256k1EngineName = values.engine === 'noble' ? 'noble' : 'libsecp256k1'
const extent = values.tiny ? TINY : FULL[name]
const engine = await loadEngine(name)
const code = await compileKeyTables()

for (const count of values.keys.split(',').map(Number)) {
  const signed = Array.from({ length: count }, (_, n) => signatureOf(n))
  const batch = () =>
    Array.from({ length: BATCH[name] }, () => signed[Math.floor(Math.random() * count)] ?? signatureOf(0))
  const batches = (size: number) => Array.from({ length: size }, batch)
  const withTables = new TableVerifier(engine, code, TABLES)
  const without = engineVerifier(engine)
  verifyAll(withTables, batches(extent.batchesBefore))
  const times = Array.from({ length: extent.rounds }, () =>
    [withTables, without].map((verifier) => verifyAll(verifier, batches(extent.batchesPerRound))),
  )
  const [tabled = 0, alone = 0] = [0, 1].map((which) => median(times.map((round) => round[which] ?? 0)))
  const ratio = (tabled / alone).toFixed(2)
  say(`${name}, ${count} keys: ${tabled.toFixed(1)} µs with tables, ${alone.toFixed(1)} µs without, ratio ${ratio}`)
}

/** A signature by the `n`th key. */
function signatureOf(n: number): SignedDigest {
  const secretKey = createHash('sha256').update(`equal key ${n}`).digest()
  const digest = createHash('sha256').update(`message ${n}`).digest()
  return { signature: derSignature(digest, secretKey), digest, publicKey: secp256k1.publicKeyCreate(secretKey) }
}

/** Processor time of a verification, in µs. Throws unless every signature is found valid, without a failure of tables. */
function verifyAll(verifier: BatchVerifier, batches: readonly (readonly SignedDigest[])[]): number {
  const before = process.cpuUsage()
  for (const batch of batches) {
    const { valid, complaint } = verifier.verifyAll(batch, true)
    if (complaint !== null || valid.includes(false)) throw new Error(`a good signature was refused: ${complaint}`)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / batches.flat().length
}
