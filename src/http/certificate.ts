import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFailure } from '../base/read-failure.js'

/** The PEM files of an HTTPS server. */
export interface CertificateFiles {
  /** The server's certificate, followed by those of its issuers. */
  readonly certificate: string
  readonly key: string
}

/** What operators are told about a certificate. */
export interface CertificateFacts {
  /** The names and addresses that it is for, as in `DNS:pay.example, IP Address:192.0.2.1`. */
  readonly names: string
  readonly expires: Date
}

/** What the files hold, checked. */
export interface Certificate extends CertificateFacts {
  readonly files: CertificateFiles
  readonly certificatePem: string
  readonly keyPem: string
}

/** Why a certificate cannot be served: one clear line for the operator. */
export class UnusableCertificate extends Error {
  override readonly name = 'UnusableCertificate'
}

/**
 * The cipher suites of TLS 1.2: one for each kind of key, which every client knows that knows a good one. uWebSockets.js has
 * no order of preference of its own, so with more of them the client would choose.
 */
export const TLS_1_2_CIPHERS = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256'

/** Maximum time from a connection to the end of its handshake. */
export const HANDSHAKE_TIMEOUT_MS = 10_000

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Reads and checks the files. Throws `UnusableCertificate` unless clients can be served with them now. */
export function readCertificate(files: CertificateFiles, nowMs: number = Date.now()): Certificate {
  const certificatePem = read('certificate', files.certificate)
  const keyPem = read('key', files.key)
  const [own] = chainIn(certificatePem, files.certificate)
  const [begins, expires] = [new Date(own.validFrom), new Date(own.validTo)]
  if (nowMs > expires.getTime()) {
    throw new UnusableCertificate(`the certificate in ${files.certificate} expired at ${expires.toISOString()}`)
  }
  if (nowMs < begins.getTime()) {
    throw new UnusableCertificate(`the certificate in ${files.certificate} begins at ${begins.toISOString()}`)
  }
  if (!own.checkPrivateKey(keyIn(keyPem, files.key))) {
    const text = `the key in ${files.key} does not belong to the first certificate in ${files.certificate}`
    throw new UnusableCertificate(text)
  }
  return { files, certificatePem, keyPem, names: own.subjectAltName ?? own.subject, expires }
}

function read(what: string, path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    throw new UnusableCertificate(`cannot read the ${what} ${path}: ${readFailure(error)}`)
  }
}

function chainIn(pem: string, path: string): [X509Certificate, ...X509Certificate[]] {
  const [first, ...rest] = pem.match(PEM_CERTIFICATE) ?? []
  if (first === undefined) throw new UnusableCertificate(`there is no PEM certificate in ${path}`)
  try {
    return [new X509Certificate(first), ...rest.map((one) => new X509Certificate(one))]
  } catch {
    throw new UnusableCertificate(`a certificate in ${path} is malformed`)
  }
}

function keyIn(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    const isEncrypted = (error as NodeJS.ErrnoException).code === 'ERR_MISSING_PASSPHRASE'
    const why = isEncrypted ? `the key in ${path} is encrypted: give it without a passphrase` : undefined
    throw new UnusableCertificate(why ?? `there is no PEM private key in ${path}`)
  }
}
