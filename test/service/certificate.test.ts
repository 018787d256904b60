import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CertificateFacts } from '../../src/http/certificate.js'
import { UnusableCertificate } from '../../src/http/certificate.js'
import { createLog } from '../../src/log.js'
import { ServedCertificate } from '../../src/service/certificate.js'

const DAY_MS = 24 * 60 * 60 * 1000
const EXPIRES_MS = 100 * DAY_MS

/** A server with a certificate, and the lines that are logged about it. */
function served(certificate: CertificateFacts | null, nowMs = 0, renewCertificate: () => void = () => undefined) {
  const lines: string[] = []
  const clock = { ms: nowMs, now: () => clock.ms }
  const log = createLog('info', { write: (line) => lines.push(line) })
  return { lines, clock, certificate: new ServedCertificate({ certificate, renewCertificate }, log, clock) }
}

const facts: CertificateFacts = { names: 'DNS:pay.example', expires: new Date(EXPIRES_MS) }

describe('the certificate that is served', () => {
  test('is logged with its names and its end, and warned about when the end is near', () => {
    assert.match(served(facts).lines.join(), /"names":"DNS:pay.example","expires":"1970-04-11/)
    assert.equal(served(facts, EXPIRES_MS - 14 * DAY_MS).lines.length, 1)
    assert.match(served(facts, EXPIRES_MS - 14 * DAY_MS + 1).lines[1] ?? '', /"level":"warn".*"days":13/)
  })

  test('is complained about once it has expired', () => {
    const { certificate, clock } = served(facts)
    assert.deepEqual([certificate.expiresAt, certificate.complaints()], [EXPIRES_MS, []])
    clock.ms = EXPIRES_MS + 1
    const expired = { reason: 'certificate_expired', text: 'The certificate of HTTPS has expired.' }
    assert.deepEqual(certificate.complaints(), [expired])
  })

  test('does not exist without HTTPS', () => {
    const { certificate, lines } = served(null)
    assert.deepEqual([certificate.expiresAt, certificate.complaints(), lines], [null, [], []])
  })

  test('stays when a new one is refused; a defect is not swallowed', () => {
    const refused = served(facts, 0, () => {
      throw new UnusableCertificate('it has expired')
    })
    refused.certificate.renew()
    assert.match(refused.lines.at(-1) ?? '', /"level":"error".*"reason":"it has expired"/)
    const broken = served(facts, 0, () => {
      throw new TypeError('a defect')
    })
    assert.throws(() => broken.certificate.renew(), TypeError)
  })
})
