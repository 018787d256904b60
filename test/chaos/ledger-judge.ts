import type { Random } from '../simulation/random.js'
import { type TestKey, testKey } from '../support/signing.js'
import type { FastClock } from './fast-service.js'
import type { Answered } from './http-client.js'
import type { LedgerService } from './ledger-service.js'
import { sha256 } from './ledger-transactions.js'
import type { ScriptedLedger, SignedIdentity, SignedWallet } from './scripted-ledger.js'

/**
 * What the service has to know: what it could have read for a minute, and the seconds that a request takes on a busy machine
 * when a second is a quarter of a minute.
 */
const LEARNED_MS = 75_000
/** Of a claimed wallet, by default. */
const LEASE_MS = 600_000

/** What a registration says about a key: that it may speak for an identity, that it may not, or neither. */
type Belief = 'believed' | 'refused' | 'unknown'

/** Compares what the service believes with the signed history of the ledger, and collects what differs. */
export class LedgerJudge {
  readonly violations = new Set<string>()
  readonly looks: Record<string, number> = {}
  /** Since when the service could have read a transaction without a break; and for keys, since when it was told. */
  private readonly knowable = new Map<string, number>()
  private readonly told = new Map<string, number>()
  /** When a wallet was handed out. */
  private readonly claims = new Map<string, number>()
  private probes = 0

  constructor(
    private readonly ledger: ScriptedLedger,
    private readonly service: LedgerService,
    private readonly clock: FastClock,
    private readonly random: Random,
  ) {}

  /** The service has just begun: it has a minute for everything. */
  restarted(): void {
    this.knowable.clear()
    this.told.clear()
  }

  /** Notes what can be read at present. */
  note(): void {
    const nowMs = this.clock.now()
    const note = (since: Map<string, number>, umid: string, isSo: boolean) => {
      if (!isSo) since.delete(umid)
      else if (!since.has(umid)) since.set(umid, nowMs)
    }
    for (const { umid } of this.ledger.wallets.values()) {
      if (umid !== null) note(this.knowable, umid, this.ledger.isKnowable(umid))
    }
    for (const { keys } of this.ledger.identities.values()) {
      for (const { umid } of keys) note(this.told, umid, this.ledger.isTold(umid))
    }
  }

  /** Whether everything that was committed could have been learned by now. */
  isAllDue(): boolean {
    return [...this.ledger.wallets.values()].every(({ umid }) => umid === null || this.isDue(this.knowable, umid))
  }

  /** The wallets that the service lists for an identity are those that it has signed for. */
  async judgeWallets(identity: string, apiKey: TestKey): Promise<void> {
    const wanted = this.walletsOf(identity).filter(({ umid }) => umid !== null && this.isDue(this.knowable, umid))
    const answer = await this.service.wallets(identity, apiKey)
    if (answer === null) return
    if (answer.status !== 200) return this.violated(`the list of ${name(identity)}: ${shown(answer)}`)
    this.look('lists of wallets')
    const listed: readonly string[] = answer.json.map(({ id }: { readonly id: string }) => id)
    const owned = new Set(this.walletsOf(identity).map(({ id }) => id))
    for (const id of listed) {
      const umid = this.ledger.wallets.get(id)?.umid ?? 'none'
      if (!owned.has(id)) this.violated(`${name(identity)} has ${name(id)} without a signature, by ${name(umid)}`)
    }
    for (const { id, umid } of wanted) {
      if (!listed.includes(id)) this.violated(`${name(identity)} does not have ${name(id)}, by ${name(umid ?? '')}`)
    }
  }

  /** An identity exists once it was onboarded, and no other does. */
  async judgeExistence({ id, keys }: SignedIdentity): Promise<void> {
    const umid = keys[0]?.umid ?? ''
    const isTold = () => this.ledger.isTold(umid)
    const wasTold = isTold()
    // One of the nodes that have it may fail just then.
    const denials = [await this.deniesExistence(id), await this.deniesExistence(id)]
    if (wasTold && isTold() && denials.every((denied) => denied)) this.violated(`${name(id)} does not exist`)
    this.probes += 1
    const nobody = sha256(`nobody ${this.probes}`)
    const answer = await this.service.exists(nobody)
    if (answer?.json?.exists === true) this.violated(`${name(nobody)} exists`)
    this.look('questions about existence')
  }

