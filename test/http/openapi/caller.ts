import assert from 'node:assert/strict'
import type { FailureCode } from '../../../src/domain/failure.js'
import { failureStatus } from '../../../src/http/failure-status.js'
import type { Reply, ServiceFixture } from '../../support/service-fixture.js'
import type { Contract } from './contract.js'

/** A call of an operation. Parts that are absent are not sent. */
export interface OperationCall {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a text is sent unchanged. */
  readonly body?: unknown
}

/** Calls the operations of a running service and compares every answer with the document. */
export class Caller {
  /** What was seen: `<tag> <status>`, and `<tag> <code>` for errors. */
  readonly seen = new Set<string>()

  constructor(
    readonly fixture: ServiceFixture,
    private readonly contract: Contract,
  ) {}

  /** The answer, which is as documented. If it is a success, the request was as documented too. */
  async call(tag: string, { path = {}, query = {}, headers = {}, body }: OperationCall = {}): Promise<Reply> {
    const [method = '', pattern = ''] = tag.split(' ')
    const place = pattern.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(path[name] ?? assert.fail(`${tag} needs ${name}`)),
    )
    const search = new URLSearchParams(query).toString()
    const reply = await this.fixture.call(method, search === '' ? place : `${place}?${search}`, {
      headers,
      ...(body === undefined ? {} : { body }),
    })
    const told = `${tag} ${JSON.stringify({ path, query, body })?.slice(0, 300)} ${reply.status} ${reply.text.slice(0, 300)}`
    assert.equal(this.contract.flawOfAnswer(tag, reply), null, told)
    this.seen.add(`${tag} ${reply.status}`)
    if (reply.status >= 400 && reply.json !== undefined) this.seen.add(`${tag} ${reply.json.code}`)
    if (reply.status < 400) {
      const sent = typeof body === 'string' ? JSON.parse(body) : body
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      assert.equal(this.contract.flawOfRequest({ tag, path, query, headers: lower, body: sent }), null, told)
    }
    return reply
  }

  /** The same, and the answer is this one: a status, or the code of an error. */
  async expect(tag: string, wanted: number | string, given: OperationCall = {}): Promise<Reply> {
    const reply = await this.call(tag, given)
    // A page names no code.
    const status =
      typeof wanted === 'string' && reply.json === undefined ? failureStatus[wanted as FailureCode] : wanted
    const got = typeof status === 'number' ? reply.status : reply.json?.code
    assert.equal(got, status, `${tag} ${JSON.stringify(given).slice(0, 300)} ${reply.text.slice(0, 300)}`)
    return reply
  }
}

/** Any values for the parameters of a path. */
export function somePath(tag: string): Record<string, string> {
  return Object.fromEntries([...tag.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, '0'.repeat(32)]))
}
