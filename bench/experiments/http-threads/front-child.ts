import { hash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { isSigned, readSignatureHeaders } from '../../../src/auth/signed-request.js'
import { systemClock } from '../../../src/clock.js'
import { decodeBase64 } from '../../../src/crypto/base64.js'
import { loadEngine } from '../../../src/crypto/choose-engine.js'
import { parsePublicKeyHex } from '../../../src/crypto/secp256k1.js'
import { signedText } from '../../../src/crypto/signed-text.js'
import { isTimely } from '../../../src/domain/api-key.js'
import { failure, type Outcome } from '../../../src/domain/failure.js'
import { parseInvoiceRequest } from '../../../src/domain/invoice.js'
import { readJsonObject } from '../../../src/http/body.js'
import { failureAnswer, jsonAnswer } from '../../../src/http/failure-response.js'
import { createRouter } from '../../../src/http/router.js'
import type { Answer, Request } from '../../../src/http/server.js'
import { createUwsServer } from '../../../src/http/uws.js'
import { addCommand, answersOf, type Message } from './messages.js'
import { Outgoing } from './outgoing.js'

/** One HTTP thread: takes requests, verifies them in place, and hands on what was signed well. */

const ROUTE_TAG = 'POST /api/invoices'
/** The main thread is not to wait until a thousand requests of one turn have been verified. */
const COMMANDS_MAX = 32
const KEYS_MAX = 16_384

const { port, messageLimit } = workerData as { port: number; messageLimit: number | null }
const main = parentPort
if (main === null) throw new Error('an HTTP thread was started as a process')
const engine = await loadEngine('libsecp256k1')
const keys = new Map<string, Uint8Array | null>()
const waiting = new Map<number, (outcome: Outcome<string>) => void>()
const outgoing = new Outgoing(main, addCommand, messageLimit ?? COMMANDS_MAX)
let count = 0

main.on('message', (message: Message | 'stop') => {
  if (message === 'stop') {
    void server.drain().then(() => main.close())
    return
  }
  for (const { no, outcome } of answersOf(message)) {
    waiting.get(no)?.(outcome)
    waiting.delete(no)
  }
})

const resolve = createRouter([{ method: 'POST', pattern: '/api/invoices', handle: create }], { onError: report })
const server = createUwsServer(
  resolve,
  { host: '127.0.0.1', port, connectionLimit: 16_384, requestTimeoutMs: 20_000, idleTimeoutMs: 60_000 },
  report,
)
await server.listen()
main.postMessage(readlinkSync('/proc/thread-self').split('/').at(-1))

function create(request: Request): Answer | Promise<Answer> {
  const headers = readSignatureHeaders(request)
  const { apiKey, timestamp, signature } = headers
  if (!isSigned(headers) || !apiKey || !timestamp || !signature) return failureAnswer(failure('missing_auth_headers'))
  if (!isTimely(timestamp, systemClock.now())) return failureAnswer(failure('invalid_timestamp'))
  const publicKey = keyOf(apiKey)
  const der = decodeBase64(signature)
  const isGood =
    publicKey !== null &&
    der !== null &&
    engine.verify(der, hash('sha256', signedText(ROUTE_TAG, timestamp, request.body), 'buffer'), publicKey)
  if (!isGood) return failureAnswer(failure('invalid_signature'))
  const body = readJsonObject(request.body)
  // The owner is the key's, which the main thread knows.
  const wanted = body.ok ? parseInvoiceRequest(body.value, 'unknown') : body
  count += 1
  const no = count
  outgoing.push({ no, keyText: apiKey, wanted })
  return new Promise<Outcome<string>>((settle) => waiting.set(no, settle)).then(createdAnswer)
}

function createdAnswer(outcome: Outcome<string>): Answer {
  if (!outcome.ok) return failureAnswer(outcome.failure)
  const id = outcome.value
  return jsonAnswer(201, { id, url: `/pay/${id}` }, { Location: `/api/invoices/${id}` })
}

function keyOf(text: string): Uint8Array | null {
  const known = keys.get(text)
  if (known !== undefined) return known
  if (keys.size >= KEYS_MAX) keys.clear()
  const key = parsePublicKeyHex(text)
  keys.set(text, key)
  return key
}

function report(error: unknown): void {
  process.stderr.write(`${String(error)}\n`)
}
