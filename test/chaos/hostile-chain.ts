import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../simulation/random.js'
import { addressNumber } from '../support/ethereum-chain.js'
import { memoryOf } from '../support/service-process.js'
import { emulatedAccount } from '../support/tron-transactions.js'
import { FastClock, FastService } from './fast-service.js'
import { HostileEvm } from './hostile-evm.js'
import type { HostileNetwork, HostilePayment } from './hostile-network.js'
import { HostileTron } from './hostile-tron.js'

/** How much faster than the machine's the time of the run is. */
const SPEED = 12
const OWNERS = ['ann', 'ben', 'cid'] as const
/** From the moment at which a chain calls its block final. */
const CONFIRMED_WITHIN_MS = 60_000
/** Above the memory that the service has when it begins to watch. */
const MEMORY_MIB = 256
const STEP_MS = 20
/** Real time for what is left at the end. */
const SETTLING_MS = 60_000

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
  private mostMib = 0

  private constructor(
    private readonly options: HostileChainOptions,
    private readonly clock: FastClock,
    private readonly networks: readonly HostileNetwork[],
    private readonly service: FastService,
  ) {}

  static async begin(options: HostileChainOptions): Promise<Run> {
    const clock = new FastClock(Math.floor(Date.now() / 1000) * 1000, SPEED)
    const networks = await openNetworks(options.seed, clock)
    return new Run(options, clock, networks, await FastService.launch(networks, clock))
  }

  async play(): Promise<readonly string[]> {
    const { clock, networks, options } = this
    await this.service.openInvoices(OWNERS)
    await this.step(30_000, false)
    const idleMib = memoryOf(this.service.process.pid).own
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
    options.say(`  ${this.expected.size} payments, ${this.service.receiver.requests.length} webhooks, ${grownMib} MiB`)
    return [...this.violations]
  }

  async end(): Promise<void> {
    await this.service.stop()
    for (const network of this.networks) await network.close()
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
    this.mostMib = Math.max(this.mostMib, memoryOf(this.service.process.pid).own)
    for (const { body } of this.service.receiver.requests.slice(this.told.size)) {
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
        this.options.say(this.service.logged.join('\n'))
        return
      }
      await this.step(STEP_MS * SPEED, false)
    }
  }

  /** With what was really paid. */
  private async compare(): Promise<void> {
    const recorded = await this.service.export<HostilePayment & { readonly network: string; readonly kind: string }>(
      'deposits',
    )
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

async function openNetworks(seed: number, clock: FastClock): Promise<readonly HostileNetwork[]> {
  const { startMs } = clock
  const common = (stream: number) => ({ startMs, random: new Random(seed, stream), nowMs: () => clock.now() })
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
