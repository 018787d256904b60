import type { ApiKey } from '../domain/api-key.js'
import { METHODS } from '../http/endpoints.js'
import type { RejectedRequest, SignatureReport } from '../service/doctor/signature.js'
import { checkService, onService, withApi } from './api.js'
import type { BillhookCommand, Given } from './billhook-command.js'
import { EXIT_FAILURE, EXIT_SUCCESS } from './command.js'
import { tagOf } from './endpoint-tag.js'
import { needFlags, text } from './flags.js'
import { parseHeaders } from './headers.js'
import { readInput } from './input.js'
import { withProcess } from './local-work.js'
import { fieldLines, jsonLine, printable } from './output.js'

/** The headers that sign a request. */
const HEADERS = {
  apiKey: 'X-Service-Api-Key',
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
} as const

export function doctorSignatureCommand(doctor: BillhookCommand): void {
  onService(doctor.add('signature', 'Explain an invalid_signature: which text, key or encoding would have matched.'))
    .argument('<method>', 'The method of the request.')
    .argument('<path>', 'Its path, with its query if it has one.')
    .option('--headers <file>', 'Its headers, one on each line, as in "X-Service-Timestamp: …"; - for standard input.')
    .option('--body <file>', 'Its body, byte by byte; - for standard input. Default: none.')
    .explain(
      'Needs no service. With --owner it also compares the keys that this identity has registered, and asks a service, or a data directory, for them. Ends with 0 when the signature is valid, 1 otherwise. Nothing is sent or changed, and no private key is needed.',
    )
    .runs(explain, check)
}

function check(given: Omit<Given, 'settings'>, problems: string[]): void {
  const { args, options } = given
  const [method = '', path = ''] = args
  needFlags('doctor signature', ['headers'], options, problems)
  if (options['headers'] === '-' && options['body'] === '-') {
    problems.push('Only one of --headers and --body can be standard input.')
  }
  const known: readonly string[] = [...METHODS, 'HEAD']
  if (!known.includes(method.toUpperCase())) problems.push(`The method must be one of ${known.join(', ')}.`)
  else if (tagOf(method.toUpperCase(), path) === null) {
    problems.push(`${JSON.stringify(`${method} ${path}`)} is no endpoint of the API: see docs/integrating.md.`)
  }
  checkService(given, problems)
}

async function explain(given: Given): Promise<number> {
  let keys: readonly ApiKey[] | null = null
  const { owner } = given.settings
  if (owner !== undefined) {
    const asked = await withApi(given, async (api) => {
      keys = (await api.call({ tag: 'GET /api/users/:id/api-keys', params: { id: owner } })).body as ApiKey[]
      return EXIT_SUCCESS
    })
    if (asked !== EXIT_SUCCESS) return asked
  }
  return await withProcess(given, async (io) => {
    const request = await readRequest(given)
    const { explainSignature } = await import('../service/doctor/signature.js')
    const report = explainSignature(request, keys, io.clock.now())
    if (given.options['json'] === true) io.out(jsonLine(report))
    else for (const line of linesOf(report)) io.out(line)
    return report.isValid ? EXIT_SUCCESS : EXIT_FAILURE
  })
}

async function readRequest({ args, options }: Given): Promise<RejectedRequest> {
  const [method = '', path = ''] = args
  const tag = tagOf(method.toUpperCase(), path)
  if (tag === null) throw new Error('the command line was not checked')
  const headers = parseHeaders((await readInput(text('headers', options) ?? '')).toString('latin1'))
  const values = Object.entries(HEADERS).map(([name, header]) => [name, headers[header.toLowerCase()] ?? ''] as const)
  const missing = values.filter(([, value]) => value === '').map(([name]) => HEADERS[name as keyof typeof HEADERS])
  if (missing.length > 0) throw new Error(`the headers lack ${missing.join(' and ')}, which is missing_auth_headers`)
  const file = text('body', options)
  const body = file === undefined ? Buffer.alloc(0) : await readInput(file)
  const { apiKey = '', timestamp = '', signature = '' } = Object.fromEntries(values)
  return { tag, method: method.toUpperCase(), path, body, apiKey, timestamp, signature }
}

/** Text of the request, such as its timestamp, cannot control a terminal. */
function linesOf(report: SignatureReport): string[] {
  const notes = report.notes.map((note) => printable(`Note: ${note}`))
  return [...verdictLines(report), ...notes]
}

function verdictLines({ isValid, differences, signer, expected, text: { bytes, sha256 } }: SignatureReport): string[] {
  if (isValid) return [`The signature is valid, made by ${signer}.`]
  const explained = differences?.flatMap((one) => [printable(`- ${one.text}`), printable(`  ${one.advice}`)])
  return [
    ...(explained === undefined
      ? ['The signature is not valid, and no usual mistake explains it. Compare the text with what your program signs.']
      : ['The signature is not valid. This is why:', ...explained]),
    'The service verifies it over this text:',
    ...fieldLines([
      ['  First line', expected.firstLine],
      ['  Timestamp', expected.timestamp],
      ['  Body', `${expected.bodyBytes} bytes`],
      ['  In all', `${bytes} bytes, SHA-256 ${sha256}`],
    ]),
  ]
}
