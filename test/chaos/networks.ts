import { setTimeout as sleep } from 'node:timers/promises'
import { QUIET_SECONDS } from '../../src/networks/catalogue/entry.js'
import { Random } from '../simulation/random.js'
import { addressNumber } from '../support/ethereum-chain.js'
import { type Exposition, parseExposition } from '../support/exposition.js'
import { emulatedAccount } from '../support/tron-transactions.js'
import { FastClock, FastService } from './fast-service.js'
import { type Answered, ask } from './http-client.js'
import { ScriptedEvm } from './scripted-evm.js'
import { type ScannedDeposit, type ScriptedNetwork, TROUBLES, type Trouble } from './scripted-network.js'
import { ScriptedTron } from './scripted-tron.js'

const OWNERS = ['ann', 'ben', 'cid', 'dot', 'eve'] as const
const SIMULATED_MINUTES = 60
/** By its clock; the service says from then on that a network is behind. */
const LAG_SECONDS = 60
/** By its clock. On a busy machine a node takes a second or two for an answer. */
const NODE_TIMEOUT_MS = 60_000
/** Simulated time before the first payment: reorganisations reach back, and payments count from their invoice on. */
const QUIET_MS = 120_000
const STEP_MS = 200
const LOOK_MS = 200
/** Of a reorganisation in a step, and in one that has brought payments. */
const REORGANISATION = { quiet: 1 / 40, paid: 1 / 6 } as const
/** Without a new block for longer the service says that a network has stalled. */
const STALLED_MS = Math.min(...Object.values(QUIET_SECONDS)) * 1000
/** When nothing at all has changed for so long, nothing will. */
const STUCK_MS = 120_000
const ATOMS = 18
/** A network that is well again is so near to its newest block. */
const NEAR_BLOCKS = 100

type RecordedDeposit = ScannedDeposit & { readonly network: string; readonly kind: string }

export interface NetworksOptions {
  readonly minutes: number
  readonly seed: number
  readonly say: (line: string) => void
}

/**
 * Four networks of a file watched by one process for an hour of block times, each behind a faulty proxy. In turn each of
 * them is stopped, lags and is of another chain. Returns what was violated.
 */
export async function networks(options: NetworksOptions): Promise<readonly string[]> {
  const run = await Run.begin(options)
  try {
    return await run.play()
  } finally {
    await run.end()
  }
}

class Run {
  private readonly violations = new Set<string>()
  /** Invoice ids by owner and currency. */
  private invoices: ReadonlyMap<string, string> = new Map()
  private paid = new Map<string, string[]>()
  private isPaying = false
  private isOver = false
  private failure: { readonly error: unknown } | null = null

  private constructor(
    private readonly options: NetworksOptions,
    private readonly clock: FastClock,
    private readonly networks: readonly ScriptedNetwork[],
    private readonly service: FastService,
  ) {}

  static async begin(options: NetworksOptions): Promise<Run> {
    const networks = await openNetworks(options.seed, Date.now())
    // The service takes pushes that are signed up to five minutes ago, by its clock.
    const clock = new FastClock(Date.now(), SIMULATED_MINUTES / options.minutes)
    const service = await FastService.launch(networks, clock, {
      BILLHOOK_METRICS_PORT: '0',
      BILLHOOK_NODE_TIMEOUT_MS: String(NODE_TIMEOUT_MS),
      BILLHOOK_WATCH_LAG_SECONDS: String(LAG_SECONDS),
      BILLHOOK_WEBHOOK_ATTEMPTS: '1',
    })
    return new Run(options, clock, networks, service)
  }

