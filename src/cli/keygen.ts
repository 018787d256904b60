import { existsSync } from 'node:fs'
import { newSigningKeyPem } from '../crypto/signing-key.js'
import { checkOwner, checkService, onService, withApi } from './api.js'
import type { BillhookCommand, Given, ProcessIo } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { checkWholeNumber, text } from './flags.js'
import { writeKeyFile } from './key-file.js'
import { withProcess } from './local-work.js'
import { fieldLines, jsonLine, printable } from './output.js'

const TTL_DAYS = [1, 36_500] as const
const PERMISSION = 'invoices:create'

/** What the API answers about a registered key. */
interface KeyRecord {
  readonly id: string
  readonly owner: string
  readonly label: string
}

export function keygenCommand(program: BillhookCommand): void {
  onService(program.add('keygen', 'Make a key pair that signs requests, and register it on request.'))
    .argument('<file>', 'The new file for the private key, in PEM, readable by this user only.')
    .option('--register', 'Register the public key at the service, for --owner.')
    .option('--label <text>', 'The label of the registered key. Default: the name of the file.')
    .option('--ttl-days <days>', 'The time after which the registered key expires. Default: never.')
    .explain(
      'A private key is never overwritten. With --register a file that exists is kept, and its key is registered, so the command can be given again. In strict mode --key names the key of the identity itself, the one that it was onboarded with.',
    )
    .runs(keygen, (given, problems) => {
      if (given.options['register'] === true) {
        checkService(given, problems)
        checkOwner(given, problems)
        checkWholeNumber('ttl-days', TTL_DAYS, given.options, problems)
        return
      }
      for (const name of ['label', 'ttl-days', 'url', 'key', 'data', 'owner']) {
        if (text(name, given.options) !== undefined) problems.push(`--${name} needs --register.`)
      }
    })
}

async function keygen(given: Given): Promise<number> {
  const [file = ''] = given.args
  if (given.options['register'] !== true) {
    return await withProcess(given, async (io) => {
      const publicKey = await madeKey(file, io)
      show(given, { file, publicKey, registered: null }, io)
      return EXIT_SUCCESS
    })
  }
  return await withApi(given, async (api, io) => {
    const publicKey = existsSync(file) ? await publicKeyIn(file, io) : await madeKey(file, io)
    const ttlDays = text('ttl-days', given.options)
    const { body } = await api.call({
      tag: 'POST /api/api-keys',
      body: {
        owner: given.settings.owner,
        label: text('label', given.options) ?? file.split('/').at(-1),
        publicKey,
        permissions: [PERMISSION],
        ...(ttlDays === undefined ? {} : { ttlDays: Number(ttlDays) }),
      },
    })
    show(given, { file, publicKey, registered: body as KeyRecord }, io)
    return EXIT_SUCCESS
  })
}

/** Makes a key and answers with its public half, as it is in the file. */
async function madeKey(file: string, io: ProcessIo): Promise<string> {
  writeKeyFile(file, newSigningKeyPem())
  return await publicKeyIn(file, io)
}

async function publicKeyIn(file: string, io: ProcessIo): Promise<string> {
  const { readSigner } = await import('./signer.js')
  return readSigner(file, io).publicKey
}

interface Made {
  readonly file: string
  readonly publicKey: string
  readonly registered: KeyRecord | null
}

function show({ options }: Given, made: Made, io: ProcessIo): void {
  if (options['json'] === true) return io.out(jsonLine(made))
  const { file, publicKey, registered } = made
  const lines = fieldLines([
    ['Private key', file],
    ['Public key', publicKey],
    ['Registered', registered === null ? null : `${registered.id}, for ${registered.owner}, as ${registered.label}`],
  ])
  for (const line of lines) io.out(line)
  if (registered === null) {
    io.out(`To register it: billhook keygen ${printable(file)} --register --owner <identity> (POST /api/api-keys)`)
  }
}
