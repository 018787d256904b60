import assert from 'node:assert/strict'
import { signRequest, type TestKey } from '../support/signing.js'

export const ROUTE_TAG = 'POST /api/invoices'

export interface Answer {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
  readonly location: string | null
}

/** A creation as `signer` signs it. */
export function create(url: string, signer: TestKey, wanted: object): Promise<Answer> {
  const body = JSON.stringify(wanted)
  const timestamp = String(Date.now())
  return send(url, body, `0x${signer.publicKeyHex}`, timestamp, signRequest(signer, ROUTE_TAG, timestamp, body))
}

/** A creation with any headers. */
export function send(
  url: string,
  body: string,
  keyText: string,
  timestamp: string,
  signature: string,
): Promise<Answer> {
  const headers = {
    'Content-Type': 'application/json',
    'X-Service-Api-Key': keyText,
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signature,
  }
  return answerOf(fetch(`${url}/api/invoices`, { method: 'POST', body, headers }))
}

export function show(url: string, id: string): Promise<Answer> {
  return answerOf(fetch(`${url}/api/invoices/${id}`))
}

export async function answerOf(response: Promise<Response>): Promise<Answer> {
  const { status, headers, ...rest } = await response.then(async (got) => ({
    status: got.status,
    headers: got.headers,
    json: (await got.json()) as Record<string, unknown>,
  }))
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  return { status, json: rest.json, location: headers.get('location') }
}
