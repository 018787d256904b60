import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { parsePublicKeyHex } from '../../src/crypto/secp256k1.js'
import { isTimely } from '../../src/domain/api-key.js'
import { type Failure, failure, type Outcome, refuse } from '../../src/domain/failure.js'
import { parseInvoiceRequest } from '../../src/domain/invoice.js'
import { failureStatus } from '../../src/http/failure-status.js'
import { readJsonObject } from '../../src/http/json.js'
import type { Invoices } from './invoices.js'
import { Verifier } from './signature.js'

const BODY_BYTES_MAX = 65_536
/** A placeholder until the database has found the owner of the key. */
const OWNER_OF_KEY = 'owner of the key'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const refused = schemaOf({ error: text, code: text })
const created = schemaOf({ id: text, url: text })
const shown = schemaOf({
  id: text,
  owner: text,
  wallet_id: text,
  wallet_ids: text,
  name: text,
  description: textOrNull,
  reference: textOrNull,
  amount: text,
  currency: text,
  callback_url: textOrNull,
  created_at: { type: 'integer' },
  payment: schemaOf({ status: text, received: text, pending: text, remaining: text, overpaid: text, own: text }),
})

/** `POST /api/invoices`, signed, and `GET /api/invoices/:id`, by the rules of the specification. */
export function createServer(invoices: Invoices): FastifyInstance {
  const verifier = new Verifier()
  const server = fastify({ logger: false, bodyLimit: BODY_BYTES_MAX })
  server.removeAllContentTypeParsers()
  // The signature is over the bytes as sent, so they are parsed after it has been verified.
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.setNotFoundHandler((_request, reply) => sendFailure(reply, failure('not_found')))
  server.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
    if (error.statusCode === 413) return sendFailure(reply, failure('body_too_large'))
    if (error.statusCode !== undefined && error.statusCode < 500)
      return sendFailure(reply, failure('malformed_request'))
    process.stderr.write(`${error.stack}\n`)
    return sendFailure(reply, failure('internal'))
  })

  server.post('/api/invoices', { schema: { response: { 201: created, '4xx': refused } } }, async (request, reply) => {
    const outcome = await create(request, verifier, invoices)
    if (!outcome.ok) return sendFailure(reply, outcome.failure)
    const id = outcome.value
    return reply
      .code(201)
      .header('Location', `/api/invoices/${id}`)
      .send({ id, url: `/pay/${id}` })
  })
  server.get<{ Params: { id: string } }>(
    '/api/invoices/:id',
    { schema: { response: { 200: shown, '4xx': refused } } },
    async (request, reply) => {
      const invoice = await invoices.read(request.params.id)
      return invoice === null ? sendFailure(reply, failure('invoice_not_found')) : reply.send(invoice)
    },
  )
  return server
}

/** The order of the checks is that of decisions 2 and 4; the database makes those from the known key on. */
async function create(request: FastifyRequest, verifier: Verifier, invoices: Invoices): Promise<Outcome<string>> {
  const { headers } = request
  const keyText = headers['x-service-api-key']
  const timestamp = headers['x-service-timestamp']
  const signature = headers['x-service-signature']
  if (!isText(keyText) || !isText(timestamp) || !isText(signature)) return refuse('missing_auth_headers')
  if (!isTimely(timestamp, Date.now())) return refuse('invalid_timestamp')
  const publicKey = parsePublicKeyHex(keyText)
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (publicKey === null || !(await verifier.isSigned(publicKey, timestamp, signature, bytes))) {
    return refuse('invalid_signature')
  }
  const body = readJsonObject(bytes)
  const wanted = body.ok ? parseInvoiceRequest(body.value, OWNER_OF_KEY) : body
  if (wanted.ok) return invoices.create(publicKey, wanted.value)
  const refusalOfKey = await invoices.refusalOfKey(publicKey)
  return refusalOfKey === null ? wanted : { ok: false, failure: refusalOfKey }
}

function isText(header: string | string[] | undefined): header is string {
  return typeof header === 'string' && header !== ''
}

function sendFailure(reply: FastifyReply, { code, message }: Failure): FastifyReply {
  return reply.code(failureStatus[code]).send({ error: message, code })
}

function schemaOf(properties: Readonly<Record<string, object>>) {
  return { type: 'object', properties } as const
}
