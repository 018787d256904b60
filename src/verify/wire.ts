/**
 * The wire format between the verify pool and its workers. A batch is one buffer, so that it crosses threads by transfer.
 * The answer has one byte of verdict for each request, how long they took, and what went wrong with tables of keys.
 *
 * ```
 * batch     := count u32, mayUseTables u8, record × count              (integers little-endian)
 * record    := textBytes u32, signatureBytes u16, publicKey 33, signature, text
 * text      := routeTag LF timestamp LF body                           exactly what is hashed, in one piece
 * answer    := verdict × count, microseconds u32, complaintBytes u16, complaint
 * verdict   := 'V' valid | 'I' invalid                                 anything else is a defect, never a verdict
 * complaint := UTF-8, mostly empty                                     why this thread dropped its tables of keys
 * ```
 */

import { hash } from 'node:crypto'
import { decodeBase64 } from '../crypto/base64.js'
import { PUBLIC_KEY_BYTES, type Secp256k1Engine } from '../crypto/secp256k1.js'
import { signedTextHead } from './signed-text.js'

/** One signature to verify, as it was sent: the worker decodes and hashes. */
export interface VerifyRequest {
  /** 33 bytes, which need not be a key. */
  readonly publicKey: Uint8Array
  /** The header as sent: base64 of DER, not checked yet. */
  readonly signature: string
  /** The constant of the route, for example `POST /api/invoices`. */
  readonly routeTag: string
  /** The header as sent. */
  readonly timestamp: string
  /** The bytes as sent. They must not change before the verdict is there. */
  readonly body: Uint8Array
}

const COUNT_BYTES = 4
const BATCH_HEADER_BYTES = COUNT_BYTES + 1
/** Of an answer, after the verdicts and before the complaint. */
const DURATION_BYTES = 4
const TRAILER_BYTES = DURATION_BYTES + 2
const COMPLAINT_CHARACTERS_MAX = 1000
const MICROS_PER_MS = 1000
const MICROS_MAX = 2 ** 32 - 1
const TEXT_LENGTH_BYTES = 4
const RECORD_HEADER_BYTES = TEXT_LENGTH_BYTES + 2 + PUBLIC_KEY_BYTES
const VALID = 0x56
const INVALID = 0x49

/** How many bytes a request adds to a batch. */
export function recordBytes(request: VerifyRequest): number {
  return RECORD_HEADER_BYTES + Buffer.byteLength(request.signature) + textHeadBytes(request) + request.body.length
}

/**
 * Copies the requests into one new buffer that may be transferred. A worker that gets a batch without `mayUseTables` drops
 * its tables of keys for good. Throws a RangeError for a key of another length.
 */
export function encodeBatch(requests: readonly VerifyRequest[], mayUseTables = true): ArrayBuffer {
  let size = BATCH_HEADER_BYTES
  for (const request of requests) size += recordBytes(request)
  const buffer = new ArrayBuffer(size)
  const bytes = Buffer.from(buffer)
  let offset = bytes.writeUInt8(mayUseTables ? 1 : 0, bytes.writeUInt32LE(requests.length, 0))
  for (const request of requests) {
    if (request.publicKey.length !== PUBLIC_KEY_BYTES) {
      throw new RangeError(`a public key has ${PUBLIC_KEY_BYTES} bytes, not ${request.publicKey.length}`)
    }
    const signatureStart = offset + RECORD_HEADER_BYTES
    const textStart = signatureStart + bytes.write(request.signature, signatureStart)
    const bodyStart = textStart + bytes.write(signedTextHead(request.routeTag, request.timestamp), textStart)
    const end = bodyStart + request.body.length
    bytes.set(request.body, bodyStart)
    bytes.writeUInt32LE(end - textStart, offset)
    bytes.writeUInt16LE(textStart - signatureStart, offset + TEXT_LENGTH_BYTES)
    bytes.set(request.publicKey, signatureStart - PUBLIC_KEY_BYTES)
    offset = end
  }
  if (offset !== size) throw new Error(`a batch of ${size} bytes was filled with ${offset}`)
  return buffer
}

/** A signature over a digest, of whatever form it was sent in. */
export interface SignedDigest {
  readonly signature: Uint8Array
  /** 32 bytes. */
  readonly digest: Uint8Array
  readonly publicKey: Uint8Array
}

/** What became of signatures that were judged together. */
export interface Judgement {
  /** Whether each is valid, in their order. */
  readonly valid: readonly boolean[]
  /** Why tables of keys were dropped just now, or null. */
  readonly complaint: string | null
}

