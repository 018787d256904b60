import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from '../cli/child.js'
import { Random } from '../simulation/random.js'
import { addressNumber } from '../support/ethereum-chain.js'
import { openReceiver, type Receiver } from '../support/receiver.js'
import { GATEWAY_SECRET } from '../support/service-fixture.js'
import { memoryOf, ServiceProcess } from '../support/service-process.js'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { emulatedAccount } from '../support/tron-transactions.js'
import { HostileEvm } from './hostile-evm.js'
import type { HostileNetwork, HostilePayment } from './hostile-network.js'
import { HostileTron } from './hostile-tron.js'
import { ask, pushEvents } from './http-client.js'

const MAIN = new URL('../../src/main.js', import.meta.url)
const FAST_TIME = new URL('./fast-time.js', import.meta.url)
/** How much faster than the machine's the time of the run is. */
const SPEED = 12
const OWNERS = ['ann', 'ben', 'cid'] as const
const CURRENCIES = ['USDT', 'native'] as const
/** From the moment at which a chain calls its block final. */
const CONFIRMED_WITHIN_MS = 60_000
/** Above the memory that the service has when it begins to watch. */
const MEMORY_MIB = 256
const STEP_MS = 20
/** Real time for what is left at the end. */
const SETTLING_MS = 60_000
const LOG_LINES = 20

export interface HostileChainOptions {
  /** Of the machine's time; twelve times as much for the networks. */
  readonly minutes: number
  readonly seed: number
  readonly say: (line: string) => void
}

interface Expected extends HostilePayment {
  readonly network: string
  readonly quirk: string
  /** When the chain called its block final; null while it does not. */
  finalMs: number | null
}

/**
 * Two EVM networks and two of TRON. Strangers put into blocks what they can, and nodes have one quirk after another. Every
 * payment must be confirmed soon, nothing else may count, and memory stays bounded. Returns what was violated.
 */
export async function hostileChain(options: HostileChainOptions): Promise<readonly string[]> {
  const run = await Run.begin(options)
  try {
    return await run.play()
  } finally {
    await run.end()
  }
}

class Run {
  private readonly violations = new Set<string>()
  private readonly expected = new Map<string, Expected>()
  /** When each confirmation was told, by network and hash. */
  private readonly told = new Map<string, number>()
  private readonly slowest = new Map<string, number>()
  private logged: string[] = []
  private mostMib = 0

  private constructor(
    private readonly options: HostileChainOptions,
    private readonly clock: { readonly startMs: number; now(): number },
    private readonly networks: readonly HostileNetwork[],
    private readonly place: { readonly path: string; remove(): void },
    private readonly receiver: Receiver,
    private readonly service: ServiceProcess,
  ) {}

  static async begin(options: HostileChainOptions): Promise<Run> {
    const startMs = Math.floor(Date.now() / 1000) * 1000
    const clock = { startMs, now: () => Math.floor(startMs + (Date.now() - startMs) * SPEED) }
    const networks = await openNetworks(options.seed, clock)
    const place = temporaryDirectory()
    const file = join(place.path, 'networks.json')
    writeFileSync(file, JSON.stringify({ networks: networks.map(({ entry }) => entry) }))
    const environment = {
      BILLHOOK_GATEWAY_SECRET: GATEWAY_SECRET,
      BILLHOOK_VERIFY_THREADS: '1',
      BILLHOOK_LOG: 'warn',
      BILLHOOK_NETWORKS: file,
      CHAOS_CLOCK_START: String(startMs),
      CHAOS_TIME_SPEED: String(SPEED),
    }
    const receiver = await openReceiver()
    const nodeFlags = ['--import', FAST_TIME.href]
    const data = join(place.path, 'data')
    const service = await ServiceProcess.launch({ data, environment, nodeFlags, stderr: 'pipe' })
    const run = new Run(options, clock, networks, place, receiver, service)
    void run.keepLog()
    return run
  }

