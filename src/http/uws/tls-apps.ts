// First: the engine reads its environment when it is loaded.
import './binary.js'
import * as uWS from 'uWebSockets.js'
import { type CertificateFiles, TLS_1_2_CIPHERS, UnusableCertificate } from '../certificate.js'

/** A reference to an app inside the engine. */
type Descriptor = unknown

/** Methods of an app that the engine's typings omit. */
type DistributingApp = uWS.TemplatedApp & {
  getDescriptor(): Descriptor
  /** Connections are handed to the apps that were added, in turn. */
  addChildAppDescriptor(app: Descriptor): void
  removeChildAppDescriptor(app: Descriptor): void
}

/**
 * The apps of an HTTPS server. The engine cannot replace the certificate of an app. So one app listens for good and hands
 * every connection to the app of the current certificate. A new certificate is a new app, and connections of earlier ones go
 * on in theirs. An app stays in memory: the engine has no way to free one.
 */
export class TlsApps {
  /** Listens. It has no certificate and serves nothing itself. */
  readonly listener = uWS.SSLApp({}) as DistributingApp
  private readonly apps: DistributingApp[] = []

  /** `prepare` adds the routes to each app. */
  constructor(private readonly prepare: (app: uWS.TemplatedApp) => void) {}

  /** Serves new connections with the certificate. Throws, and changes nothing, if the engine refuses it. */
  use({ certificate, key }: CertificateFiles): void {
    const app = serverWith(certificate, key)
    this.prepare(app)
    const former = this.apps.at(-1)
    // No connection can be accepted between the two calls.
    if (former !== undefined) this.listener.removeChildAppDescriptor(former.getDescriptor())
    this.listener.addChildAppDescriptor(app.getDescriptor())
    this.apps.push(app)
  }

  /** Ends the connections of every app. */
  close(): void {
    for (const app of this.apps) app.close()
  }
}

function serverWith(certificate: string, key: string): DistributingApp {
  try {
    const options = { cert_file_name: certificate, key_file_name: key, ssl_ciphers: TLS_1_2_CIPHERS }
    return uWS.SSLApp(options) as DistributingApp
  } catch {
    throw new UnusableCertificate(`uWebSockets.js cannot use the certificate ${certificate} with the key ${key}`)
  }
}
