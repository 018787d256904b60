/**
 * The wire format between the verify pool and its workers. A batch is one buffer, so that it crosses threads by transfer.
 *
 * ```
 * batch   := count u32, mayUseTables u8, record × count              (integers little-endian)
 * record  := textBytes u32, signatureBytes u16, publicKey 33, signature, text
 * text    := routeTag LF timestamp LF body                           exactly what is hashed, in one piece
 * verdict := 'V' valid | 'I' invalid                                 anything else is a defect, never a verdict
 * ```
 */

import { hash } from 'node:crypto'
import { decodeBase64 } from '../crypto/base64.js'
import { PUBLIC_KEY_BYTES, type Secp256k1Engine } from '../crypto/secp256k1.js'

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

/** A worker's answer to a batch. */
interface BatchAnswer<Verdicts> {
  /** One for each request, in their order. */
  readonly verdicts: Verdicts
  /** How long the batch kept its thread busy. */
  readonly tookMs: number
  /** Why the thread dropped its key tables, or null. */
  readonly complaint: string | null
}

const COUNT_BYTES = 4
const BATCH_HEADER_BYTES = COUNT_BYTES + 1
const TEXT_LENGTH_BYTES = 4
const RECORD_HEADER_BYTES = TEXT_LENGTH_BYTES + 2 + PUBLIC_KEY_BYTES
const LINE_FEEDS = 2
const VALID = 0x56
const INVALID = 0x49

/**
 * The signed text (specification, Signed requests; decisions 2) up to the body, which follows as the bytes that were sent.
 * `timestamp` is the header as sent.
 */
export function signedTextHead(routeTag: string, timestamp: string): string {
  return `${routeTag}\n${timestamp}\n`
}

/** How many bytes a request adds to a batch. */
export function recordBytes({ signature, routeTag, timestamp, body }: VerifyRequest): number {
  const headBytes = Buffer.byteLength(routeTag) + Buffer.byteLength(timestamp) + LINE_FEEDS
  return RECORD_HEADER_BYTES + Buffer.byteLength(signature) + headBytes + body.length
}

/**
 * Copies the requests into one new buffer that may be transferred. A worker that gets a batch without `mayUseTables` drops
 * its key tables for good. Throws a RangeError for a key of another length.
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

/** The verdicts on signatures that were judged together. */
export interface Judgement {
  /** Whether each is valid, in their order. */
  readonly valid: readonly boolean[]
  /** Why key tables were dropped just now, or null. */
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
export function verifyBatch(batch: ArrayBuffer, verifier: BatchVerifier): BatchAnswer<Uint8Array> {
  const startedAt = performance.now()
  const { records, mayUseTables } = readBatch(batch)
  const wellFormed = records.filter((record) => record !== null)
  const { valid, complaint } = verifier.verifyAll(wellFormed, mayUseTables)
  let judged = 0
  const verdicts = Uint8Array.from(records, (record) => (record !== null && valid[judged++] ? VALID : INVALID))
  return { verdicts, tookMs: performance.now() - startedAt, complaint }
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

/** Reads what a worker answered to a batch of `count` requests. Throws unless it has exactly that many verdicts. */
export function readAnswer(answer: unknown, count: number): BatchAnswer<readonly boolean[]> {
  const { verdicts, tookMs = 0, complaint = null } = (answer ?? {}) as Partial<BatchAnswer<unknown>>
  if (!(verdicts instanceof Uint8Array) || verdicts.length !== count) {
    throw new Error(`a verify worker did not answer with ${count} verdicts`)
  }
  return { verdicts: Array.from(verdicts, isValid), tookMs, complaint }
}

function isValid(verdict: number): boolean {
  if (verdict !== VALID && verdict !== INVALID) throw new Error(`a verify worker gave the verdict ${verdict}`)
  return verdict === VALID
}
