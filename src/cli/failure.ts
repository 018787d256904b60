import type { CommandIo } from './command.js'
import { jsonLine, printable } from './output.js'
import { isRefusal } from './refusal.js'

/** What to do about a refusal, where its own text does not say it. */
const HINTS: Readonly<Record<string, string>> = {
  missing_auth_headers: 'Sign the request: --key names the file of the private key.',
  invalid_signature: 'billhook doctor signature explains it.',
  unknown_api_key: 'Register the key: billhook keygen <file> --register.',
  unknown_identity: 'It must be onboarded, or added by the operator: billhook identities add <id>.',
  not_identity_key: 'In strict mode a key is registered with --key and the key of the identity itself.',
}

/** Tells in one line, or as JSON, why a command failed. */
export function reportFailure(error: Error, isJson: boolean, io: Pick<CommandIo, 'error'>): void {
  if (isJson) {
    io.error(jsonLine({ error: error.message, ...(isRefusal(error) ? { code: error.code } : {}) }))
  } else if (error.name === 'AbortError') {
    io.error('billhook: stopped')
  } else {
    io.error(`billhook: ${printable(textOf(error))}`)
  }
}

function textOf(error: Error): string {
  if (!isRefusal(error)) return error.message
  const { message, code, retryAfterMs } = error
  const hint = HINTS[code]
  return [
    `${message} (${code})`,
    ...(retryAfterMs === undefined ? [] : [`Wait ${Math.ceil(retryAfterMs / 1000)} s before the next try.`]),
    ...(hint === undefined ? [] : [hint]),
  ].join(' ')
}
