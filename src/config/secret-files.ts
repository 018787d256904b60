import { readFileStart } from '../base/file-start.js'
import { readFailure } from '../base/read-failure.js'

/** A file with a secret is shorter; a longer one is something else, like a device that never ends. */
const SECRET_FILE_LIMIT_BYTES = 65_536

/** The variable that names the file which holds the value of `variable`. */
export function fileVariableOf(variable: string): string {
  return `${variable}_FILE`
}

/**
 * The values of `variables` that are given by file, by variable: the contents without the line breaks at their end. What
 * cannot be read is described in `problems`, one line each, without the contents.
 */
export function readSecretFiles(
  variables: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>()
  for (const variable of variables) {
    const fileVariable = fileVariableOf(variable)
    const path = environment[fileVariable] ?? ''
    if (path === '') continue
    if ((environment[variable] ?? '') !== '') {
      problems.push(`${variable} and ${fileVariable} are both set: unset one of them.`)
      continue
    }
    const read = readSecret(path)
    if ('secret' in read) secrets.set(variable, read.secret)
    else problems.push(`${fileVariable}: cannot use the file ${JSON.stringify(path)}: ${read.problem}.`)
  }
  return secrets
}

function readSecret(path: string): { secret: string } | { problem: string } {
  let bytes: Buffer
  try {
    bytes = readFileStart(path, SECRET_FILE_LIMIT_BYTES)
  } catch (error) {
    return { problem: readFailure(error) }
  }
  if (bytes.length > SECRET_FILE_LIMIT_BYTES) return { problem: `it is longer than ${SECRET_FILE_LIMIT_BYTES} bytes` }
  const secret = bytes.toString('utf8').replace(/[\r\n]+$/, '')
  return secret === '' ? { problem: 'it is empty' } : { secret }
}