  /**
   * A replaced key no longer speaks for an identity, another one never did, and the present one does. In this order, because the
   * service asks the ledger about a key that it does not know, and would learn by that.
   */
  async judgeKeys(identity: SignedIdentity): Promise<void> {
    const replaced = identity.keys.slice(0, -1)
    const at = this.random.below(replaced.length)
    const [old, next] = identity.keys.slice(at)
    if (replaced.length > 0 && old !== undefined && next !== undefined && this.isDue(this.told, next.umid)) {
      const belief = await this.belief(identity.id, old.key)
      const later = `${name(identity.id)}: its key ${at} was replaced by ${name(next.umid)}`
      if (belief === 'believed') this.violated(`${later}, and speaks for it`)
    }
    this.probes += 1
    const stranger = await this.belief(identity.id, testKey(`stranger ${this.probes}`))
    if (stranger === 'believed') this.violated(`a stranger's key speaks for ${name(identity.id)}`)
    await this.judgePresentKey(identity)
  }

  /** Claims a wallet; null when none was handed out. */
  async claim(): Promise<string | null> {
    const given = new Set([...this.ledger.wallets.values()].filter((wallet) => this.isGiven(wallet)))
    const atMs = this.clock.now()
    const answer = await this.service.claim()
    if (answer?.status !== 200) return null
    this.look('claims')
    const id: string = answer.json.id
    const wallet = this.ledger.wallets.get(id)
    if (wallet === undefined) {
      this.violated(`${name(id)} is no wallet, and was handed out`)
      return null
    }
    if (given.has(wallet))
      this.violated(`${name(id)} was handed out, and ${name(wallet.umid ?? '')} gave it away before`)
    const claimedMs = this.claims.get(id)
    if (claimedMs !== undefined && claimedMs + LEASE_MS > this.clock.now())
      this.violated(`${name(id)} was handed out twice`)
    this.claims.set(id, atMs)
    return id
  }

  /** What cannot be read is told by the service. */
  async judgeHealth(trouble: string): Promise<void> {
    const answer = await this.service.ready()
    if (answer === null) return
    this.look('looks at its health')
    const sentences: unknown = answer.json?.degraded
    if (!Array.isArray(sentences) || sentences.length === 0) this.violated(`/readyz says nothing while ${trouble}`)
  }

  private async judgePresentKey({ id, keys }: SignedIdentity): Promise<void> {
    const present = keys.at(-1)
    if (present === undefined) return
    const isSo = () => this.ledger.presentKey(id) === present.key && this.ledger.isTold(present.umid)
    const wasSo = isSo()
    // One of the nodes that know of the key may fail just then.
    const beliefs = [await this.belief(id, present.key), await this.belief(id, present.key)]
    if (wasSo && isSo() && beliefs.every((belief) => belief === 'refused')) {
      this.violated(`${name(id)}: its key ${keys.length - 1}, by ${name(present.umid)}, does not speak for it`)
    }
  }

  private async belief(identity: string, key: TestKey): Promise<Belief> {
    this.probes += 1
    const answer = await this.service.register(identity, key, testKey(`probe ${this.probes}`), true)
    this.look('registrations')
    if (answer === null || answer.status >= 500) return 'unknown'
    if (answer.status === 201) return 'believed'
    if (answer.status === 403) return 'refused'
    this.violated(`a registration: ${shown(answer)}`)
    return 'unknown'
  }

  private async deniesExistence(identity: string): Promise<boolean> {
    const answer = await this.service.exists(identity)
    return answer?.json?.exists === false
  }

  private walletsOf(identity: string): readonly SignedWallet[] {
    return [...this.ledger.wallets.values()].filter(({ owner }) => owner === identity)
  }

  /** Whether the service had to know that a wallet was given away, with a signature or without. */
  private isGiven({ umid }: SignedWallet): boolean {
    return umid !== null && this.isDue(this.knowable, umid)
  }

  private isDue(since: ReadonlyMap<string, number>, umid: string): boolean {
    return this.clock.now() - (since.get(umid) ?? Number.POSITIVE_INFINITY) > LEARNED_MS
  }

  private look(what: string): void {
    this.looks[what] = (this.looks[what] ?? 0) + 1
  }

  private violated(what: string): void {
    this.violations.add(what)
  }
}

function name(id: string): string {
  return id.slice(0, 8)
}

function shown({ status, json }: Answered): string {
  return `${status} ${JSON.stringify(json)}`
}
