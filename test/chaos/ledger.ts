import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../simulation/random.js'
import { type TestKey, testKey } from '../support/signing.js'
import { validAddress } from '../support/valid-address.js'
import { FastClock } from './fast-service.js'
import { LedgerJudge } from './ledger-judge.js'
import { LedgerService } from './ledger-service.js'
import { LedgerStrangers } from './ledger-strangers.js'
import { type SignedBy, sha256 } from './ledger-transactions.js'
import { beginTrouble, endTroubles, SHOWN, TROUBLES, type Trouble } from './ledger-troubles.js'
import type { NetworksOptions } from './networks.js'
import { ScriptedLedger, type SignedIdentity } from './scripted-ledger.js'

const SIMULATED_MINUTES = 60
const MINUTE_MS = 60_000
/** Of the machine's time. */
const TICK_MS = 200
/** The part of a phase in which its trouble lasts. */
const TROUBLED = 0.55
/** So long the read APIs may all be empty: what is missing everywhere is asked for less and less often. */
const EMPTY_MS = 40_000
const SERVICE_DOWN_MS = 60_000
/** Who takes part: the youngest identities, so that each of them is looked at often. */
const ACTIVE = 20
const ONBOARD_CHANCE = 1 / 8
const STRANGER_CHANCE = 0.4
/** Identities whose keys are replaced twice while the service is down. */
const REPLACED_MEANWHILE = 3
/** Free wallets that the service has at least. */
const POOL = 12
const LISTS = 4

/**
 * An hour of a ledger of three nodes, followed by a service in strict mode. In turn each trouble lasts a while, and identities
 * are onboarded, take wallets and replace their keys all the time, while strangers commit what nodes let them. What the
 * service believes has to be what the ledger's signed history says, at any time within a minute. Returns what was violated.
 */
export async function ledger(options: NetworksOptions): Promise<readonly string[]> {
  const clock = new FastClock(Date.now(), SIMULATED_MINUTES / options.minutes)
  const scripted = await ScriptedLedger.start(options.seed, () => clock.now())
  const service = new LedgerService(scripted, clock)
  try {
    return await new Run(options, clock, scripted, service).play()
  } finally {
    await service.stop()
    await scripted.close()
  }
}

class Run {
  private readonly random: Random
  private readonly judge: LedgerJudge
  private readonly strangers: LedgerStrangers
  private readonly apiKeys = new Map<string, TestKey>()
  /** Wallets that were claimed and that nobody has taken. */
  private readonly claimed: string[] = []
  /** Wallets that the service has not been told of. */
  private untold: readonly { readonly id: string; readonly address: string }[] = []
  private made = 0
  private deadUntilMs = 0

  constructor(
    private readonly options: NetworksOptions,
    private readonly clock: FastClock,
    private readonly ledger: ScriptedLedger,
    private readonly service: LedgerService,
  ) {
    this.random = new Random(options.seed)
    this.judge = new LedgerJudge(ledger, service, clock, new Random(options.seed, 2))
    this.strangers = new LedgerStrangers(ledger, new Random(options.seed, 3))
  }

  async play(): Promise<readonly string[]> {
    const { clock, judge, ledger, options } = this
    await this.service.start()
    const phaseMs = (SIMULATED_MINUTES * MINUTE_MS) / TROUBLES.length
    for (const [i, trouble] of TROUBLES.entries()) {
      const beginMs = clock.startMs + i * phaseMs
      const before = judge.violations.size
      await this.suffer(trouble, beginMs + TROUBLED * phaseMs)
      await this.goOn(beginMs + phaseMs)
      options.say(`  ${trouble}: ${judge.violations.size - before} violations`)
    }
    // Everything that was committed has its minute.
    const limitMs = clock.now() + 10 * MINUTE_MS
    while (clock.now() < limitMs && !judge.isAllDue()) await this.tick(false)
    for (const identity of ledger.identities.values()) {
      await this.judgeWallets(identity)
      await judge.judgeExistence(identity)
      await judge.judgeKeys(identity)
    }
    options.say(`  ${JSON.stringify(ledger.counts)}`)
    options.say(`  looked at: ${JSON.stringify(judge.looks)}`)
    return [...judge.violations]
  }

  private async suffer(trouble: Trouble, untilMs: number): Promise<void> {
    const beganMs = this.clock.now()
    beginTrouble(trouble, this.random.shuffled(this.ledger.nodes))
    if (trouble === 'the service is killed') await this.dieNow()
    const endMs = trouble === 'every read API has lost its database' ? beganMs + EMPTY_MS : untilMs
    await this.goOn(endMs, () => {
      const isLong = this.clock.now() - beganMs > MINUTE_MS
      return isLong && SHOWN.has(trouble) ? this.judge.judgeHealth(trouble) : Promise.resolve()
    })
    endTroubles(this.ledger.nodes)
  }

  private async goOn(untilMs: number, look: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    while (this.clock.now() < untilMs) {
      await this.tick(true)
      await look()
    }
  }

