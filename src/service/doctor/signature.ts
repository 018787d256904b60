import { type Difference, diagnose, expectedText } from '../../auth/diagnosis/diagnosis.js'
import { isObject, parseJson } from '../../base/json-object.js'
import { decodeBase64 } from '../../crypto/base64.js'
import { noble } from '../../crypto/noble.js'
import { parsePublicKeyHex, publicKeyName } from '../../crypto/secp256k1.js'
import { type ApiKey, authorise, isTimely } from '../../domain/api-key.js'
import { type EndpointTag, endpoints } from '../../http/endpoints.js'
import { DEFAULT_BODY_LIMIT_BYTES } from '../../http/router.js'

/** A request that a service rejected as `invalid_signature`, as its client sent it. */
export interface RejectedRequest {
  readonly tag: EndpointTag
  readonly method: string
  readonly path: string
  readonly body: Buffer
  readonly apiKey: string
  readonly timestamp: string
  readonly signature: string
}

export interface SignatureReport {
  readonly isValid: boolean
  /** What would have to be different; null when no explanation was found. */
  readonly differences: readonly Difference[] | null
  /** The public key that made the signature, where it is known. */
  readonly signer: string | null
  /** What the service verifies the signature over. */
  readonly expected: { readonly firstLine: string; readonly timestamp: string; readonly bodyBytes: number }
  /** Length and SHA-256 of the whole text. */
  readonly text: { readonly bytes: number; readonly sha256: string }
  /** What else may be wrong, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Explains a signature. `keys` are the registered keys of the owner; null when they could not be asked for. Throws for a body
 * that the service would not take: the search hashes it thousands of times.
 */
export function explainSignature(
  request: RejectedRequest,
  keys: readonly ApiKey[] | null,
  nowMs: number,
): SignatureReport {
  const { tag, timestamp, body } = request
  if (body.length > DEFAULT_BODY_LIMIT_BYTES) {
    throw new Error(`the body has more than ${DEFAULT_BODY_LIMIT_BYTES} bytes, which is body_too_large`)
  }
  const isValid = isValidSignature(request)
  const tags = Object.keys(endpoints).filter((one) => one.includes(' /api/'))
  const { differences, signer } = diagnose({ ...request, tags }, others(keys ?? [], request.apiKey))
  return {
    isValid,
    differences: isValid ? [] : differences,
    signer,
    expected: { firstLine: tag, timestamp, bodyBytes: body.length },
    text: expectedText({ ...request, tags }),
    notes: [...timeNotes(timestamp, nowMs), ...keyNotes(request, keys, nowMs), ...repetitionNotes(request)],
  }
}

/** As the service decides it, but for the clock and the record of the key. */
function isValidSignature(request: RejectedRequest): boolean {
  const publicKey = parsePublicKeyHex(request.apiKey)
  const signature = decodeBase64(Buffer.from(request.signature, 'latin1'))
  if (publicKey === null || signature === null) return false
  const { sha256 } = expectedText({ ...request, tags: [] })
  return noble.verify(signature, Buffer.from(sha256, 'hex'), publicKey)
}

function others(keys: readonly ApiKey[], apiKey: string): { publicKey: Uint8Array; name: string }[] {
  return keys.flatMap((key) => {
    const publicKey = parsePublicKeyHex(key.public_key)
    return publicKey === null || isKey(key, apiKey) ? [] : [{ publicKey, name: `the key ${key.id} (${key.label})` }]
  })
}

/** Whether a record is that of the key in a header, however the two spell it. */
function isKey({ public_key: registered }: ApiKey, apiKey: string): boolean {
  const [own, other] = [parsePublicKeyHex(apiKey), parsePublicKeyHex(registered)]
  return own !== null && other !== null && publicKeyName(own) === publicKeyName(other)
}

function timeNotes(timestamp: string, nowMs: number): string[] {
  if (isTimely(timestamp, nowMs)) return []
  if (!/^[0-9]+$/.test(timestamp)) return ['The timestamp is no number of milliseconds, which is invalid_timestamp.']
  const seconds = Math.round((nowMs - Number(timestamp)) / 1000)
  const when = seconds < 0 ? `${-seconds} s in the future` : `${seconds} s ago`
  return [`The timestamp is ${when}: a service whose clock agrees with this one answers invalid_timestamp by now.`]
}

function keyNotes({ apiKey, tag }: RejectedRequest, keys: readonly ApiKey[] | null, nowMs: number): string[] {
  const endpoint = endpoints[tag]
  if (endpoint.access === 'identity') {
    return ["This request is signed in strict mode only, with the identity's own key and not with an API key."]
  }
  if (keys === null) return ['Whether the key is registered was not looked up: that needs --owner.']
  const record = keys.find((key) => isKey(key, apiKey))
  const permission = endpoint.access === 'api-key' ? endpoint.permission : null
  const judged = authorise(record, permission, nowMs)
  if (record === undefined)
    return ['The owner has not registered the key in the header: unknown_api_key, or not_owner.']
  return judged.ok ? [] : [`The key in the header cannot be used: ${judged.failure.code}.`]
}

function repetitionNotes({ tag, body }: RejectedRequest): string[] {
  if (tag !== 'POST /api/invoices') return []
  const value = parseJson(body.toString('utf8'))
  const isRepeatable = isObject(value) && typeof value['reference'] === 'string' && value['reference'] !== ''
  return isRepeatable
    ? []
    : ['Without a reference, this signature creates one invoice only: sent again it is request_repeated.']
}