  async play(): Promise<readonly string[]> {
    const { networks, options } = this
    this.invoices = await this.service.openInvoices(OWNERS)
    await this.until('every network is watched', async () => (await this.behind(networks)).length === 0)
    for (const { proxy } of networks) proxy.isFaulty = true
    const driving = Promise.all(networks.map((network) => this.drive(network)))
    await this.pause(QUIET_MS)
    this.isPaying = true
    const phases = TROUBLES.length * networks.length
    const phaseMs = (options.minutes * 60_000) / phases
    for (const trouble of TROUBLES) for (const network of networks) await this.disturb(network, trouble, phaseMs)
    await this.until('an hour has passed', () => this.clock.now() - this.clock.startMs >= SIMULATED_MINUTES * 60_000)
    this.isPaying = false
    // What is still unconfirmed is confirmed by the blocks to come.
    await this.pause(QUIET_MS)
    this.isOver = true
    await driving
    for (const { proxy } of networks) proxy.isFaulty = false
    await this.until('every network is read to its end', async () => (await this.behind(networks)).length === 0)
    await this.settle()
    await this.compare()
    return [...this.violations]
  }

  async end(): Promise<void> {
    this.isOver = true
    await this.service.stop()
    for (const network of this.networks) await network.close()
  }

  /** Lets a network's blocks come in time, with payments and reorganisations, until the end. */
  private async drive(network: ScriptedNetwork): Promise<void> {
    const random = new Random(this.options.seed, 100 + this.networks.indexOf(network))
    try {
      while (!this.isOver) {
        const hashes = await network.advance(this.clock.now(), this.isPaying)
        this.paid.set(network.id, [...(this.paid.get(network.id) ?? []), ...hashes])
        const chance = hashes.length > 0 ? REORGANISATION.paid : REORGANISATION.quiet
        if (this.isPaying && random.chance(chance)) await network.reorganise()
        await sleep(STEP_MS)
      }
    } catch (error) {
      this.failure = { error }
    }
  }

  /** One network is in trouble until that shows and the others have confirmed what was paid since; then it is well again. */
  private async disturb(bad: ScriptedNetwork, trouble: Trouble, phaseMs: number): Promise<void> {
    const startedMs = Date.now()
    const others = this.networks.filter((network) => network !== bad)
    await bad.begin(trouble)
    this.paid = new Map()
    const told = this.service.receiver.requests.length
    await this.until(`${bad.id} ${trouble} is shown, and the others confirm`, async () => {
      const metrics = await this.metrics()
      for (const network of others) {
        for (const reason of this.unexplained(network, metrics)) {
          this.violations.add(`${network.id} has the problem ${reason} while ${bad.id} is ${trouble}`)
        }
      }
      const confirmed = this.told()
        .slice(told)
        .filter(({ status }) => status === 'confirmed')
      const isOn = others.every(({ id }) =>
        confirmed.some(({ network, txHash }) => network === id && this.paid.get(id)?.includes(txHash) === true),
      )
      return isOn && Date.now() - startedMs >= phaseMs / 2 && (await this.shows(bad.id, trouble, metrics))
    })
    const shown = await this.stateOf(bad.id)
    await bad.end()
    await this.until(`${bad.id} is well again`, async () => {
      const problems = this.unexplained(bad, await this.metrics())
      return problems.length === 0 && (await this.behind([bad], NEAR_BLOCKS)).length === 0
    })
    this.options.say(
      `  ${bad.id} ${trouble}: ${shown}; well again after ${((Date.now() - startedMs) / 1000).toFixed(1)} s`,
    )
    await sleep(Math.max(0, startedMs + phaseMs - Date.now()))
  }

  /**
   * The problems of a network. On a busy machine a chain falls behind its time: then it has stalled. The proxies refuse some calls
   * for their rate, so a network may be limited for a while.
   */
  private unexplained({ id, newestMs }: ScriptedNetwork, metrics: Exposition): readonly string[] {
    const isLate = this.clock.now() - newestMs > STALLED_MS / 2
    const explained = isLate ? ['limited', 'stalled'] : ['limited']
    return problemsOf(metrics, id).filter((reason) => !explained.includes(reason))
  }

  private async shows(id: string, trouble: Trouble, metrics: Exposition): Promise<boolean> {
    if (trouble === 'of another chain') {
      return problemsOf(metrics, id).some((reason) => reason === 'wrong_node' || reason === 'replaced')
    }
    return (await this.sentences()).some((sentence) => sentence.startsWith(`${id} `))
  }

