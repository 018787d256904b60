import { join } from 'node:path'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { signRequest, type TestKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import type { FastClock } from './fast-service.js'
import { type Answered, ask, pushEvents } from './http-client.js'
import { CONTRACTS, NAMESPACE, ONBOARDING_NAME, textOf } from './ledger-transactions.js'
import type { ScriptedLedger } from './scripted-ledger.js'

const FAST_TIME = new URL('./fast-time.js', import.meta.url)
/** By the service's clock. On a busy machine an answer takes a second. */
const NODE_TIMEOUT_MS = 30_000
/** So long, in days, a key lives that only shows that it can be registered: an owner has a hundred at most. */
const SHORT_TTL_DAYS = 1 / 1440

/** The service in strict mode, following a simulated ledger in a time that passes faster than the machine's. */
export class LedgerService {
  private process: ServiceProcess | null = null
  private readonly place = temporaryDirectory()
  private keys = 0

  constructor(
    private readonly ledger: ScriptedLedger,
    private readonly clock: FastClock,
  ) {}

  async start(): Promise<void> {
    const environment = {
      BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
      BILLHOOK_STRICT: 'on',
      BILLHOOK_VERIFY_THREADS: '1',
      BILLHOOK_LOG: 'fatal',
      BILLHOOK_LEDGER_URL: this.ledger.urls('core'),
      BILLHOOK_LEDGER_STORE_URL: this.ledger.urls('store'),
      BILLHOOK_LEDGER_FOLLOW: `onboard=${NAMESPACE}/${CONTRACTS.onboard},assign=${NAMESPACE}/${CONTRACTS.assign}`,
      BILLHOOK_LEDGER_TIMEOUT_MS: String(NODE_TIMEOUT_MS),
      BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME,
      CHAOS_CLOCK_START: String(this.clock.startMs),
      CHAOS_TIME_SPEED: String(this.clock.speed),
    }
    const nodeFlags = ['--import', FAST_TIME.href]
    this.process = await ServiceProcess.launch({ data: join(this.place.path, 'data'), environment, nodeFlags })
  }

  get isUp(): boolean {
    return this.process !== null
  }

  async kill(): Promise<void> {
    const { process } = this
    this.process = null
    await process?.end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.process?.stop()
    this.place.remove()
  }

  /** Tells of new wallets, as a gateway does. */
  async createWallets(wallets: readonly { readonly id: string; readonly address: string }[]): Promise<boolean> {
    const events = wallets.map(({ id, address }) => {
      return { id, type: 'wallet.created', wallet: { id, address, network: 'TRX-NILE' } }
    })
    const pushed = this.process === null ? null : await pushEvents(this.process.url, events, ask, this.clock.now())
    return pushed?.status === 200
  }

  claim(): Promise<Answered | null> {
    return this.ask('GET', '/api/wallets/claim/niles/trx')
  }

  exists(identity: string): Promise<Answered | null> {
    return this.ask('GET', `/api/identity/${identity}/exists`)
  }

  ready(): Promise<Answered | null> {
    return this.ask('GET', '/readyz')
  }

  /** The wallets of an identity, asked for with one of its API keys. */
  wallets(identity: string, apiKey: TestKey): Promise<Answered | null> {
    const tag = 'GET /api/users/:id/wallets'
    return this.ask('GET', `/api/users/${identity}/wallets`, undefined, this.headers(apiKey, tag, ''))
  }

  /** Registers an API key for an identity with the signature of a key that may be the identity's. */
  register(identity: string, signer: TestKey, apiKey: TestKey, isShort: boolean): Promise<Answered | null> {
    this.keys += 1
    const body = JSON.stringify({
      owner: identity,
      label: `key ${this.keys}`,
      publicKey: textOf(apiKey),
      permissions: ['invoices:create'],
      ...(isShort ? { ttlDays: SHORT_TTL_DAYS } : {}),
    })
    return this.ask('POST', '/api/api-keys', body, this.headers(signer, 'POST /api/api-keys', body))
  }

  private headers(key: TestKey, tag: string, body: string): Readonly<Record<string, string>> {
    const timestamp = String(this.clock.now())
    return {
      'X-Service-Api-Key': textOf(key),
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signRequest(key, tag, timestamp, body),
    }
  }

  private async ask(
    method: string,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answered | null> {
    return this.process === null ? null : ask(method, `${this.process.url}${path}`, body, headers)
  }
}
