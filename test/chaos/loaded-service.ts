import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import secp256k1 from 'secp256k1'
import { memoryOf, ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { ask, hashOf, pushEvents, pushHeaders } from './http-client.js'

const ROUTE_TAG = 'POST /api/invoices'
const SAMPLE_MS = 100
/** Wallets in one push: a creation and an assignment for each stay below its limit. */
const WALLETS_PER_PUSH = 500
const WHOLE_AMOUNTS = 199
const FRACTION_DIGITS = 10

/** A key as a client holds it. */
export interface Signer {
  readonly owner: string
  readonly secretKey: Uint8Array
  readonly publicKeyHex: string
}

export function signerOf(name: string): Signer {
  const secretKey = createHash('sha256').update(`chaos key ${name}`).digest()
  const publicKeyHex = Buffer.from(secp256k1.publicKeyCreate(secretKey)).toString('hex')
  return { owner: name, secretKey, publicKeyHex }
}

/** A service in a process of its own with owners that have keys and wallets. */
export interface LoadedService {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Each signer's owner gets `walletsEach` wallets, named by `walletOf`. */
export async function startLoaded(
  signers: readonly Signer[],
  walletsEach: number,
  settings: Readonly<Record<string, string>>,
): Promise<LoadedService> {
  const place = temporaryDirectory()
  const service = await ServiceProcess.start(place.path, { BILLHOOK_LOG: 'fatal', ...settings })
  for (const { owner, publicKeyHex } of signers) {
    const body = { owner, label: 'chaos', publicKey: publicKeyHex, permissions: ['invoices:create'] }
    const answer = await ask('POST', `${service.url}/api/api-keys`, JSON.stringify(body))
    assert.equal(answer?.status, 201)
    for (let from = 0; from < walletsEach; from += WALLETS_PER_PUSH) {
      const count = Math.min(WALLETS_PER_PUSH, walletsEach - from)
      const events = Array.from({ length: count }, (_, i) => {
        const id = walletOf(owner, from + i)
        const wallet = { id, address: addressOf(id), network: 'SEP' }
        return { id, type: 'wallet.assigned', wallet, owner }
      })
      assert.equal((await pushEvents(service.url, events))?.status, 200)
    }
  }
  return {
    url: service.url,
    pid: service.pid,
    stop: async () => {
      await service.end('SIGTERM')
      place.remove()
    },
  }
}

export function walletOf(owner: string, n: number): string {
  return `${owner}-wallet-${n}`
}

/** Where a wallet of that name is paid. */
export function addressOf(wallet: string): string {
  return hashOf(wallet).slice(0, 42)
}

let made = 0

/** An amount up to a few hundred that nobody else asks for. */
export function freshAmount(): string {
  made += 1
  return `${1 + (made % WHOLE_AMOUNTS)}.${String(made).padStart(FRACTION_DIGITS, '0')}1`
}

export function httpRequest(method: string, path: string, body = '', headers: readonly string[] = []): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...headers]
  if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** A signed creation; `isForged` signs other bytes than are sent. With a callback it has a reference too. */
export function signedCreate(signer: Signer, wallet: string, isForged = false, callbackUrl?: string): string {
  const amount = freshAmount()
  const notified = callbackUrl === undefined ? {} : { callbackUrl, reference: `${wallet} ${amount}` }
  const body = JSON.stringify({ walletIds: [wallet], name: 'Order', amount, currency: 'USDT', ...notified })
  const timestamp = String(Date.now())
  const text = `${ROUTE_TAG}\n${timestamp}\n${body}${isForged ? ' ' : ''}`
  const digest = createHash('sha256').update(text).digest()
  const der = secp256k1.signatureExport(secp256k1.ecdsaSign(digest, signer.secretKey).signature)
  return httpRequest('POST', '/api/invoices', body, [
    `X-Service-Api-Key: ${signer.publicKeyHex}`,
    `X-Service-Timestamp: ${timestamp}`,
    `X-Service-Signature: ${Buffer.from(der).toString('base64')}`,
  ])
}

export function unsignedCreate(owner: string, wallet: string): string {
  const body = JSON.stringify({ owner, walletIds: [wallet], name: 'Order', amount: freshAmount(), currency: 'USDT' })
  return httpRequest('POST', '/api/invoices', body)
}

/** A push of one event, as the ledger gateway makes it. */
export function push(event: unknown): string {
  const body = JSON.stringify({ events: [event] })
  return httpRequest(
    'POST',
    '/internal/events',
    body,
    Object.entries(pushHeaders(body)).map(([name, value]) => `${name}: ${value}`),
  )
}

/** Makes requests ahead of time and hands them out one after the other, again from the first when they run out. */
export function prepared(count: number, make: (n: number) => string): () => string {
  const requests = Array.from({ length: count }, (_, n) => make(n))
  let at = 0
  return () => {
    const request = requests[at % requests.length] ?? ''
    at += 1
    return request
  }
}

/** The most memory of its own, in MiB, that a process has while `during` runs. */
export async function peakMemory<T>(pid: number, during: () => Promise<T>): Promise<{ result: T; mostMiB: number }> {
  let mostMiB = memoryOf(pid).own
  const sampler = setInterval(() => {
    mostMiB = Math.max(mostMiB, memoryOf(pid).own)
  }, SAMPLE_MS)
  try {
    const result = await during()
    return { result, mostMiB }
  } finally {
    clearInterval(sampler)
  }
}
