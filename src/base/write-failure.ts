import { getSystemErrorMap } from 'node:util'

/** Why writing failed, for the operator, as the end of a sentence, with the code that the system has for it. */
export function writeFailure(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException
  const reason = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]
  return reason === undefined ? message : `${reason} (${code})`
}
