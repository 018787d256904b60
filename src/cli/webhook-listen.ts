import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isObject, parseJson } from '../base/json-object.js'
import { timeText } from '../listing/column.js'
import { type Api, checkOwner, checkService, onService, withApi } from './api.js'
import { AskedSecret } from './asked-secret.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import type { DeliveryVerdict } from './delivery-verdict.js'
import { text } from './flags.js'
import { withProcess } from './local-work.js'
import { jsonLine, printable } from './output.js'
import { isWebhookSecret, readSecret } from './secret-file.js'
import { TOLERANCE_SECONDS } from './webhook-verify.js'

const LOOPBACK = '127.0.0.1'
const BODY_LIMIT_BYTES = 65_536

export function webhookListenCommand(webhook: BillhookCommand): void {
  onService(webhook.add('listen', 'Receive webhooks on this machine, check each, and print it.'))
    .option('--port <port>', 'The port on 127.0.0.1. Default: a free one.')
    .option(
      '--secret-file <file>',
      'The secret. Default: the service is asked for it, and again when a signature does not fit.',
    )
    .explain(
      'For development: a service on the same machine sends to 127.0.0.1 as long as it is private to that machine. Answers 204 to a webhook that is verified and 401 to any other. Ends with 0 after ctrl-c or SIGTERM.',
    )
    .runs(listen, (given, problems) => {
      checkService(given, problems)
      if (text('secret-file', given.options) === undefined) checkOwner(given, problems)
    })
}

async function listen(given: Given): Promise<number> {
  const file = text('secret-file', given.options)
  // Asked for before the listening begins: the data directory of a stopped service is not held meanwhile.
  const asked = file === undefined ? await askForSecret(given) : null
  if (asked !== null && asked.secret === null) return asked.code
  return await withProcess(given, async (io, stop) => {
    const known = asked?.secret ?? (await readSecret(file ?? ''))
    const ask = file === undefined ? async () => (await askForSecret(within(given, io), true)).secret : async () => null
    const secret = new AskedSecret(known, ask, io.clock)
    const server = createServer((request, response) => {
      receive(request, response, { given, io, secret }).catch(() => response.destroy())
    })
    await listening(server, Number(given.options['port'] ?? 0))
    const { port } = server.address() as AddressInfo
    // Not among the records of --json.
    io.error(`Listening on http://${LOOPBACK}:${port}/; ctrl-c to stop`)
    await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }))
    server.close()
    server.closeAllConnections()
    return EXIT_SUCCESS
  })
}

/** Asks the service for the secret of the identity. It is null when there is none, which was told then. */
async function askForSecret(
  given: Given,
  onlyServed = false,
): Promise<{ readonly code: number; readonly secret: string | null }> {
  let secret: string | null = null
  const read = async (api: Api) => {
    const { body } = await api.call({ tag: 'GET /api/users/:id/webhook', params: { id: given.settings.owner ?? '' } })
    const answered = String((body as { secret: string | null }).secret)
    if (!isWebhookSecret(answered)) throw new Error('the identity has no secret yet: billhook webhook set makes one')
    secret = answered
    return EXIT_SUCCESS
  }
  return { code: await withApi(given, read, onlyServed), secret }
}

/** For work within a command that runs already, which itself heeds signals. */
function within(given: Given, io: ProcessIo): Given {
  return { ...given, context: { ...given.context, processIo: () => ({ ...io, onSignal: () => undefined }) } }
}

interface Listening {
  readonly given: Given
  readonly io: ProcessIo
  readonly secret: AskedSecret
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { given, io, secret }: Listening,
): Promise<void> {
  const body = await readBody(request)
  if (body === null) return void response.writeHead(413, { Connection: 'close' }).end()
  if (request.method !== 'POST') return void response.writeHead(405, { Allow: 'POST' }).end()
  const { headers } = request
  const nowMs = io.clock.now()
  const { deliveryVerdict } = await import('./delivery-verdict.js')
  const terms = { nowMs, toleranceSeconds: TOLERANCE_SECONDS }
  const verdict = await secret.judge((one) => deliveryVerdict({ headers, body }, one, terms))
  response.writeHead(verdict.isVerified ? 204 : 401).end()
  const id = headers['webhook-id']?.toString() ?? null
  if (given.options['json'] === true) io.out(deliveryJson(verdict, id, body, nowMs))
  else for (const line of deliveryLines(verdict, body, nowMs)) io.out(line)
}

function deliveryJson(
  { isVerified, flaw, note }: DeliveryVerdict,
  id: string | null,
  body: Buffer,
  nowMs: number,
): string {
  const parsed = parseJson(body.toString('utf8'))
  return jsonLine({ at: nowMs, id, verified: isVerified, flaw, note, body: parsed ?? body.toString('utf8') })
}

function deliveryLines({ isVerified, flaw, note }: DeliveryVerdict, body: Buffer, nowMs: number): string[] {
  const text = body.toString('utf8')
  if (!isVerified) return [printable(`${timeText(nowMs)} rejected: ${flaw}: ${text}`)]
  const parsed = parseJson(text)
  const what = isObject(parsed) ? toldBy(parsed) : ''
  return [printable(`${timeText(nowMs)} verified: ${what}${note === null ? '' : ` (${note})`}`), printable(`  ${text}`)]
}

/** A deposit in the specified fields, or an event. */
function toldBy({ status, reference, amount, currency, type, data }: Record<string, unknown>): string {
  if (type === undefined) return `${status} ${amount} ${currency ?? '#native'} for ${reference}`
  const told = isObject(data) ? data['reference'] : null
  return `${type}${told === null ? '' : ` for ${told}`}`
}

/** Null when it is longer than any webhook. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let lengthBytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    lengthBytes += chunk.length
    if (lengthBytes > BODY_LIMIT_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message
      reject(new Error(`port ${port} cannot be listened on: ${why}`))
    })
    server.listen(port, LOOPBACK, resolve)
  })
}