  private async stateOf(id: string): Promise<string> {
    const sentences = (await this.sentences()).filter((one) => one.startsWith(`${id} `))
    return [...sentences, ...problemsOf(await this.metrics(), id)].join(' ')
  }

  private async sentences(): Promise<readonly string[]> {
    const ready = await ask('GET', `${this.service.url}/readyz`)
    return ready?.json?.degraded ?? []
  }

  private async metrics(): Promise<Exposition> {
    return parseExposition(await (await fetch(this.service.process.metricsUrl ?? '')).text())
  }

  /** Those whose last recorded block is more than so many below the newest one. */
  private async behind(networks: readonly ScriptedNetwork[], blocks = 0): Promise<readonly string[]> {
    const metrics = await this.metrics()
    const late: string[] = []
    for (const { id, height } of networks.map((one) => ({ id: one.id, height: one.height() }))) {
      const cursor = metrics.value('billhook_network_cursor_block', { network: id }) ?? -1
      if (cursor < (await height) - blocks) late.push(id)
    }
    return late
  }

  /** Until nothing is left to be delivered or confirmed. */
  private async settle(): Promise<void> {
    await this.until('every deposit is confirmed and every webhook delivered', async () => {
      const deposits = await this.service.export<RecordedDeposit>('deposits')
      const deliveries = await this.service.export<{ readonly state: string }>('deliveries')
      return deposits.every(({ kind }) => kind !== 'pending') && deliveries.every(({ state }) => state === 'settled')
    })
  }

  /** With the chains as they are in the end. */
  private async compare(): Promise<void> {
    const { networks, options, violations } = this
    const { receiver } = this.service
    const recorded = await this.service.export<RecordedDeposit>('deposits')
    const sums = new Map([...this.invoices.keys()].map((key) => [key, 0n]))
    const times = new Map<string, number>()
    const wanted = new Set<string>()
    for (const { network, txHash, status } of this.told()) {
      const name = `${network} ${txHash} ${status}`
      times.set(name, (times.get(name) ?? 0) + 1)
    }
    for (const network of networks) {
      for (const deposit of await network.scan()) {
        const name = `${network.id} ${deposit.txHash}`
        wanted.add(name)
        const found = recorded.filter((one) => one.network === network.id && one.txHash === deposit.txHash)
        const counted = found.filter(({ kind }) => kind === 'confirmed')
        if (counted.length !== 1) violations.add(`${name} is on the chain and counts ${counted.length} times`)
        for (const { amount, currency, toAddress } of counted) {
          const isRight = amount === deposit.amount && currency === deposit.currency && toAddress === deposit.toAddress
          if (!isRight)
            violations.add(`${name} is ${JSON.stringify(deposit)} and was recorded as ${amount} ${currency}`)
        }
        if (times.get(`${name} confirmed`) !== 1) {
          violations.add(`${name} was told as confirmed ${times.get(`${name} confirmed`) ?? 0} times`)
        }
        const isToken = deposit.currency === 'Tether'
        const key = `${OWNERS[network.addresses.indexOf(deposit.toAddress)]} ${isToken ? 'USDT' : 'native'}`
        const atoms = isToken
          ? BigInt(deposit.amount) * 10n ** BigInt(ATOMS - network.decimals)
          : atomsOf(deposit.amount)
        sums.set(key, (sums.get(key) ?? 0n) + atoms)
      }
    }
    for (const { network, txHash, kind } of recorded) {
      if (kind === 'confirmed' && !wanted.has(`${network} ${txHash}`)) {
        violations.add(`${network} ${txHash} counts and is not on the chain`)
      }
    }
    for (const [name, count] of times) if (count > 1) violations.add(`${name} was told ${count} times`)
    for (const { network, txHash, status } of this.told()) {
      const name = `${network} ${txHash}`
      if (status === 'confirmed' && !wanted.has(name))
        violations.add(`${name} was told as confirmed and is not on the chain`)
    }
    const deliveries = await this.service.export<{ readonly state: string }>('deliveries')
    if (deliveries.length !== receiver.requests.length) {
      violations.add(`${deliveries.length} webhooks are recorded and ${receiver.requests.length} arrived`)
    }
    for (const [key, id] of this.invoices) {
      const invoice: Answered | null = await ask('GET', `${this.service.url}/api/invoices/${id}`)
      const { received, pending } = invoice?.json.payment ?? {}
      if (atomsOf(received) !== sums.get(key)) violations.add(`${key} received ${received}, not ${sums.get(key)} atoms`)
      if (pending !== '0') violations.add(`${key} waits for ${pending}`)
    }
    const metrics = await this.metrics()
    for (const { id } of networks) {
      const undone = metrics.value('billhook_network_confirmed_blocks_undone_total', { network: id })
      if (undone !== 0) violations.add(`${id}: ${undone} confirmed blocks were undone`)
    }
    options.say(
      `  ${wanted.size} deposits on the chains, ${recorded.length} recorded, ${receiver.requests.length} webhooks, ${this.invoices.size} sums`,
    )
    for (const network of networks) {
      const { id, reorganisations, replaced, proxy } = network
      const about = { blocks: await network.height(), reorganisations, replaced, faults: proxy.met }
      options.say(`  ${id}: ${JSON.stringify(about)}`)
    }
  }

