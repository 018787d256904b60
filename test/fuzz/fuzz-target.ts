import assert from 'node:assert/strict'
import { createInterface } from 'node:readline'
import { Pool } from 'undici'
import type { HttpEngine } from '../support/http-engines.js'
import { gatewayHeaders, signedHeaders } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { type TestKey, testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import type { SeenAnswer } from './answer-oracle.js'

/** Whose invoices the fuzzers create. */
export const OWNER = 'fuzzed-owner'
/** Whose webhook configuration they change. It has no wallet, so that no delivery ever goes to a mutated address. */
export const HOOK_OWNER = 'hook-tinkerer'
/** Who is never named by a fuzzer, and whose state must therefore never change. */
const BYSTANDER = 'b7c2e0d4-bystander'

const WALLETS = 8
const CLIENT_CONNECTIONS = 32
/** An answer that takes longer never comes. */
const ANSWER_MS = 30_000
/** Of the service's stderr, told in a violation. */
const LOG_LINES_KEPT = 5

export interface ClientRequest {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface FullAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The real service in a process of its own, with the sandbox, watched for anything that it should not do. */
export class FuzzTarget {
  readonly key: TestKey = testKey('fuzzed')
  readonly walletIds: readonly string[] = Array.from({ length: WALLETS }, (_, n) => `fuzz-wallet-${n}`)
  readonly port: number
  private readonly pool: Pool
  private readonly complaints: string[] = []
  private isEnding = false
  private snapshot = ''

  private constructor(
    readonly engine: HttpEngine,
    private readonly service: ServiceProcess,
    private readonly remove: () => void,
  ) {
    this.port = Number(new URL(service.url).port)
    this.pool = new Pool(service.url, { connections: CLIENT_CONNECTIONS, pipelining: 1 })
    assert.ok(service.child.stderr)
    // At this level every line that is written is an error.
    createInterface({ input: service.child.stderr }).on('line', (line) => this.complaints.push(line))
    service.child.on('exit', (code, signal) => {
      if (!this.isEnding) this.complaints.push(`the process ended with code ${code}, signal ${signal}`)
    })
  }

  static async start(engine: HttpEngine): Promise<FuzzTarget> {
    const place = temporaryDirectory()
    const environment = { BILLHOOK_HTTP: engine, BILLHOOK_LOG: 'error', BILLHOOK_RATES: 'push' }
    const service = await ServiceProcess.start(place.path, environment, ['--sandbox'], 'pipe')
    const target = new FuzzTarget(engine, service, () => place.remove())
    await target.furnish()
    return target
  }

  /** Sends a well-formed HTTP request and answers what came back. */
  async send(request: ClientRequest): Promise<SeenAnswer> {
    const { status, headers, text } = await this.exchange(request)
    return {
      status,
      contentType: headers.get('content-type') ?? '',
      body: text,
      hasRetryAfter: headers.has('retry-after'),
    }
  }

  /** The same, with all headers. Of a stream of events only the beginning is read. */
  async exchange({ method, path, headers = {}, body }: ClientRequest): Promise<FullAnswer> {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const response = await this.pool.request({ method, path, headers: { ...headers }, body: body ?? null, signal })
    const entries = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const given = new Headers(entries)
    const isStream = given.get('content-type')?.startsWith('text/event-stream') === true
    return {
      status: response.statusCode,
      headers: given,
      text: await (isStream ? beginning(response.body) : response.body.text()),
    }
  }

  /** What the service has done wrong by itself since it was started, null when nothing. */
  complaint(): string | null {
    return this.complaints.length === 0 ? null : this.complaints.slice(0, LOG_LINES_KEPT).join('\n')
  }

  /** The control: requests in between succeed, and the bystander's state is what it was. Null when all is well. */
  async control(): Promise<string | null> {
    const health = await this.send({ method: 'GET', path: '/healthz' })
    if (health.status !== 200) return `the control request was answered with ${health.status} ${health.body}`
    if ((await this.bystanderState()) !== this.snapshot) return 'the state of somebody who was never named has changed'
    return this.complaint()
  }

  /** The names of every invoice of the fuzzed owner by id. */
  async invoices(): Promise<ReadonlyMap<string, string>> {
    const { status, body } = await this.send({ method: 'GET', path: `/api/users/${OWNER}/invoices` })
    assert.equal(status, 200, body)
    const invoices: readonly { readonly id: string; readonly name: string }[] = JSON.parse(body)
    return new Map(invoices.map(({ id, name }) => [id, name]))
  }

  /** Stops the service, which must end well and have had nothing to complain about. */
  async stop(): Promise<void> {
    this.isEnding = true
    await this.pool.destroy()
    const ended = await this.service.end('SIGTERM')
    this.remove()
    assert.deepEqual({ ...ended, complaint: this.complaint() }, { code: 0, signal: null, complaint: null })
  }

  /** Wallets and a key for the fuzzed owner, and a bystander with one of everything. */
  private async furnish(): Promise<void> {
    await this.assign(OWNER, this.walletIds)
    await this.assign(BYSTANDER, ['bystander-wallet'])
    for (const [owner, key] of [
      [OWNER, this.key],
      [BYSTANDER, testKey(BYSTANDER)],
    ] as const) {
      await this.expect(201, 'POST', '/api/api-keys', {
        owner,
        label: 'shop',
        publicKey: key.publicKeyHex,
        permissions: ['invoices:create'],
      })
    }
    await this.expect(200, 'PUT', `/api/users/${BYSTANDER}/webhook`, { callbackUrl: 'http://127.0.0.1:9/bystander' })
    const order = { walletIds: ['bystander-wallet'], name: 'Order', amount: '7.25', reference: 'bystander-order' }
    const body = JSON.stringify(order)
    const headers = signedHeaders(testKey(BYSTANDER), body, String(Date.now()))
    const created = await this.send({ method: 'POST', path: '/api/invoices', headers, body })
    assert.equal(created.status, 201, created.body)
    this.snapshot = await this.bystanderState()
  }

  private async assign(owner: string, ids: readonly string[]): Promise<void> {
    const events = ids.map((id) => ({
      id: `furnish ${id}`,
      type: 'wallet.assigned',
      wallet: { id, address: `0x${Buffer.from(id).toString('hex').padStart(40, '0')}`, network: 'SEP' },
      owner,
    }))
    const body = JSON.stringify({ events })
    const headers = gatewayHeaders(String(Date.now()), body)
    const { status, body: text } = await this.send({ method: 'POST', path: '/internal/events', headers, body })
    assert.equal(status, 200, text)
    assert.equal(text.split('"applied"').length - 1, ids.length, text)
  }

  private async expect(status: number, method: 'POST' | 'PUT', path: string, value: unknown): Promise<void> {
    const answer = await this.send({ method, path, body: JSON.stringify(value) })
    assert.equal(answer.status, status, answer.body)
  }

  private async bystanderState(): Promise<string> {
    const parts: string[] = []
    for (const path of ['invoices?include=payment', 'api-keys', 'wallets', 'webhook', 'webhook/deliveries', 'events']) {
      const { status, body } = await this.send({ method: 'GET', path: `/api/users/${BYSTANDER}/${path}` })
      parts.push(`${status} ${body}`)
    }
    return parts.join('\n')
  }
}

async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  for await (const chunk of body) return chunk.toString('utf8')
  return ''
}
