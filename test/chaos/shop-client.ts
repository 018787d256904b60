import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { signRequest, type TestKey, testKey } from '../support/signing.js'
import { type Answered, ask, pushEvents } from './http-client.js'
import type { LeapingService } from './leaping-service.js'

/** Of the service, in strict mode. */
export const ONBOARDING_NAME = 'shop.example'
const TRIES = 400
/** Real time. */
const PAUSE_MS = 25

/** What a request says beside its route. */
interface Said {
  /** In the path: by default that of the owner's identity. */
  readonly id?: string
  readonly deliveryId?: string
  /** With its question mark. */
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The id of the identity of an owner, which is made of its key. */
export function identityOf(owner: string): string {
  return createHash('sha256')
    .update(`0x${identityKeyOf(owner).publicKeyHex}${ONBOARDING_NAME}`)
    .digest('hex')
}

/** Speaks with a service that may be down, for the owners: until it answers, and signed where it is strict. */
export class ShopClient {
  constructor(
    private readonly service: LeapingService,
    readonly isStrict: boolean,
  ) {}

  /** `tag`: the method and the pattern of the path, which is also what is signed. */
  call(owner: string, tag: string, { id, deliveryId, query = '', body, headers = {} }: Said = {}): Promise<Answered> {
    const [method = '', pattern = ''] = tag.split(' ')
    const path = pattern.replace(':id', id ?? identityOf(owner)).replace(':deliveryId', deliveryId ?? '')
    const text = body === undefined ? undefined : JSON.stringify(body)
    return this.persist(() => {
      const signature = this.isStrict ? this.signed(apiKeyOf(owner), tag, text) : {}
      return ask(method, `${this.service.url}${path}${query}`, text, { ...headers, ...signature })
    })
  }

  /** Makes an identity known, and registers its API key with the key of the identity. */
  async register(owner: string): Promise<void> {
    await this.push([{ id: `onboarding of ${owner}`, type: 'identity.onboarded', identity: identityOf(owner) }])
    const key = { label: 'shop', publicKey: apiKeyOf(owner).publicKeyHex, permissions: ['invoices:create'] }
    const text = JSON.stringify({ owner: identityOf(owner), ...key })
    const tag = 'POST /api/api-keys'
    const { status, json } = await this.persist(() =>
      ask('POST', `${this.service.url}/api/api-keys`, text, this.signed(identityKeyOf(owner), tag, text)),
    )
    assert.equal(status, 201, JSON.stringify(json))
  }

  async push(events: readonly unknown[]): Promise<void> {
    const { json } = await this.persist(() => pushEvents(this.service.url, events, ask, this.service.now()))
    for (const result of json.results) assert.equal(result.status, 'applied', JSON.stringify(result))
  }

  /** The HTML of a page. */
  async page(url: string): Promise<string> {
    const response = await fetch(url, { headers: { 'accept-language': 'en' } })
    const html = await response.text()
    assert.equal(response.status, 200, `${url}: ${html}`)
    return html
  }

  private signed(key: TestKey, tag: string, body = ''): Readonly<Record<string, string>> {
    const timestamp = String(this.service.now())
    return {
      'X-Service-Api-Key': key.publicKeyHex,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signRequest(key, tag, timestamp, body),
    }
  }

  /** Asks again as long as the service is down, or answers 503. */
  private async persist(attempt: () => Promise<Answered | null>): Promise<Answered> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const answer = this.service.isRunning ? await attempt() : null
      if (answer !== null && answer.status !== 503) return answer
      await sleep(PAUSE_MS)
    }
    throw new Stuck('the service does not come back')
  }
}

function identityKeyOf(owner: string): TestKey {
  return testKey(`identity of ${owner}`)
}

function apiKeyOf(owner: string): TestKey {
  return testKey(`API key of ${owner}`)
}

/** The run cannot go on, because of a violation that has been noted, or the service hangs. */
export class Stuck extends Error {
  override readonly name = 'Stuck'
}
