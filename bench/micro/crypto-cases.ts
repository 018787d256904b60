import { createPublicKey, verify } from 'node:crypto'
import secp256k1 from 'secp256k1'
import { decodeBase64 } from '../../src/crypto/base64.js'
import { decodeDerSignature } from '../../src/crypto/der.js'
import { createPooledRandom, IdGenerator } from '../../src/crypto/id.js'
import type { Secp256k1EngineName } from '../../src/crypto/secp256k1.js'
import { loadEngine } from '../../src/verify/engine-choice.js'
import { deliveryHeaders } from '../../src/webhooks/signature.js'
import type { Case } from './case.js'
import { functionCase } from './function-case.js'
import { publicKey, secretKey, signedMessages } from './signed-messages.js'

const MESSAGES = 64
const NOW_MS = 1_700_000_000_000
/** UUIDv7 begins with its time. */
const ID_TIME_BYTES = 6

/** Verifies one signature with the named engine. Rejects where the engine does not run. */
export async function verificationCase(name: Secp256k1EngineName): Promise<Case> {
  const engine = await loadEngine(name)
  const [forged] = signedMessages(1)
  if (forged === undefined || engine.verify(forged.der, Buffer.alloc(32, 1), publicKey)) {
    throw new Error(`${name} accepts a signature of something else`)
  }
  return functionCase({
    name: `verify a signature, ${name}`,
    inputs: signedMessages(MESSAGES),
    run: ({ der, digest }) => engine.verify(der, digest, publicKey),
    isRight: (isValid) => isValid,
    note: 'DER decoding included',
  })
}

export function cryptoCases(): readonly Case[] {
  const messages = signedMessages(MESSAGES)
  const point = secp256k1.publicKeyConvert(publicKey, false)
  const coordinate = (start: number) => Buffer.from(point.subarray(start, start + 32)).toString('base64url')
  const jwk = { kty: 'EC', crv: 'secp256k1', x: coordinate(1), y: coordinate(33) }
  const openSslKey = createPublicKey({ key: jwk, format: 'jwk' })
  const ids = new IdGenerator(createPooledRandom())
  const secretHex = secretKey.toString('hex')
  return [
    functionCase({
      name: 'verify a signature, node:crypto',
      inputs: messages,
      run: ({ der, text }) => verify('sha256', text, openSslKey, der),
      isRight: (isValid) => isValid,
      note: 'for comparison, not used by the service; SHA-256 of the text included',
    }),
    functionCase({
      name: 'decode a DER signature',
      inputs: messages,
      run: ({ der }) => decodeDerSignature(der),
      isRight: (compact, { der }) =>
        compact !== null && Buffer.from(compact).equals(Buffer.from(secp256k1.signatureImport(der))),
    }),
    functionCase({
      name: 'decode the base64 of a signature',
      inputs: messages,
      run: ({ request }) => decodeBase64(Buffer.from(request.signature)),
      isRight: (bytes, { der }) => bytes !== null && der.equals(bytes),
    }),
    functionCase({
      name: 'make an id',
      inputs: [NOW_MS],
      run: (nowMs) => ids.next(nowMs),
      isRight: (id, nowMs) => id.readUIntBE(0, ID_TIME_BYTES) === nowMs,
      note: 'of the same millisecond as the one before',
    }),
    functionCase({
      name: 'make an id of a new millisecond',
      inputs: messages.map((_, n) => NOW_MS + n),
      run: (nowMs) => ids.next(nowMs),
      isRight: (id, nowMs) => id.readUIntBE(0, ID_TIME_BYTES) === nowMs,
    }),
    functionCase({
      name: 'sign the body of a webhook',
      inputs: messages.map(({ request: { body } }) => ({ id: ids.next(NOW_MS).toString('hex'), body })),
      run: (delivery) => deliveryHeaders(delivery, { current: secretHex, previous: null }, NOW_MS),
      isRight: (headers) => /^[0-9a-f]{64}$/.test(headers['X-Service-Signature'] ?? ''),
      note: 'both signatures and all headers',
    }),
  ]
}
