import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { readInput } from './input.js'

const PRIVATE_MODE = 0o600
const SECRET = /^[0-9a-f]{64}$/

/** Whether a text is a webhook secret. */
export function isWebhookSecret(text: string): boolean {
  return SECRET.test(text)
}

/** The webhook secret in a file, or on standard input for `-`. Throws when there is none. */
export async function readSecret(path: string): Promise<string> {
  const secret = (await readInput(path)).toString('utf8').trim()
  if (!isWebhookSecret(secret)) throw new Error(`${path} holds no webhook secret, which is 64 lower-case hex digits`)
  return secret
}

/** Writes a webhook secret into a file for this user alone, on disk when it returns. A former one is replaced. */
export function writeSecret(path: string, secret: string): void {
  let fd: number
  try {
    fd = openSync(path, constants.O_WRONLY | constants.O_CREAT, PRIVATE_MODE)
  } catch (error) {
    throw new Error(`${path} cannot be written: ${(error as Error).message}`)
  }
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`${path} is not a file`)
    // Before the secret is in it.
    fchmodSync(fd, PRIVATE_MODE)
    ftruncateSync(fd)
    writeSync(fd, `${secret}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
