import { createHash, createHmac } from 'node:crypto'
import secp256k1 from 'secp256k1'
import { httpRequest } from './request-file.js'

/** The gateway secret of every measured service. */
export const GATEWAY_SECRET = 'the gateway secret of a benchmark'

const ROUTE_TAG = 'POST /api/invoices'

export interface Signer {
  readonly owner: string
  readonly secretKey: Uint8Array
  /** Compressed. */
  readonly publicKeyHex: string
}

export interface BenchWallet {
  readonly id: string
  readonly owner: string
  readonly address: string
  readonly network: 'SEP'
}

/** Owners with one key each, and evenly distributed wallets. The same in every run. */
export class Merchants {
  readonly signers: readonly Signer[]
  readonly wallets: readonly BenchWallet[]

  constructor(keys: number, wallets: number) {
    this.signers = Array.from({ length: keys }, (_, n) => signer(`owner-${n}`))
    this.wallets = Array.from({ length: wallets }, (_, n) => wallet(`wallet-${n}`, `owner-${n % keys}`))
  }

  /**
   * The `n`th signed creation of a service, on the wallets in turn, or always on the first. No two share a reference,
   * or an amount on a wallet.
   */
  signedCreate(n: number, wallets: 'many' | 'one'): string {
    const count = wallets === 'one' ? 1 : this.wallets.length
    const signer = this.signers[(n % count) % this.signers.length]
    const wallet = this.wallets[n % count]
    if (signer === undefined || wallet === undefined) throw new Error('there are no merchants')
    return signedCreation(signer, {
      walletIds: [wallet.id],
      name: `Order ${n}`,
      amount: `${Math.floor(n / count) + 1}.${String(n % count).padStart(6, '0')}1`,
      currency: 'USDT',
      reference: `order-${n}`,
    })
  }
}

/** The request of a creation, signed now; its timestamp is valid for five minutes. */
export function signedCreation(signer: Signer, draft: unknown): string {
  return signedRequest(signer, ROUTE_TAG, draft)
}

/** The same for another endpoint with a body, by its tag: method and path. */
export function signedRequest({ publicKeyHex, secretKey }: Signer, tag: string, draft: unknown): string {
  const [method = '', path = ''] = tag.split(' ')
  const body = JSON.stringify(draft)
  const timestamp = String(Date.now())
  const digest = createHash('sha256').update(`${tag}\n${timestamp}\n${body}`).digest()
  const headers = [
    'Content-Type: application/json',
    `X-Service-Api-Key: ${publicKeyHex}`,
    `X-Service-Timestamp: ${timestamp}`,
    `X-Service-Signature: ${derSignature(digest, secretKey).toString('base64')}`,
  ]
  return httpRequest(method, path, headers, body)
}

/** The key of an owner; the same in every run. */
export function signer(owner: string): Signer {
  const secretKey = createHash('sha256').update(`bench key of ${owner}`).digest()
  return { owner, secretKey, publicKeyHex: Buffer.from(secp256k1.publicKeyCreate(secretKey)).toString('hex') }
}

export function wallet(id: string, owner: string): BenchWallet {
  const address = `0x${createHash('sha256').update(id).digest('hex').slice(0, 40)}`
  return { id, owner, address, network: 'SEP' }
}

/** Strict DER of a signature with a low s. */
export function derSignature(digest: Uint8Array, secretKey: Uint8Array): Buffer {
  return Buffer.from(secp256k1.signatureExport(secp256k1.ecdsaSign(digest, secretKey).signature))
}

/** Headers of a push by the ledger gateway. */
export function pushHeaders(body: string): Readonly<Record<string, string>> {
  const timestamp = String(Date.now())
  const signature = createHmac('sha256', GATEWAY_SECRET).update(`${timestamp}\n${body}`).digest('hex')
  return { 'X-Gateway-Timestamp': timestamp, 'X-Gateway-Signature': signature }
}

/** Pushes events. Throws unless every event was applied. */
export async function pushEvents(url: string, events: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ events })
  const response = await fetch(`${url}/internal/events`, { method: 'POST', body, headers: pushHeaders(body) })
  const text = await response.text()
  if (response.status !== 200 || text.includes('"rejected"')) throw new Error(`a push was answered with ${text}`)
}
