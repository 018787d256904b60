import { EVENT_TYPES } from '../domain/event.js'
import { WEBHOOK_PAYLOADS } from '../domain/webhook.js'
import type { EndpointTag } from '../http/endpoints.js'
import { timeText } from '../listing/column.js'
import { checkOwner, checkService, onService, withApi } from './api.js'
import type { BillhookCommand, Check, Given, ProcessIo } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { checkWholeNumber, text } from './flags.js'
import { fieldLines, jsonLine } from './output.js'
import { writeSecret } from './secret-file.js'
import { webhookListenCommand } from './webhook-listen.js'
import { webhookVerifyCommand } from './webhook-verify.js'

/** As the service takes it (decisions 7). */
const OVERLAPS = [0, 604_800] as const
const PAYLOADS: readonly string[] = WEBHOOK_PAYLOADS
const REFUSED_ADDRESS =
  'the address is not public, and nothing was sent; the operator can allow it with BILLHOOK_CALLBACK_ALLOW'

/** The configuration of an identity, as the API answers it. */
interface WebhookRecord {
  readonly owner: string
  readonly callback_url: string | null
  readonly secret: string | null
  readonly updated_at: number | null
  readonly payload?: string
  readonly types?: readonly string[]
}

/** How a test delivery ended, as the API answers it. */
interface TestRecord {
  readonly id: string
  readonly url: string
  readonly state: 'delivered' | 'failed'
  readonly httpStatus: number | null
  readonly failure: string | null
  readonly durationMs: number
}

export function webhookCommands(program: BillhookCommand): void {
  const webhook = program.add('webhook', 'Configure, receive and check webhooks.')
  withSecretFile(onService(webhook.add('set', 'Set where the webhooks of an identity go.')))
    .argument('<url>', 'The URL that they are sent to.')
    .option(
      '--payload <kind>',
      'specified, with-invoice to tell the state of the invoice, or events to tell what happens. Default: as before.',
    )
    .option(
      '--types <types>',
      'Which events are sent with --payload events, with commas between them. Default: as before.',
    )
    .runs(set, checkSet)
  withSecretFile(onService(webhook.add('get', 'Show where the webhooks of an identity go.'))).runs(
    (given) => configuration(given, 'GET /api/users/:id/webhook'),
    checkBoth,
  )
  withSecretFile(onService(webhook.add('rotate', 'Replace the secret without losing a webhook.')))
    .option('--overlap <seconds>', 'How long the old secret signs, too. Default: a day.')
    .explain('If the old secret has leaked, give --overlap 0: it signs nothing more.')
    .runs(rotate, (given, problems) => {
      checkWholeNumber('overlap', OVERLAPS, given.options, problems)
      checkBoth(given, problems)
    })
  onService(webhook.add('test', 'Send one test webhook, and tell how it went.'))
    .explain('Ends with 1 when the receiver did not answer with 2xx.')
    .runs(test, checkBoth)
  webhookListenCommand(webhook)
  webhookVerifyCommand(webhook)
}

function withSecretFile(command: BillhookCommand): BillhookCommand {
  return command.option('--secret-file <file>', 'Write the secret into this file, readable by this user only.')
}

const checkBoth: Check = (given, problems) => {
  checkService(given, problems)
  checkOwner(given, problems)
}

const checkSet: Check = (given, problems) => {
  const payload = text('payload', given.options)
  if (payload !== undefined && !PAYLOADS.includes(payload)) {
    problems.push(`--payload must be one of ${PAYLOADS.join(', ')}, not ${JSON.stringify(payload)}.`)
  }
  const unknown = typesOf(given)?.filter((type) => !EVENT_TYPES.some((known) => known === type)) ?? []
  if (unknown.length > 0) {
    problems.push(
      `--types must be of ${EVENT_TYPES.join(', ')}; not ${unknown.map((one) => JSON.stringify(one)).join(', ')}.`,
    )
  }
  checkBoth(given, problems)
}

function typesOf({ options }: Pick<Given, 'options'>): readonly string[] | undefined {
  return text('types', options)?.split(',')
}

function set(given: Given): Promise<number> {
  const [callbackUrl] = given.args
  return configuration(given, 'PUT /api/users/:id/webhook', {
    callbackUrl,
    payload: text('payload', given.options),
    types: typesOf(given),
  })
}

function rotate(given: Given): Promise<number> {
  const overlap = text('overlap', given.options)
  const body = overlap === undefined ? {} : { overlapSeconds: Number(overlap) }
  return configuration(given, 'POST /api/users/:id/webhook/rotate', body)
}

/** Sends a request that the configuration answers, and shows that. The secret goes into a file, and nowhere else. */
async function configuration(given: Given, tag: EndpointTag, body?: unknown): Promise<number> {
  return await withApi(given, async (api, io) => {
    const call = { tag, params: { id: given.settings.owner ?? '' } }
    const { body: answered } = await api.call(body === undefined ? call : { ...call, body })
    const { secret, ...record } = answered as WebhookRecord
    const file = text('secret-file', given.options)
    if (file !== undefined) {
      if (secret === null) throw new Error('there is no secret yet: set a webhook first')
      writeSecret(file, secret)
    }
    if (given.options['json'] === true) io.out(jsonLine(record))
    else showConfiguration(record, secret !== null, file, io)
    return EXIT_SUCCESS
  })
}

function showConfiguration(
  { owner, callback_url: url, payload, types, updated_at: updatedAt }: Omit<WebhookRecord, 'secret'>,
  hasSecret: boolean,
  file: string | undefined,
  io: ProcessIo,
): void {
  const lines = fieldLines([
    ['Owner', owner],
    ['Callback', url ?? 'none'],
    ['Payload', payload ?? 'specified'],
    ['Events', types === undefined ? null : types.join(', ')],
    ['Secret', hasSecret ? (file ?? 'kept; --secret-file writes it into a file') : 'none yet'],
    ['Changed', updatedAt === null ? null : timeText(updatedAt)],
  ])
  for (const line of lines) io.out(line)
}

async function test(given: Given): Promise<number> {
  return await withApi(given, async (api, io) => {
    const { body } = await api.call({
      tag: 'POST /api/users/:id/webhook/test',
      params: { id: given.settings.owner ?? '' },
    })
    const { id, url, state, httpStatus, failure, durationMs } = body as TestRecord
    const lines = fieldLines([
      ['Webhook', id],
      ['Sent to', url],
      ['Outcome', `${state}: ${httpStatus === null ? failure : `status ${httpStatus}`} after ${durationMs} ms`],
      ['Why', failure === 'refused_address' ? REFUSED_ADDRESS : null],
    ])
    for (const line of given.options['json'] === true ? [jsonLine(body)] : lines) io.out(line)
    return state === 'delivered' ? EXIT_SUCCESS : EXIT_FAILURE
  })
}
