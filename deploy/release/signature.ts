import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const SUMS_FILE = 'SHA256SUMS'
export const SIGNATURE_FILE = 'SHA256SUMS.sig'
const PUBLIC_KEY_FILE = 'release-key.pem'

/** The Ed25519 key in a PEM file. */
export function readSigningKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} holds no Ed25519 key`)
  return key
}

/** Writes the checksums of all files of a directory, as `sha256sum` does, their signature, and the key that verifies it. */
export function signFiles(directory: string, key: KeyObject): void {
  const sums = readdirSync(directory)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('')
  writeFileSync(join(directory, SUMS_FILE), sums)
  writeFileSync(join(directory, SIGNATURE_FILE), sign(null, Buffer.from(sums), key))
  writeFileSync(join(directory, PUBLIC_KEY_FILE), createPublicKey(key).export({ type: 'spki', format: 'pem' }))
}
