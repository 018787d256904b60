import { hash } from 'node:crypto'
import { pointOfDigest, pointsOfSignature } from '../../crypto/signature-points.js'
import { BODY_MISTAKES } from './bodies.js'
import { DIGEST_MISTAKES, rightDigest } from './digests.js'
import { FIRST_LINE_MISTAKES } from './first-lines.js'
import { type KeyReading, readKeyHeader } from './key-readings.js'
import { LAYOUT_MISTAKES, rightLayout } from './layouts.js'
import type { Mistake, Part, SentRequest } from './sent-request.js'
import { readSignatureHeader, type SignatureReading } from './signature-readings.js'
import { TIMESTAMP_MISTAKES } from './timestamps.js'

/** A difference between what the client signed or sent, and what the service expects. */
export interface Difference {
  readonly part: Part
  /** What the client did. */
  readonly text: string
  /** What to do instead. */
  readonly advice: string
}

export interface Diagnosis {
  /** What has to be different for the signature to be valid. Empty: nothing. Null: no explanation was found. */
  readonly differences: readonly Difference[] | null
  /** The key that made the signature, compressed, hex; null if unknown. */
  readonly signer: string | null
}

/** A key that may have signed although the header names another. */
export interface OtherKey {
  readonly publicKey: Uint8Array
  /** How people know it. */
  readonly name: string
}

const ADVICE: Readonly<Record<Part, string>> = {
  'first line': 'Sign the method, a blank and the pattern of the endpoint, as printed below.',
  timestamp: 'Read the clock once, and sign the very text of X-Service-Timestamp: Unix milliseconds in digits.',
  body: 'Make the body once, as bytes; sign these bytes, and send these bytes.',
  layout: 'Sign first line, line feed, timestamp, line feed, body, and nothing after it.',
  digest: 'Sign SHA-256 of the text, hashed once. Most libraries hash by themselves when they are told so.',
  signature: 'Send standard base64 of the DER bytes of the signature.',
  key: 'Send the compressed public key of the key that signs: 66 hex digits that begin with 02 or 03.',
}

/** Mistakes in the text that are searched together; a client seldom makes more. */
const MISTAKES_TOGETHER = 2

/** One choice for each part of the signed text. */
interface Recipe {
  readonly line: Choice<string>
  readonly timestamp: Choice<string>
  readonly body: Choice<Buffer>
  readonly layout: Choice<typeof rightLayout>
  readonly digest: Choice<typeof rightDigest>
}

interface Choice<T> {
  readonly value: T
  /** Null if it is as the service expects it. */
  readonly mistake: Mistake<T> | null
}

interface Suspect {
  readonly signature: SignatureReading
  readonly key: KeyReading
}

/** Finds what a client signed. `others` are keys that may have signed in place of that in the header. */
export function diagnose(request: SentRequest, others: readonly OtherKey[]): Diagnosis {
  const suspects = suspectsOf(request, others)
  const tried = new Set<string>()
  if (suspects.size === 0) return { differences: null, signer: null }
  for (const recipe of recipes(request)) {
    const digest = digestOf(recipe)
    const name = Buffer.from(digest.subarray(0, 32)).toString('hex')
    if (tried.has(name)) continue
    tried.add(name)
    const point = pointOfDigest(digest)
    const suspect = point === null ? undefined : suspects.get(point)
    if (suspect !== undefined) return found(recipe, suspect)
  }
  return { differences: null, signer: null }
}

/** SHA-256, in hex, of the text that the service verifies, and the length of that text. */
export function expectedText({ tag, timestamp, body }: SentRequest): { sha256: string; bytes: number } {
  const text = rightLayout({ line: tag, timestamp, body })
  return { sha256: hash('sha256', text), bytes: text.length }
}

/** Signatures and keys by the points that a digest would have to give. The first of two with the same point counts. */
function suspectsOf(request: SentRequest, others: readonly OtherKey[]): ReadonlyMap<bigint, Suspect> {
  const keys: readonly KeyReading[] = [
    ...readKeyHeader(request.apiKey),
    ...others.map(({ publicKey, name }) => ({
      publicKey,
      flaw: `The header names another key than the one that signed, ${name}.`,
    })),
  ]
  const suspects = new Map<bigint, Suspect>()
  for (const signature of readSignatureHeader(request.signature)) {
    for (const key of keys) {
      for (const point of pointsOfSignature(signature.compact, key.publicKey)) {
        if (!suspects.has(point)) suspects.set(point, { signature, key })
      }
    }
  }
  return suspects
}

/** All recipes with no mistake, then those with one, then those with two. */
function* recipes(request: SentRequest): Generator<Recipe> {
  const right: Recipe = {
    line: { value: request.tag, mistake: null },
    timestamp: { value: request.timestamp, mistake: null },
    body: { value: request.body, mistake: null },
    layout: { value: rightLayout, mistake: null },
    digest: { value: rightDigest, mistake: null },
  }
  const changes: readonly (readonly Change[])[] = [
    changesOf('line', FIRST_LINE_MISTAKES, request),
    changesOf('timestamp', TIMESTAMP_MISTAKES, request),
    changesOf('body', BODY_MISTAKES, request),
    changesOf('layout', LAYOUT_MISTAKES, request),
    changesOf('digest', DIGEST_MISTAKES, request),
  ]
  for (let count = 0; count <= MISTAKES_TOGETHER; count += 1) yield* changed(right, changes, count)
}

interface Change {
  readonly isAlone: boolean
  readonly patch: Partial<Recipe>
}

function changesOf<T>(name: keyof Recipe, mistakes: readonly Mistake<T>[], request: SentRequest): readonly Change[] {
  return mistakes.flatMap((mistake) =>
    mistake.variants(request).map((value) => ({
      isAlone: mistake.isAlone === true,
      patch: { [name]: { value, mistake } },
    })),
  )
}

/** The recipe with so many changes, each of another part. */
function* changed(recipe: Recipe, parts: readonly (readonly Change[])[], count: number): Generator<Recipe> {
  if (count === 0) {
    yield recipe
    return
  }
  for (const [at, changes] of parts.entries()) {
    for (const { patch, isAlone } of changes) {
      if (isAlone && count > 1) continue
      const later = parts.slice(at + 1).map((part) => part.filter((change) => !change.isAlone || count === 1))
      yield* changed({ ...recipe, ...patch }, later, count - 1)
    }
  }
}

function digestOf({ line, timestamp, body, layout, digest }: Recipe): Uint8Array {
  const text = layout.value({ line: line.value, timestamp: timestamp.value, body: body.value })
  return digest.value(text)
}

function found(recipe: Recipe, { signature, key }: Suspect): Diagnosis {
  const parts: readonly (readonly [Part, string | undefined])[] = [
    ['first line', recipe.line.mistake?.text],
    ['timestamp', recipe.timestamp.mistake?.text],
    ['body', recipe.body.mistake?.text],
    ['layout', recipe.layout.mistake?.text],
    ['digest', recipe.digest.mistake?.text],
    ...signature.flaws.map((flaw): [Part, string] => ['signature', flaw]),
    ['key', key.flaw ?? undefined],
  ]
  return {
    differences: parts.flatMap(([part, text]) => (text === undefined ? [] : [{ part, text, advice: ADVICE[part] }])),
    signer: Buffer.from(key.publicKey).toString('hex'),
  }
}
