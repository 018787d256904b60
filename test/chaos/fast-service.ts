import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startChild } from '../cli/child.js'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { ask, pushEvents } from './http-client.js'

const MAIN = new URL('../../src/main.js', import.meta.url)
const FAST_TIME = new URL('./fast-time.js', import.meta.url)
const CURRENCIES = ['USDT', 'native'] as const
/** The last lines of the log that a failure shows. */
const LOG_LINES = 20

/** The clock of a run, which the service has, too. */
export class FastClock {
  constructor(
    readonly startMs: number,
    /** How much faster than the machine's. */
    readonly speed: number,
  ) {}

  now(): number {
    return Math.floor(this.startMs + (Date.now() - this.startMs) * this.speed)
  }
}

/** A network in the service's file. */
export interface WatchedNetwork {
  readonly id: string
  readonly entry: Readonly<Record<string, unknown>>
  /** One wallet for each owner. */
  readonly addresses: readonly string[]
}

/** The service, watching networks in a time that passes faster than the machine's. */
export class FastService {
  /** The last lines of its log. */
  logged: readonly string[] = []

  private constructor(
    readonly process: ServiceProcess,
    readonly receiver: Receiver,
    private readonly networks: readonly WatchedNetwork[],
    private readonly place: { readonly path: string; remove(): void },
  ) {}

  static async launch(
    networks: readonly WatchedNetwork[],
    clock: FastClock,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<FastService> {
    const place = temporaryDirectory()
    const file = join(place.path, 'networks.json')
    writeFileSync(file, JSON.stringify({ networks: networks.map(({ entry }) => entry) }))
    const environment = {
      BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
      BILLHOOK_VERIFY_THREADS: '1',
      BILLHOOK_LOG: 'warn',
      BILLHOOK_NETWORKS: file,
      CHAOS_CLOCK_START: String(clock.startMs),
      CHAOS_TIME_SPEED: String(clock.speed),
      ...settings,
    }
    const receiver = await openReceiver()
    const nodeFlags = ['--import', FAST_TIME.href]
    const data = join(place.path, 'data')
    const process = await ServiceProcess.launch({ data, environment, nodeFlags, stderr: 'pipe' })
    const service = new FastService(process, receiver, networks, place)
    void service.keepLog()
    return service
  }

  get url(): string {
    return this.process.url
  }

  /**
   * Assigns a wallet of each owner on each network, and opens an invoice in each currency that nothing pays in full. Returns
   * their ids by owner and currency.
   */
  async openInvoices(owners: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const events = owners.flatMap((owner, i) =>
      this.networks.map(({ id, addresses }) => {
        const wallet = { id: `${owner} ${id}`, address: addresses[i], network: id }
        return { id: wallet.id, type: 'wallet.assigned', wallet, owner }
      }),
    )
    const pushed = await pushEvents(this.url, events)
    assert.equal(pushed?.status, 200, JSON.stringify(pushed?.json))
    for (const { status } of pushed.json.results) assert.equal(status, 'applied')
    const invoices = new Map<string, string>()
    for (const owner of owners) {
      for (const currency of CURRENCIES) {
        const walletIds = this.networks.map(({ id }) => `${owner} ${id}`)
        const about = { owner, walletIds, name: 'Order', amount: '1000000000', currency }
        const invoice = { ...about, reference: `${owner} ${currency}`, callbackUrl: `${this.receiver.url}/` }
        const created = await ask('POST', `${this.url}/api/invoices`, JSON.stringify(invoice))
        assert.equal(created?.status, 201, JSON.stringify(created?.json))
        invoices.set(`${owner} ${currency}`, created.json.id)
      }
    }
    return invoices
  }

  /** What the command `export` writes of a kind of records. */
  async export<T>(kind: string): Promise<readonly T[]> {
    const { code, stdout, stderr } = await startChild(MAIN, [
      ...['export', kind, '--data', join(this.place.path, 'data')],
    ]).ended
    assert.equal(code, 0, stderr)
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }

  async stop(): Promise<void> {
    await this.process.stop()
    await this.receiver.close()
    this.place.remove()
  }

  private async keepLog(): Promise<void> {
    const { stderr } = this.process.child
    assert.ok(stderr)
    for await (const line of createInterface({ input: stderr })) this.logged = [...this.logged, line].slice(-LOG_LINES)
  }
}