  async play(): Promise<readonly string[]> {
    const { clock, networks, options } = this
    await this.openInvoices()
    await this.step(30_000, false)
    const idleMib = memoryOf(this.service.pid).own
    const rounds = Math.max(...networks.map(({ quirks }) => quirks.length))
    const phaseMs = (options.minutes * 60_000 * SPEED) / rounds
    for (let round = 0; round < rounds; round += 1) {
      for (const network of networks) network.quirk = network.quirks[round % network.quirks.length] ?? 'nothing'
      const [from, requests] = [clock.now(), networks.map((network) => network.requests)]
      await this.step(phaseMs, true)
      const seconds = (clock.now() - from) / 1000
      const rates = networks.map((network, i) => ((network.requests - (requests[i] ?? 0)) / seconds).toFixed(2))
      const about = networks.map(({ id, quirk }, i) => `${id}: ${quirk} (${rates[i]} calls a second)`)
      options.say(`  ${about.join('; ')}`)
    }
    for (const network of networks) network.quirk = 'nothing'
    await this.step(CONFIRMED_WITHIN_MS * 3, false)
    await this.settle()
    await this.compare()
    const grownMib = Math.round(this.mostMib - idleMib)
    if (grownMib > MEMORY_MIB) this.violations.add(`the service took ${grownMib} MiB more than when it was idle`)
    const slowest = [...this.slowest].map(([what, ms]) => `${what} ${(ms / 1000).toFixed(0)} s`)
    options.say(`  slowest confirmations: ${slowest.join(', ')}`)
    options.say(`  ${this.expected.size} payments, ${this.receiver.requests.length} webhooks, ${grownMib} MiB`)
    return [...this.violations]
  }

  async end(): Promise<void> {
    await this.service.stop()
    for (const network of this.networks) await network.close()
    await this.receiver.close()
    this.place.remove()
  }

  private async keepLog(): Promise<void> {
    const { stderr } = this.service.child
    assert.ok(stderr)
    for await (const line of createInterface({ input: stderr })) this.logged = [...this.logged, line].slice(-LOG_LINES)
  }

  private async openInvoices(): Promise<void> {
    const events = OWNERS.flatMap((owner, i) =>
      this.networks.map(({ id, addresses }) => {
        const wallet = { id: `${owner} ${id}`, address: addresses[i], network: id }
        return { id: wallet.id, type: 'wallet.assigned', wallet, owner }
      }),
    )
    const pushed = await pushEvents(this.service.url, events)
    assert.equal(pushed?.status, 200, JSON.stringify(pushed?.json))
    for (const { status } of pushed.json.results) assert.equal(status, 'applied')
    for (const owner of OWNERS) {
      for (const currency of CURRENCIES) {
        const walletIds = this.networks.map(({ id }) => `${owner} ${id}`)
        const about = { owner, walletIds, name: 'Order', amount: '1000000000', currency }
        const invoice = { ...about, reference: `${owner} ${currency}`, callbackUrl: `${this.receiver.url}/` }
        const created = await ask('POST', `${this.service.url}/api/invoices`, JSON.stringify(invoice))
        assert.equal(created?.status, 201, JSON.stringify(created?.json))
      }
    }
  }

  /** Lets time pass, by the clock of the run. */
  private async step(ms: number, isPaying: boolean): Promise<void> {
    const end = this.clock.now() + ms
    while (this.clock.now() < end) {
      for (const network of this.networks) {
        for (const payment of network.advance(this.clock.now(), isPaying)) {
          const about = { ...payment, network: network.id, quirk: network.quirk, finalMs: null }
          this.expected.set(`${network.id} ${payment.txHash}`, about)
        }
      }
      this.look()
      await sleep(STEP_MS)
    }
  }

