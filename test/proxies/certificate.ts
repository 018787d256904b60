import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from '../support/certificates.js'

export const HOST = 'pay.example'

export interface Certificate {
  readonly certificateFile: string
  readonly keyFile: string
  readonly bothFile: string
  /** In PEM. */
  readonly text: string
}

/** Makes a self-signed certificate for `HOST`. */
export function certificateOfHost(directory: string): Certificate {
  const { certificate: certificateFile, key: keyFile } = makeCertificate(directory, HOST, { host: HOST, days: 2 })
  const bothFile = join(directory, 'both.pem')
  const text = readFileSync(certificateFile, 'utf8')
  writeFileSync(bothFile, text + readFileSync(keyFile, 'utf8'))
  return { certificateFile, keyFile, bothFile, text }
}
