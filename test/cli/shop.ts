import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { privateKeyPem } from '../support/pem.js'
import { ServiceFixture } from '../support/service-fixture.js'
import { type TestKey, testKey } from '../support/signing.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { validAddress } from '../support/valid-address.js'
import type { Ended } from './child.js'
import { type CommandSettings, runInProcess } from './in-process.js'

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
const ONBOARDING_NAME = 'onboarding'

/** A merchant with two wallets at a service of their own, and the merchant's files. */
export class Shop {
  private isRunning = true

  private constructor(
    readonly service: ServiceFixture,
    /** Of the service's data. */
    readonly data: string,
    /** Of the merchant's files; commands run here. */
    readonly files: string,
    readonly identityKey: TestKey,
    readonly owner: string,
    private readonly removeAll: () => void,
  ) {}

  static readonly wallets = { TRX: 'wallet-trx', SEP: 'wallet-sep' } as const

  /** Starts a service, with the sandbox unless strict mode needs an onboarding name of its own. */
  static async open(
    mode: 'sandbox' | 'strict' = 'sandbox',
    more: Readonly<Record<string, string>> = {},
  ): Promise<Shop> {
    const directory = temporaryDirectory()
    const data = join(directory.path, 'data')
    const strict = { BILLHOOK_STRICT: 'on', BILLHOOK_ONBOARDING_NAME: ONBOARDING_NAME }
    const settings = mode === 'strict' ? strict : { BILLHOOK_SANDBOX: 'on' }
    const service = await ServiceFixture.start({ BILLHOOK_DATA: data, ...settings, ...more })
    const identityKey = testKey('an identity')
    const owner = createHash('sha256').update(`0x${identityKey.publicKeyHex}${ONBOARDING_NAME}`).digest('hex')
    const { TRX, SEP } = Shop.wallets
    await service.push({ id: 'onboarded', type: 'identity.onboarded', identity: owner })
    await service.assign(
      owner,
      { id: TRX, address: validAddress('TRX-NILE', 'shop'), network: 'TRX-NILE' },
      { id: SEP, address: validAddress('SEP', 'shop'), network: 'SEP' },
    )
    writeFileSync(join(directory.path, 'identity.pem'), privateKeyPem(identityKey), { mode: 0o600 })
    return new Shop(service, data, directory.path, identityKey, owner, directory.remove)
  }

  /** Stops the service; its data stays. */
  async stop(): Promise<void> {
    if (this.isRunning) await this.service.stop()
    this.isRunning = false
  }

  async close(): Promise<void> {
    await this.stop()
    this.removeAll()
  }

  /** Runs a command of `billhook` in this process, with only this environment. */
  run(argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return runInProcess(argv, { cwd: this.files, environment })
  }

  /** Runs `billhook` as a process, with only this environment. */
  program(
    argv: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    input: string | Buffer = '',
  ): Promise<Ended> {
    return runBillhook(argv, { cwd: this.files, environment, input })
  }

  /** Runs `billhook` with `--json`, expects it to end with 0, and answers with what it printed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they assert on.
  async json(argv: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<any> {
    const { code, stdout, stderr } = await this.run([...argv, '--json'], environment)
    assert.deepEqual([code, stderr], [0, ''], argv.join(' '))
    return JSON.parse(stdout)
  }

  /** Creates an invoice through `admin.sock`, and answers with its id. */
  async invoice(amount: string, ...more: readonly string[]): Promise<string> {
    const flags = ['--data', this.data, '--owner', this.owner, '--wallets', Shop.wallets.TRX, '--name', 'Tea']
    return (await this.json(['invoice', 'create', '--amount', amount, ...flags, ...more])).id
  }

  /** Creates an order that is payable in USDT on TRX-NILE or in ether on SEP, likewise. */
  async order(price: string, ...more: readonly string[]): Promise<string> {
    const { TRX, SEP } = Shop.wallets
    const options = ['--option', `USDT:${TRX}`, '--option', `native:${SEP}`]
    const flags = ['--data', this.data, '--owner', this.owner, '--name', 'Tea']
    return (await this.json(['order', 'create', '--price', price, ...options, ...flags, ...more])).id
  }
}

/** Runs `billhook` to its end. */
export async function runBillhook(
  argv: readonly string[],
  { cwd, environment = {}, input = '' }: RunOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...argv], { cwd, env: environment })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  // A command that reads nothing ends before it is written.
  child.stdin.on('error', () => {}).end(input)
  const [code, signal] = await once(child, 'close')
  return { code, signal, ...written }
}

interface RunOptions extends CommandSettings {
  readonly input?: string | Buffer
}