  private look(): void {
    const now = this.clock.now()
    this.mostMib = Math.max(this.mostMib, memoryOf(this.service.pid).own)
    for (const { body } of this.receiver.requests.slice(this.told.size)) {
      const { network, txHash, status } = JSON.parse(body.toString()) as Readonly<Record<string, string>>
      const name = `${network} ${txHash} ${status}`
      if (this.told.has(name)) this.violations.add(`${name} was told twice`)
      this.told.set(this.told.has(name) ? `${name} again ${this.told.size}` : name, now)
    }
    for (const network of this.networks) {
      const final = network.finalHeight()
      for (const [name, payment] of this.expected) {
        if (payment.network !== network.id || payment.height > final) continue
        payment.finalMs ??= now
        const toldMs = this.told.get(`${name} confirmed`)
        const lateMs = (toldMs ?? now) - payment.finalMs
        const key = `${network.id} (${payment.quirk})`
        if (lateMs > (this.slowest.get(network.id) ?? 0)) this.slowest.set(network.id, lateMs)
        if (lateMs > CONFIRMED_WITHIN_MS) this.violations.add(`${key}: a payment was not told within a minute`)
      }
    }
  }

  private async settle(): Promise<void> {
    const startedMs = Date.now()
    while ([...this.expected.keys()].some((name) => !this.told.has(`${name} confirmed`))) {
      if (Date.now() - startedMs > SETTLING_MS) {
        const missing = [...this.expected].filter(([name]) => !this.told.has(`${name} confirmed`))
        for (const [name, { quirk, height }] of missing) {
          this.violations.add(`${name} of block ${height} (${quirk}) was never told as confirmed`)
        }
        this.options.say(this.logged.join('\n'))
        return
      }
      await this.step(STEP_MS * SPEED, false)
    }
  }

  /** With what was really paid. */
  private async compare(): Promise<void> {
    const { code, stdout, stderr } = await startChild(MAIN, [
      ...['export', 'deposits', '--data', join(this.place.path, 'data')],
    ]).ended
    assert.equal(code, 0, stderr)
    const recorded = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as HostilePayment & { readonly network: string; readonly kind: string })
    const counts = new Map<string, number>()
    for (const { network, txHash, amount, currency, toAddress, kind } of recorded) {
      const name = `${network} ${txHash}`
      const paid = this.expected.get(name)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (paid === undefined) this.violations.add(`${name} is ${kind}, and nothing was paid`)
      else if (amount !== paid.amount || currency !== paid.currency || toAddress !== paid.toAddress) {
        this.violations.add(`${name} is ${paid.amount} ${paid.currency}, and was recorded as ${amount} ${currency}`)
      }
    }
    for (const [name, count] of counts) if (count > 1) this.violations.add(`${name} counts ${count} times`)
  }
}

async function openNetworks(
  seed: number,
  { startMs, now }: { readonly startMs: number; now(): number },
): Promise<readonly HostileNetwork[]> {
  const common = (stream: number) => ({ startMs, random: new Random(seed, stream), nowMs: now })
  const addresses = (first: number) => OWNERS.map((_, i) => addressNumber(first + i))
  const accounts = (first: number) => OWNERS.map((_, i) => emulatedAccount(first + i))
  const slow = {
    id: 'SLOW',
    claim: 'slow/eth',
    chainId: 72_001,
    symbol: 'ETH',
    decimals: 6,
    blockSeconds: 12,
    callsPerSecond: 1,
  }
  const fast = {
    id: 'FAST',
    claim: 'fast/bnb',
    chainId: 72_002,
    symbol: 'BNB',
    decimals: 18,
    blockSeconds: 2,
    callsPerSecond: 5,
  }
  return [
    await HostileEvm.start({ ...slow, ...common(1), confirmations: 2, addresses: addresses(500) }),
    await HostileEvm.start({ ...fast, ...common(2), confirmations: 10, addresses: addresses(600) }),
    await HostileTron.start({ id: 'TRON-A', claim: 'trona/trx', ...common(3), accounts: accounts(500) }),
    await HostileTron.start({ id: 'TRON-B', claim: 'tronb/trx', ...common(4), accounts: accounts(600) }),
  ]
}
