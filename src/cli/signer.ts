import { keySigner, type Signer, signedHeaders } from '@billhook/client'
import type { CommandIo } from './command.js'
import { readKeyFile } from './key-file.js'

/** What signs with the private key in a file. Warns and throws as `readKeyFile` does. */
export function readSigner(path: string, io: Pick<CommandIo, 'error'>): Signer {
  return keySigner(readKeyFile(path, io))
}

export { signedHeaders }
