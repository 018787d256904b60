import type { RequestListener, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { sandboxHandlers } from '../../src/sandbox/sandbox-handlers.js'
import { callRoute } from '../http/routes/call-route.js'
import type { SandboxFixture } from '../sandbox/sandbox-fixture.js'
import { MISSING, NO_DATABASE, serveNode } from './node-server.js'

/** What a node does instead of answering. */
export const FAULTS = {
  down: (response) => void response.destroy(),
  error: (response) => void response.writeHead(500).end('{}'),
  'error with a text': (response) =>
    void response.writeHead(500).end('{"name":"ActiveError","message":"URL Request Failed : x - 503"}'),
  'a page of a proxy': (response) => void response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>'),
  limited: (response) => void response.writeHead(429, { 'Retry-After': '1' }).end('{}'),
  garbage: (response) => void response.writeHead(200).end('{"umid":'),
  'an empty object': (response) => void response.writeHead(200).end('{}'),
  null: (response) => void response.writeHead(200).end('null'),
  truncated: (response, answer) =>
    void response.writeHead(200, { 'Content-Length': String(answer.length) }).write(answer.slice(0, -1), () => {
      response.destroy()
    }),
  'too late': () => undefined,
} satisfies Readonly<Record<string, (response: ServerResponse, answer: string) => void>>

export type Fault = keyof typeof FAULTS

/** The ledger node of a sandbox over HTTP, with the faults that a test wants. */
export interface FaultyNode {
  readonly url: string
  /** What it does instead of answering; null when it answers. */
  fault: Fault | null
  /** Answers this many requests before the fault begins. */
  faultAfter: number
  /** Transactions that it does not list at present. */
  readonly unlisted: Set<string>
  /** Transactions that it lists, and does not have. */
  readonly lost: Set<string>
  /** Whether it fails to tell any transaction, as a read API without its database does. */
  broken: boolean
  /** Whether it tells transactions without their signatures: a real node commits such ones. */
  isUnsigned: boolean
  /** What was asked, as `METHOD path?query`. */
  readonly requests: string[]
}

export async function serveFaulty(context: TestContext, fixture: SandboxFixture): Promise<FaultyNode> {
  const node = {
    ...{
      url: '',
      fault: null as Fault | null,
      faultAfter: 0,
      requests: [] as string[],
      broken: false,
      isUnsigned: false,
    },
    ...{ unlisted: new Set<string>(), lost: new Set<string>() },
  }
  const handle: RequestListener = async (request, response) => {
    node.requests.push(`${request.method} ${request.url}`)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { pathname, search } = new URL(request.url ?? '', 'http://node')
    const routes = sandboxHandlers(fixture.sandbox)
    const answer = await callRoute(routes, request.method ?? '', pathname, {
      query: search.slice(1),
      body: Buffer.concat(chunks),
    })
    const isLost = [...node.lost].some((umid) => pathname.endsWith(`/api/tx/${umid}`))
    if (isLost) return void response.writeHead(500).end(MISSING)
    if (node.broken && pathname.includes('/api/tx/')) return void response.writeHead(500).end(NO_DATABASE)
    const isListed = ({ umid }: { readonly umid: string }) => !node.unlisted.has(umid)
    const text = JSON.stringify(answer.body, (name, value) => {
      if (name === '$sigs' && node.isUnsigned) return {}
      return Array.isArray(value) ? value.filter(isListed) : value
    })
    if (node.fault === null || node.faultAfter > 0) response.writeHead(answer.status, answer.headers).end(text)
    else FAULTS[node.fault](response, text)
    node.faultAfter -= 1
  }
  node.url = `${await serveNode(context, (request, response) => void handle(request, response))}/sandbox/ledger`
  return node
}
