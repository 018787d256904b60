import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type Clock, systemClock } from '../../src/clock.js'
import { type Environment, readSettings } from '../../src/config.js'
import { detailsOfFailures } from '../../src/domain/failure.js'
import { createLog, type Log } from '../../src/log.js'
import type { Service } from '../../src/service/assembly.js'
import { startService } from '../../src/service.js'
import { signRequest, type TestKey } from './signing.js'
import { storeUnderTest } from './store-under-test.js'
import { memoryDirectory } from './temporary-directory.js'

export const GATEWAY_SECRET = 'a secret of the gateway for tests'
const CREATE_TAG = 'POST /api/invoices'

/** An answer, its body parsed where it is JSON. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they assert on.
  readonly json: any
}

export interface Call {
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The whole service in this process, on a port and in a directory of its own. Settings come from `environment`. */
export class ServiceFixture {
  private constructor(
    readonly service: Service,
    readonly url: string,
    private readonly removeData: () => void,
  ) {}

  static async start(
    environment: Environment = {},
    log: Log = createLog('silent'),
    clock: Clock = systemClock,
  ): Promise<ServiceFixture> {
    const place = memoryDirectory()
    const isSandbox = environment['BILLHOOK_SANDBOX'] === 'on'
    const read = readSettings([], {
      BILLHOOK_PORT: '0',
      BILLHOOK_DATA: place.path,
      BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
      BILLHOOK_VERIFY_THREADS: '1',
      ...(await storeUnderTest(isSandbox ? 'sandbox' : 'real')),
      ...(isSandbox ? { BILLHOOK_SANDBOX_LEDGER: 'real' } : {}),
      ...environment,
    })
    assert.ok('settings' in read, JSON.stringify(read))
    const service = await startService(read.settings, log, clock)
    // A service on all addresses is reached on loopback.
    const url = service.url.replace('//0.0.0.0', '//127.0.0.1')
    return new ServiceFixture(service, url, () => place.remove())
  }

  async stop(): Promise<void> {
    await this.service.stop()
    this.removeData()
  }

  async call(method: string, path: string, { body, headers = {} }: Call = {}): Promise<Reply> {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await fetch(`${this.url}${path}`, { method, headers, redirect: 'manual', ...sent })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.call('GET', path, { headers })
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.call('POST', path, { body, headers })
  }

  /** Pushes events as the ledger gateway does and answers their results. */
  async push(...events: readonly unknown[]): Promise<readonly { id: string; status: string; error?: string }[]> {
    const body = JSON.stringify({ events })
    const timestamp = String(Date.now())
    const reply = await this.post('/internal/events', body, gatewayHeaders(timestamp, body))
    assert.equal(reply.status, 200, reply.text)
    return reply.json.results
  }

  /** Makes wallets known and assigns them to `owner`. */
  async assign(owner: string, ...wallets: readonly { id: string; address: string; network: string }[]): Promise<void> {
    const results = await this.push(
      ...wallets.flatMap((wallet) => [
        { id: `created ${wallet.id}`, type: 'wallet.created', wallet },
        { id: `assigned ${wallet.id} to ${owner}`, type: 'wallet.assigned', wallet: { id: wallet.id }, owner },
      ]),
    )
    for (const result of results) assert.equal(result.status, 'applied', JSON.stringify(result))
  }

  async register(owner: string, key: TestKey, more: Readonly<Record<string, unknown>> = {}): Promise<Reply> {
    return this.post('/api/api-keys', {
      owner,
      label: 'test',
      publicKey: key.publicKeyHex,
      permissions: ['invoices:create'],
      ...more,
    })
  }

  /** A signed `POST /api/invoices`. */
  createSigned(key: TestKey, body: unknown, timestamp: string = String(Date.now())): Promise<Reply> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.post('/api/invoices', text, signedHeaders(key, text, timestamp))
  }
}

export function signedHeaders(key: TestKey, body: string, timestamp: string): Record<string, string> {
  return {
    'X-Service-Api-Key': key.publicKeyHex,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signRequest(key, CREATE_TAG, timestamp, body),
  }
}

export function gatewayHeaders(timestamp: string, body: string, secret = GATEWAY_SECRET): Record<string, string> {
  const signature = createHmac('sha256', secret).update(`${timestamp}\n${body}`).digest('hex')
  return { 'X-Gateway-Timestamp': timestamp, 'X-Gateway-Signature': signature }
}

const detailsOfCodes: Readonly<Record<string, readonly string[]>> = detailsOfFailures

/**
 * Asserts a refusal: status, literal text and code in the documented shape, the field at fault when given, and no other details than the
 * catalogue has for the code.
 */
export function assertRefused(reply: Reply, status: number, error: string, code: string, field?: string): void {
  const { error: text, code: given, field: blamed, ...details } = reply.json
  assert.deepEqual([reply.status, text, given], [status, error, code])
  assert.deepEqual(Object.keys(details), detailsOfCodes[code] ?? [])
  if (field !== undefined) assert.equal(blamed, field)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
}
