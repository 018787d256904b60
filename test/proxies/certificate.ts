import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const HOST = 'pay.example'

export interface Certificate {
  readonly certificateFile: string
  readonly keyFile: string
  readonly bothFile: string
  /** In PEM. */
  readonly text: string
}

/** Makes a self-signed certificate for `HOST`. */
export function makeCertificate(directory: string): Certificate {
  const certificateFile = join(directory, 'certificate.pem')
  const keyFile = join(directory, 'key.pem')
  const bothFile = join(directory, 'both.pem')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`]
  execFileSync('openssl', ['req', '-x509', ...key, ...names, '-days', '2', '-out', certificateFile], { stdio: 'pipe' })
  const text = readFileSync(certificateFile, 'utf8')
  writeFileSync(bothFile, text + readFileSync(keyFile, 'utf8'))
  return { certificateFile, keyFile, bothFile, text }
}
