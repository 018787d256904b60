import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CertificateFiles } from '../../src/http/certificate.js'
import { type KeyKind, selfSigned } from './self-signed.js'
import { memoryDirectory } from './temporary-directory.js'

const DAY_MS = 86_400_000
const LOOPBACK = [127, 0, 0, 1]

/** How a certificate differs from one for localhost that clients accept. */
export interface Wanted {
  /** Days until it expires; negative if it has expired. */
  readonly days?: number
  readonly kind?: KeyKind
  readonly host?: string
}

/** Makes a self-signed certificate in `directory`. `name` is its subject, and names its files. */
export function makeCertificate(directory: string, name: string, wanted: Wanted = {}): CertificateFiles {
  const { days = 30, kind = 'ec', host = 'localhost' } = wanted
  const files: CertificateFiles = {
    certificate: join(directory, `${name}.crt`),
    key: join(directory, `${name}.key`),
  }
  const expiresMs = Date.now() + days * DAY_MS
  const made = selfSigned({
    kind,
    subject: name,
    hosts: [host],
    addresses: host === 'localhost' ? [LOOPBACK] : [],
    begins: new Date(Math.min(Date.now(), expiresMs) - DAY_MS),
    expires: new Date(expiresMs),
  })
  writeFileSync(files.certificate, made.certificate)
  writeFileSync(files.key, made.key, { mode: 0o600 })
  return files
}

/** A certificate for the tests of a file, removed with its process. */
export function testCertificate(): CertificateFiles {
  const place = memoryDirectory()
  process.once('exit', () => place.remove())
  return makeCertificate(place.path, 'localhost')
}
