/** Why a file cannot be read, by the code of the system's error. */
const READ_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a directory',
}

/** Why reading a file failed, for the operator, as the end of a sentence. */
export function readFailure(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return READ_FAILURES[code] ?? message
}
