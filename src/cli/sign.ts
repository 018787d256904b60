import { METHODS } from '../http/endpoints.js'
import type { BillhookCommand, Given } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { tagOf } from './endpoint-tag.js'
import { text } from './flags.js'
import { readInput } from './input.js'
import { withProcess } from './local-work.js'
import { jsonLine } from './output.js'

export function signCommand(program: BillhookCommand): void {
  program
    .add('sign', 'Print the headers that sign a request.')
    .argument('<method>', 'The method of the request.')
    .argument('<path>', 'Its path, as in /api/invoices. A query is not signed.')
    .option('--key <file>', 'The private key that signs, in PEM (BILLHOOK_KEY_FILE).')
    .option('--body <file>', 'The body of the request, byte by byte; - for standard input. Default: none.')
    .option('--curl', 'Print a command for curl instead.')
    .option('--url <url>', 'The service that curl calls (BILLHOOK_URL).')
    .asJson()
    .explain(
      'The signature holds for five minutes, and for this body only. The first line of the signed text is the pattern of the endpoint, as strict mode wants it.',
    )
    .runs(sign, checkSign)
}

function checkSign({ args, options, context: { environment } }: Omit<Given, 'settings'>, problems: string[]): void {
  const [method = '', path = ''] = args
  const methods: readonly string[] = [...METHODS, 'HEAD']
  if (!methods.includes(method.toUpperCase())) problems.push(`The method must be one of ${methods.join(', ')}.`)
  else if (!path.startsWith('/') || tagOf(method.toUpperCase(), path) === null) {
    problems.push(
      `${JSON.stringify(`${method.toUpperCase()} ${path}`)} is no endpoint of the API: see docs/integrating.md.`,
    )
  }
  const has = (flag: string, variable: string) => options[flag] !== undefined || Boolean(environment[variable])
  if (!has('key', 'BILLHOOK_KEY_FILE')) problems.push('sign needs --key, or BILLHOOK_KEY_FILE.')
  if (options['curl'] !== true) return
  if (options['json'] === true) problems.push('--curl cannot be combined with --json.')
  if (options['body'] === '-') problems.push('--curl needs a body from a file, which curl sends.')
  if (!has('url', 'BILLHOOK_URL')) problems.push('--curl needs --url, or BILLHOOK_URL.')
}

async function sign(given: Given): Promise<number> {
  const { args, options, settings } = given
  const [method = '', path = ''] = args
  return await withProcess(given, async (io) => {
    const tag = tagOf(method.toUpperCase(), path)
    if (tag === null || settings.keyFile === undefined) throw new Error('the command line was not checked')
    const file = text('body', options)
    const { readSigner, signedHeaders } = await import('./signer.js')
    const signer = readSigner(settings.keyFile, io)
    const body = file === undefined ? Buffer.alloc(0) : await readInput(file)
    const headers = await signedHeaders(signer, tag, body, io.clock.now())
    if (options['json'] === true) io.out(jsonLine({ method: method.toUpperCase(), path, tag, headers }))
    else if (options['curl'] === true) {
      io.out(curlCommand({ method: method.toUpperCase(), url: `${settings.url}${path}`, headers, file }))
    } else {
      for (const [name, value] of Object.entries(headers)) io.out(`${name}: ${value}`)
    }
    return EXIT_SUCCESS
  })
}

interface Signed {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly file: string | undefined
}

function curlCommand({ method, url, headers, file }: Signed): string {
  const all = { ...(file === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers }
  return [
    'curl',
    ...(method === 'HEAD' ? ['--head'] : ['--request', method]),
    ...Object.entries(all).flatMap(([name, value]) => ['--header', quoted(`${name}: ${value}`)]),
    ...(file === undefined ? [] : ['--data-binary', quoted(`@${file}`)]),
    quoted(url),
  ].join(' ')
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
