import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, warmUp } from '../bench.js'
import { creationsPerSecondMax } from '../limits/verifications.js'
import { type Signer, signedCreation, signer, wallet } from '../merchants.js'
import { CREATION_UNDER_LOAD } from '../names.js'
import { registerMerchants } from '../registration.js'
import { writeRequestFile } from '../request-file.js'

/** Creations on a new wallet before the next one takes over. */
const CREATIONS_OF_NEW = 256
const US_PER_SECOND = 1_000_000
/** Amounts of a history: 1000.000001, 1000.000002, … */
const AMOUNT_DIGITS = 6

/** A wallet with this number of earlier invoices; its owner has the same name. */
export interface WalletWithHistory {
  readonly name: string
  readonly size: number
}

/**
 * Measures what a signed, durable creation costs the whole machine, clients included, at full load: in turn on a wallet
 * with earlier invoices, with amounts among theirs, and on new wallets.
 */
export async function timeCreationsUnderLoad(bench: Bench, url: string, history: WalletWithHistory): Promise<void> {
  const { parameters, findings } = bench
  const load = new CreationsUnderLoad(bench, url)
  const samples = { none: [] as number[], many: [] as number[] }
  await load.register(history.name)
  for (const on of [null, history]) await warmUp(bench, (seconds) => load.run(on, seconds))
  for (let round = 0; round < parameters.rounds; round += 1) {
    samples.none.push(await load.run(null, parameters.seconds))
    samples.many.push(await load.run(history, parameters.seconds))
  }
  const note = `over HTTP, ${parameters.connections} connections, time over creations; with none: a new wallet for each ${CREATIONS_OF_NEW}`
  const add = (of: readonly number[], x: number) =>
    findings.add({ group: 'history', name: CREATION_UNDER_LOAD, unit: 'µs', samples: of, x, note })
  add(samples.none, 0)
  add(samples.many, history.size)
}

class CreationsUnderLoad {
  private readonly file: string
  private readonly newcomer = signer('newcomer')
  private made = 0
  private wallets = 0

  constructor(
    private readonly bench: Bench,
    private readonly url: string,
  ) {
    this.file = join(bench.directory, 'creations-under-load')
  }

  /** Registers the keys that sign the creations. */
  async register(owner: string): Promise<void> {
    await registerMerchants(this.url, [this.newcomer, signer(owner)], [])
  }

  /** Loads the service for `seconds` and returns µs per creation. */
  async run(history: WalletWithHistory | null, seconds: number): Promise<number> {
    const { connections } = this.bench.parameters
    const count = Math.ceil(seconds * (await creationsPerSecondMax())) + connections
    if (history === null) await this.signOnNewWallets(count)
    else await this.sign(count, signer(history.name), () => history.name, history.size)
    const perSecond = await this.bench.loadGenerator.run({ url: this.url, connections, seconds, requests: this.file })
    rmSync(this.file)
    return US_PER_SECOND / perSecond
  }

  private async signOnNewWallets(count: number): Promise<void> {
    const { owner } = this.newcomer
    const names = Array.from({ length: Math.ceil(count / CREATIONS_OF_NEW) }, () => {
      this.wallets += 1
      return `new-${this.wallets}`
    })
    await registerMerchants(
      this.url,
      [],
      names.map((name) => wallet(name, owner)),
    )
    await this.sign(count, this.newcomer, (n) => names[Math.floor(n / CREATIONS_OF_NEW)] ?? '', 0)
  }

  private async sign(count: number, by: Signer, walletOf: (n: number) => string, size: number): Promise<void> {
    await writeRequestFile(this.file, count, (n) => {
      this.made += 1
      const place = String(randomInt(size + 1)).padStart(AMOUNT_DIGITS, '0')
      return signedCreation(by, {
        walletIds: [walletOf(n)],
        name: 'Order',
        amount: `1000.${place}${String(this.made).padStart(9, '0')}1`,
        currency: 'USDT',
        reference: `under-load-${this.made}`,
      })
    })
  }
}
