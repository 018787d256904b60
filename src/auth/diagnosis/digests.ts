import { createHash, hash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Mistake } from './sent-request.js'

/** What is signed of a text. */
export type Digest = (text: Buffer) => Uint8Array

export const rightDigest: Digest = (text) => sha256(text)

/** Hashes that a library may choose by itself. */
const OTHER_HASHES = ['sha512', 'sha384', 'sha224', 'sha1', 'md5', 'sha3-256', 'sha512-256']
const ETHEREUM_PREFIX = '\x19Ethereum Signed Message:\n'
const BITCOIN_PREFIX = '\x18Bitcoin Signed Message:\n'
const BYTES_OF_SHORT_LENGTH = 0xfd

/** Other digests than SHA-256 of the text. */
export const DIGEST_MISTAKES: readonly Mistake<Digest>[] = [
  {
    text: 'The text was hashed twice: a function that hashes by itself was given a hash.',
    variants: fixed([(text) => sha256(sha256(text))]),
  },
  {
    text: 'The hash was signed as text (hex or base64), and so hashed once more.',
    variants: fixed([
      (text) => sha256(hash('sha256', text)),
      (text) => sha256(hash('sha256', text).toUpperCase()),
      (text) => sha256(`0x${hash('sha256', text)}`),
      (text) => sha256(sha256(text).toString('base64')),
      (text) => Buffer.from(hash('sha256', text)),
    ]),
  },
  { text: 'The text was not hashed: its first 32 bytes were signed.', variants: fixed([(text) => text]) },
  {
    text: 'The text was encoded in hex or base64 before it was hashed.',
    variants: fixed([(text) => sha256(text.toString('hex')), (text) => sha256(text.toString('base64'))]),
  },
  {
    text: 'Another hash than SHA-256 was used.',
    variants: fixed([
      ...OTHER_HASHES.map(
        (name): Digest =>
          (text) =>
            createHash(name).update(text).digest(),
      ),
      (text) => keccak_256(text),
    ]),
  },
  {
    text: 'A wallet signed the text as an Ethereum message (personal_sign), with its prefix and Keccak-256.',
    variants: fixed([(text) => keccak_256(ethereumMessage(text)), (text) => keccak_256(ethereumMessage(sha256(text)))]),
  },
  {
    text: 'A wallet signed the text as a Bitcoin message, with its prefix and two hashes.',
    variants: fixed([(text) => sha256(sha256(bitcoinMessage(text)))]),
  },
]

function fixed(digests: readonly Digest[]): () => readonly Digest[] {
  return () => digests
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/** As in ERC-191, version 0x45. */
function ethereumMessage(text: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${ETHEREUM_PREFIX}${text.length}`), text])
}

function bitcoinMessage(text: Buffer): Buffer {
  const length = Buffer.alloc(text.length < BYTES_OF_SHORT_LENGTH ? 1 : 3)
  if (length.length === 1) length.writeUInt8(text.length)
  else {
    length.writeUInt8(BYTES_OF_SHORT_LENGTH)
    length.writeUInt16LE(text.length & 0xffff, 1)
  }
  return Buffer.concat([Buffer.from(BITCOIN_PREFIX), length, text])
}