/** Judges signatures together. Malformed ones are not valid. */
export interface BatchVerifier {
  verifyAll(signed: readonly SignedDigest[], mayUseTables: boolean): Judgement
}

/** An engine alone, which judges one signature after the other. */
export function engineVerifier(engine: Pick<Secp256k1Engine, 'verify'>): BatchVerifier {
  return {
    verifyAll: (all) => ({
      valid: all.map(({ signature, digest, publicKey }) => engine.verify(signature, digest, publicKey)),
      complaint: null,
    }),
  }
}

/** Verifies every record of a batch, and makes the answer. Throws a RangeError when the batch is malformed. */
export function verifyBatch(batch: ArrayBuffer, verifier: BatchVerifier): Uint8Array {
  const startedAt = performance.now()
  const { records, mayUseTables } = readBatch(batch)
  const wellFormed = records.filter((record) => record !== null)
  const { valid, complaint } = verifier.verifyAll(wellFormed, mayUseTables)
  const text = Buffer.from(complaint?.slice(0, COMPLAINT_CHARACTERS_MAX) ?? '')
  const answer = Buffer.alloc(records.length + TRAILER_BYTES + text.length)
  let judged = 0
  for (const [i, record] of records.entries()) answer[i] = record !== null && valid[judged++] ? VALID : INVALID
  const micros = Math.min(Math.round((performance.now() - startedAt) * MICROS_PER_MS), MICROS_MAX)
  answer.writeUInt16LE(text.length, answer.writeUInt32LE(micros, records.length))
  answer.set(text, records.length + TRAILER_BYTES)
  return answer
}

interface ReadBatch {
  /** Null for a signature that is not base64. */
  readonly records: readonly (SignedDigest | null)[]
  readonly mayUseTables: boolean
}

/** Throws a RangeError when the batch is malformed. */
function readBatch(batch: ArrayBuffer): ReadBatch {
  const bytes = Buffer.from(batch)
  const count = bytes.readUInt32LE(0)
  const records: (SignedDigest | null)[] = []
  let offset = BATCH_HEADER_BYTES
  for (let i = 0; i < count; i += 1) {
    const signatureStart = offset + RECORD_HEADER_BYTES
    const textStart = signatureStart + bytes.readUInt16LE(offset + TEXT_LENGTH_BYTES)
    const end = textStart + bytes.readUInt32LE(offset)
    if (end > bytes.length) throw new RangeError('a record reaches beyond its batch')
    const signature = decodeBase64(bytes.subarray(signatureStart, textStart))
    const publicKey = bytes.subarray(signatureStart - PUBLIC_KEY_BYTES, signatureStart)
    const text = bytes.subarray(textStart, end)
    records.push(signature === null ? null : { signature, digest: hash('sha256', text, 'buffer'), publicKey })
    offset = end
  }
  if (offset !== bytes.length) throw new RangeError('a batch has bytes after its last record')
  return { records, mayUseTables: bytes.readUInt8(COUNT_BYTES) === 1 }
}

/** What a worker answered to a batch. */
export interface BatchAnswer {
  /** In the order of the requests. */
  readonly verdicts: readonly boolean[]
  /** How long its thread was busy with it. */
  readonly tookMs: number
  /** Why its thread dropped its tables of keys, or null. */
  readonly complaint: string | null
}

/** Reads what a worker answered to a batch of `count` requests. Throws unless it has exactly that many verdicts. */
export function readAnswer(answer: unknown, count: number): BatchAnswer {
  if (!(answer instanceof Uint8Array) || answer.length < count + TRAILER_BYTES) throw notVerdicts(count)
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.length)
  const complaint = bytes.toString('utf8', count + TRAILER_BYTES)
  if (bytes.readUInt16LE(count + DURATION_BYTES) !== bytes.length - count - TRAILER_BYTES) throw notVerdicts(count)
  const verdicts = Array.from(answer.subarray(0, count), (verdict) => {
    if (verdict !== VALID && verdict !== INVALID) throw new Error(`a verify worker gave the verdict ${verdict}`)
    return verdict === VALID
  })
  return {
    verdicts,
    tookMs: bytes.readUInt32LE(count) / MICROS_PER_MS,
    complaint: complaint === '' ? null : complaint,
  }
}

function notVerdicts(count: number): Error {
  return new Error(`a verify worker did not answer with ${count} verdicts`)
}

function textHeadBytes(request: VerifyRequest): number {
  const lineFeeds = 2
  return Buffer.byteLength(request.routeTag) + Buffer.byteLength(request.timestamp) + lineFeeds
}
