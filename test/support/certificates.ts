import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { CertificateFiles } from '../../src/http/certificate.js'
import { memoryDirectory } from './temporary-directory.js'

/** How a certificate differs from one that clients accept. */
export interface Wanted {
  /** Days until it expires; negative if it has expired. */
  readonly days?: number
  readonly kind?: 'ec' | 'rsa' | 'ed25519'
}

const NEW_KEY = {
  ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['rsa:2048'],
  ed25519: ['ed25519'],
} as const

/** Makes a self-signed certificate for localhost with openssl, in `directory`. `name` is its subject, and names its files. */
export function makeCertificate(directory: string, name: string, { days = 30, kind = 'ec' }: Wanted = {}) {
  const files: CertificateFiles = {
    certificate: join(directory, `${name}.crt`),
    key: join(directory, `${name}.key`),
  }
  const request = join(directory, `${name}.csr`)
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const run = (...words: readonly string[]) => execFileSync('openssl', words, { stdio: ['ignore', 'pipe', 'pipe'] })
  run(
    'req',
    '-new',
    '-newkey',
    ...NEW_KEY[kind],
    '-nodes',
    '-keyout',
    files.key,
    '-subj',
    `/CN=${name}`,
    ...names,
    '-out',
    request,
  )
  run(
    'x509',
    '-req',
    '-in',
    request,
    '-signkey',
    files.key,
    '-days',
    String(days),
    '-copy_extensions',
    'copy',
    '-out',
    files.certificate,
  )
  return files
}

/** A certificate for the tests of a file, removed with its process. */
export function testCertificate(): CertificateFiles {
  const place = memoryDirectory()
  process.once('exit', () => place.remove())
  return makeCertificate(place.path, 'localhost')
}