  /** The keys of some identities are replaced twice while the service is down, and each of them signs meanwhile. */
  private async dieNow(): Promise<void> {
    await this.service.kill()
    this.deadUntilMs = this.clock.now() + SERVICE_DOWN_MS
    for (const identity of this.random.shuffled(this.active()).slice(0, REPLACED_MEANWHILE)) {
      for (const wallet of this.random.shuffled(this.free()).slice(0, 2)) {
        this.replace(identity)
        this.ledger.assign(wallet, identity.id, this.signed(identity))
      }
    }
  }

  private async tick(isBusy: boolean): Promise<void> {
    const { ledger, service, judge, clock } = this
    ledger.advance()
    if (!service.isUp && clock.now() >= this.deadUntilMs) {
      await service.start()
      judge.restarted()
    }
    judge.note()
    if (isBusy) await this.act()
    await this.register()
    await this.look()
    await sleep(TICK_MS)
  }

  /** Somebody does something. */
  private async act(): Promise<void> {
    const { random, ledger } = this
    await this.createWallets()
    const identities = this.active()
    const identity = identities[random.below(identities.length)]
    if (identity === undefined || random.chance(ONBOARD_CHANCE)) return this.onboard()
    if (random.chance(STRANGER_CHANCE)) return this.strangers.act(identity, this.free())
    switch (random.weighted({ take: 6, race: 2, pair: 2, replace: 3, replaceTwice: 1, claim: 2, onboard: 1 })) {
      case 'take':
        return this.take(identity)
      case 'race':
        return this.race(identity, identities[random.below(identities.length)] ?? identity)
      case 'pair':
        await this.take(identity)
        return this.take(identity)
      case 'replace':
        return this.replace(identity)
      case 'replaceTwice': {
        this.replace(identity)
        // Signed by a key that nobody may ever see in force.
        await this.take(identity)
        return this.replace(identity)
      }
      case 'claim': {
        const id = await this.judge.claim()
        if (id !== null) this.claimed.push(id)
        return
      }
      case 'onboard':
        // Posted again, which the ledger refuses.
        ledger.onboard(identity.keys[0]?.key ?? testKey('nobody'))
    }
  }

  private onboard(): void {
    this.made += 1
    const lost = this.random.chance(0.3) ? this.random.between(1, 2) : 0
    this.ledger.onboard(testKey(`${this.options.seed} identity ${this.made}`), lost)
  }

  private replace(identity: SignedIdentity): void {
    this.made += 1
    this.ledger.replace(identity.id, testKey(`${this.options.seed} next ${this.made}`), this.signed(identity))
  }

  /** Takes a wallet that was claimed, or claims one. */
  private async take(identity: SignedIdentity): Promise<void> {
    const wallet = this.claimed.shift() ?? (await this.judge.claim())
    if (wallet !== null) this.ledger.assign(wallet, identity.id, this.signed(identity))
  }

  /** Two identities want the same wallet, which one of them has not claimed. */
  private async race(one: SignedIdentity, another: SignedIdentity): Promise<void> {
    const wallet = this.claimed.shift() ?? (await this.judge.claim())
    if (wallet === null) return
    for (const { id, keys } of this.random.shuffled([one, another]))
      this.ledger.assign(wallet, id, this.signed({ id, keys }))
  }

  private signed({ keys }: SignedIdentity): SignedBy {
    const key = keys.at(-1)?.key ?? testKey('nobody')
    return this.random.chance(0.3) ? { form: 'object', key } : { form: 'text', key }
  }

  private free(): readonly string[] {
    return [...this.ledger.wallets.values()].filter(({ umid }) => umid === null).map(({ id }) => id)
  }

  /** The youngest identities. */
  private active(): readonly SignedIdentity[] {
    return [...this.ledger.identities.values()].slice(-ACTIVE)
  }

  private async createWallets(): Promise<void> {
    if (this.untold.length === 0 && this.free().length < POOL) {
      this.untold = Array.from({ length: POOL }, () => {
        this.made += 1
        return { id: sha256(`wallet ${this.made}`), address: validAddress('TRX-NILE', `wallet ${this.made}`) }
      })
      for (const { id, address } of this.untold) this.ledger.addWallet(id, address)
    }
    if (this.untold.length > 0 && (await this.service.createWallets(this.untold))) this.untold = []
  }

  /** Gives identities the API keys that ask for their wallets. */
  private async register(): Promise<void> {
    for (const { id, keys } of this.ledger.identities.values()) {
      const signer = keys.at(-1)?.key
      if (this.apiKeys.has(id) || signer === undefined) continue
      const apiKey = testKey(`${this.options.seed} api key of ${id} ${this.made}`)
      const answer = await this.service.register(id, signer, apiKey, false)
      if (answer?.status === 201) this.apiKeys.set(id, apiKey)
      return
    }
  }

  private async look(): Promise<void> {
    const identities = this.random.shuffled(this.active())
    const [first] = identities
    if (first === undefined) return
    await Promise.all([
      ...identities.slice(0, LISTS).map((identity) => this.judgeWallets(identity)),
      this.judge.judgeExistence(first),
      this.judge.judgeKeys(first),
    ])
  }

  private async judgeWallets({ id }: SignedIdentity): Promise<void> {
    const apiKey = this.apiKeys.get(id)
    if (apiKey !== undefined) await this.judge.judgeWallets(id, apiKey)
  }
}
