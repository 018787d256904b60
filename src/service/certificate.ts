import type { Clock } from '../clock.js'
import type { Degradation } from '../domain/degradation.js'
import { type CertificateFacts, UnusableCertificate } from '../http/certificate.js'
import type { HttpServer } from '../http/server.js'
import type { Logger } from '../log.js'

const DAY_MS = 24 * 60 * 60 * 1000
/** A certificate that expires sooner than this should have been replaced. */
const LATE_DAYS = 14

/** The certificate of the HTTPS front: its renewal, and what operators are told about it. */
export class ServedCertificate {
  constructor(
    private readonly server: Pick<HttpServer, 'renewCertificate' | 'certificate'>,
    private readonly log: Pick<Logger, 'info' | 'warn' | 'error'>,
    private readonly clock: Clock,
  ) {
    this.report()
  }

  /** When the certificate of new connections expires, Unix ms; null without HTTPS. */
  get expiresAt(): number | null {
    return this.facts?.expires.getTime() ?? null
  }

  /** Reads the files again. A certificate that cannot be served is logged, and the present one stays. */
  renew(): void {
    try {
      this.server.renewCertificate()
    } catch (error) {
      if (!(error instanceof UnusableCertificate)) throw error
      this.log.error({ reason: error.message }, 'the certificate could not be renewed; the present one stays')
      return
    }
    this.report()
  }

  /** A sentence if clients reject the certificate by now. */
  complaints(): readonly Degradation[] {
    const { expiresAt } = this
    const hasExpired = expiresAt !== null && expiresAt < this.clock.now()
    return hasExpired ? [{ reason: 'certificate_expired', text: 'The certificate of HTTPS has expired.' }] : []
  }

  private get facts(): CertificateFacts | null {
    return this.server.certificate
  }

  private report(): void {
    const { facts } = this
    if (facts === null) return
    const { names, expires } = facts
    this.log.info({ names, expires }, 'new connections get this certificate')
    const days = Math.floor((expires.getTime() - this.clock.now()) / DAY_MS)
    if (days < LATE_DAYS) this.log.warn({ days }, 'the certificate expires soon')
  }
}
