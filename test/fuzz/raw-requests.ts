import type { Random } from '../simulation/random.js'
import { gatewayHeaders, signedHeaders } from '../support/service-fixture.js'
import type { TestKey } from '../support/signing.js'
import { HOOK_OWNER, OWNER } from './fuzz-target.js'

/** A request in its parts, before it is written as bytes. */
export interface Draft {
  readonly method: string
  readonly target: string
  readonly version: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  /** What ends a line of the head. */
  readonly lineEnd: string
}

export interface DraftWorld {
  readonly random: Random
  readonly key: TestKey
  readonly walletIds: readonly string[]
  /** Unix milliseconds. */
  readonly nowMs: number
}

const AMOUNT_RANGE = 1_000_000
const TEXT_BYTES = 6

/** A valid request to some route; its answer is a success or an ordinary refusal. */
export function validRequest(world: DraftWorld): Draft {
  const kind = world.random.weighted({
    signed: 2,
    unsigned: 3,
    register: 1,
    push: 2,
    put: 1,
    deposit: 1,
    read: 6,
    other: 3,
  })
  switch (kind) {
    case 'signed': {
      const body = JSON.stringify(invoice(world))
      return post('/api/invoices', body, signedHeaders(world.key, body, String(world.nowMs)))
    }
    case 'unsigned':
      return post('/api/invoices', JSON.stringify({ owner: OWNER, ...invoice(world) }))
    case 'register':
      return post('/api/api-keys', JSON.stringify(registration(world)))
    case 'push': {
      const body = JSON.stringify({ events: [event(world)] })
      return post('/internal/events', body, gatewayHeaders(String(world.nowMs), body))
    }
    case 'put':
      return draft(
        'PUT',
        `/api/users/${HOOK_OWNER}/webhook`,
        JSON.stringify({ callbackUrl: 'http://127.0.0.1:9/hook' }),
      )
    case 'deposit':
      return post('/sandbox/deposits', JSON.stringify({ address: `0x${text(world)}`, amount: '1', kind: 'pending' }))
    case 'read':
      return draft('GET', readTarget(world))
    case 'other':
      return otherRequest(world)
  }
}

/** Ends every head and body as RFC 9112 wants it, with the length of the body unless a mutation has framed it itself. */
export function encode({ method, target, version, headers, body, lineEnd }: Draft): Buffer {
  const isFramed = headers.some(([name]) => /^\s*(content-length|transfer-encoding)\s*$/i.test(name))
  const lines = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  if (!isFramed && body.length > 0) lines.push(`Content-Length: ${body.length}`)
  return Buffer.concat([Buffer.from(`${lines.join(lineEnd)}${lineEnd}${lineEnd}`, 'latin1'), body])
}

function draft(method: string, target: string, body = '', headers: Readonly<Record<string, string>> = {}): Draft {
  const type: [string, string][] = body === '' ? [] : [['Content-Type', 'application/json']]
  return {
    method,
    target,
    version: 'HTTP/1.1',
    headers: [['Host', '127.0.0.1'], ...type, ...Object.entries(headers)],
    body: Buffer.from(body),
    lineEnd: '\r\n',
  }
}

function post(target: string, body: string, headers: Readonly<Record<string, string>> = {}): Draft {
  return draft('POST', target, body, headers)
}

function text({ random }: DraftWorld): string {
  const bytes = Buffer.alloc(TEXT_BYTES)
  random.fill(bytes)
  return bytes.toString('hex')
}

/** Invoices with a reference have no callback and their owner no default one, so nothing is ever delivered. */
function invoice(world: DraftWorld): Readonly<Record<string, unknown>> {
  const { random, walletIds } = world
  return {
    walletIds: [walletIds[random.below(walletIds.length)]],
    name: `Order ${text(world)}`,
    amount: `${random.below(AMOUNT_RANGE)}.${random.between(1, AMOUNT_RANGE)}`,
    ...(random.chance(0.5) ? { reference: text(world) } : {}),
    ...(random.chance(0.3) ? { currency: 'USDT', description: 'ä🙂' } : {}),
  }
}

/** Always the fuzzed key, which is registered: what gets through is refused, what is mutated must not hurt. */
function registration({ key }: DraftWorld): unknown {
  return { owner: OWNER, label: 'key', publicKey: key.publicKeyHex, permissions: ['invoices:create'], ttlDays: 1.5 }
}

function event(world: DraftWorld): unknown {
  const id = text(world)
  if (world.random.chance(0.5)) return { id, type: 'identity.onboarded', identity: `identity-${id}` }
  const deposit = { network: 'SEP', txHash: `0x${id}`, toAddress: `0x${id}`, currency: 'Tether', amount: '5' }
  return { id, type: 'deposit.confirmed', deposit }
}

function readTarget(world: DraftWorld): string {
  const { random } = world
  return random.pick([
    '/healthz',
    '/readyz',
    '/sandbox',
    `/api/users/${OWNER}/invoices?limit=2&include=payment`,
    `/api/users/${OWNER}/invoices?reference=${text(world)}`,
    `/api/users/${OWNER}/api-keys`,
    `/api/users/${OWNER}/webhook`,
    `/api/users/${OWNER}/webhook/deliveries?limit=3`,
    `/api/users/${OWNER}/events?limit=3&after=${text(world)}`,
    `/api/users/${text(world)}/wallets`,
    `/api/identity/${text(world)}/exists`,
    `/api/invoices/${text(world)}`,
    `/pay/${text(world)}`,
    `/order/${text(world)}?option=${text(world)}`,
  ])
}

function otherRequest(world: DraftWorld): Draft {
  const { random } = world
  const id = text(world)
  return random.pick([
    draft('HEAD', readTarget(world)),
    draft('OPTIONS', readTarget(world)),
    draft('DELETE', `/api/users/${HOOK_OWNER}/webhook`),
    draft('GET', '/api/wallets/claim/sep/eth'),
    post(`/api/api-keys/${id}/revoke`, JSON.stringify({ owner: OWNER })),
    post(`/api/users/${OWNER}/webhook/deliveries/${id}/redeliver`, ''),
    post(`/api/users/${HOOK_OWNER}/webhook/test`, ''),
    post(`/api/users/${HOOK_OWNER}/webhook/rotate`, JSON.stringify({ overlapSeconds: 60 })),
    post(`/sandbox/deposits/${id}/confirm`, ''),
    post('/sandbox/ledger/', JSON.stringify({ $tx: {}, $sigs: {} })),
  ])
}