  private told(): readonly { readonly network: string; readonly txHash: string; readonly status: string }[] {
    return this.service.receiver.requests.map(({ body }) => JSON.parse(body.toString()))
  }

  private async pause(simulatedMs: number): Promise<void> {
    const end = this.clock.now() + simulatedMs
    await this.until('time passes', () => this.clock.now() >= end)
  }

  /** Looks until it is so. Throws when it is not, although the time in which nothing may stand still has passed. */
  private async until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
    const startedMs = Date.now()
    const limitMs = STUCK_MS + this.options.minutes * 60_000
    while (!(await isSo())) {
      if (this.failure !== null) throw this.failure.error
      if (Date.now() - startedMs > limitMs) {
        const states = await Promise.all(this.networks.map(({ id }) => this.stateOf(id)))
        const failure = `not within ${limitMs / 1000} s: ${what}; ${states.join(' ')}`
        throw new Error([failure, ...this.service.logged].join('\n'))
      }
      await sleep(LOOK_MS)
    }
  }
}

async function openNetworks(seed: number, startMs: number): Promise<readonly ScriptedNetwork[]> {
  const random = (stream: number) => new Random(seed, stream)
  const addresses = (first: number) => OWNERS.map((_, i) => addressNumber(first + i))
  const accounts = (first: number) => OWNERS.map((_, i) => emulatedAccount(first + i))
  const fast = { id: 'FAST', chainId: 71_001, claim: 'fast/eth', symbol: 'ETH', decimals: 6, confirmations: 12 }
  const slow = { id: 'SLOW', chainId: 71_003, claim: 'slow/bnb', symbol: 'BNB', decimals: 18, confirmations: 4 }
  const common = { chance: 1 / 2, startMs }
  return [
    await ScriptedEvm.start({
      ...fast,
      ...{ blocksAtOnce: 4, everySeconds: 1, chance: 1 / 8, startMs },
      ...{ addresses: addresses(500), random: random(1) },
    }),
    await ScriptedEvm.start({
      ...slow,
      ...{ ...common, blocksAtOnce: 1, everySeconds: 12 },
      ...{ addresses: addresses(600), random: random(2) },
    }),
    await ScriptedTron.start({
      ...{ id: 'TRON-A', claim: 'trona/trx', chance: 1 / 8, startMs },
      ...{ accounts: accounts(500), random: random(3) },
    }),
    await ScriptedTron.start({
      ...{ id: 'TRON-B', claim: 'tronb/trx', chance: 1 / 8, startMs },
      ...{ accounts: accounts(600), random: random(4) },
    }),
  ]
}

function problemsOf(metrics: Exposition, network: string): readonly string[] {
  return metrics.samples
    .filter(({ name, labels, value }) => {
      return name === 'billhook_network_problem' && labels['network'] === network && value === 1
    })
    .map(({ labels }) => labels['reason'] ?? '')
}

/** A decimal in units of 10⁻¹⁸. */
function atomsOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(ATOMS, '0'))
}
