import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Random } from '../simulation/random.js'
import type { TestKey } from '../support/signing.js'
import { type Effect, type Entry, LedgerNode } from './ledger-node.js'
import {
  assignment,
  CONTRACTS,
  identityOf,
  onboarding,
  other,
  type Posted,
  replacement,
  type SignedBy,
  storedSigs,
  textOf,
} from './ledger-transactions.js'

export const NODES = 3
/** Nodes that have to agree. */
const CONSENSUS = 2
/** How long before its commitment a transaction may have arrived. */
const LATE_MS = 240_000
const LATE_CHANCE = 1 / 4
/** Of a commitment that one node reports an error for, because it does not have a stream of it. */
const ERROR_CHANCE = 1 / 8
/** So often the restore engines bring what their nodes have missed. */
const RESTORE_MS = 40_000
const ROUTE = /^\/(store|core)\/(\d)(\/[^?]*)\??(.*)$/

/** An identity as the signed history has it. */
export interface SignedIdentity {
  readonly id: string
  /** The keys that were in force, each until the next one. */
  readonly keys: { readonly key: TestKey; readonly umid: string; readonly sinceMs: number }[]
}

/** A wallet as the signed history has it, and as the ledger has it. */
export interface SignedWallet {
  readonly id: string
  readonly address: string
  /** By an assignment that its owner has signed, in a shape that counts. */
  owner: string | null
  /** The transaction that gave it away on the ledger, signed or not; null while it is free. */
  umid: string | null
}

/** How an assignment spells the contract. Nodes run the same one; the service takes none of them for an assignment. */
export const ODD_SPELLINGS = [
  { $contract: `${CONTRACTS.assign}@/../../shop/${CONTRACTS.assign}` },
  { $contract: `${CONTRACTS.assign}@/../${CONTRACTS.assign}` },
  { $entry: 'again' },
] as const

/**
 * A ledger of three nodes that does what real ones were seen to do, and the history of what was signed by whom with which key
 * at that time. The contract that replaces keys verifies signatures itself; the one that assigns wallets does not.
 */
export class ScriptedLedger {
  readonly nodes: readonly LedgerNode[]
  readonly identities = new Map<string, SignedIdentity>()
  readonly wallets = new Map<string, SignedWallet>()
  readonly counts: Record<string, number> = {}
  private readonly random: Random
  private readonly server = createServer()
  private readonly latestMs = new Map<string, number>()
  private restoredMs = 0

  private constructor(
    seed: number,
    private readonly now: () => number,
  ) {
    this.random = new Random(seed, 1)
    this.nodes = Array.from({ length: NODES }, (_, i) => new LedgerNode(new Random(seed, 10 + i)))
    this.server.on('request', (request, response) => {
      const [, api, place, path = '', query = ''] = ROUTE.exec(request.url ?? '') ?? []
      const node = this.nodes[Number(place)]
      if (node === undefined || (api !== 'store' && api !== 'core')) response.writeHead(404).end('{}')
      else node.answer(request, response, api, path, query)
    })
  }

  static async start(seed: number, now: () => number): Promise<ScriptedLedger> {
    const ledger = new ScriptedLedger(seed, now)
    ledger.server.listen(0, '127.0.0.1')
    await once(ledger.server, 'listening')
    return ledger
  }

  urls(api: 'store' | 'core'): string {
    const { port } = this.server.address() as AddressInfo
    return this.nodes.map((_, i) => `http://127.0.0.1:${port}/${api}/${i}`).join(',')
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  addWallet(id: string, address: string): void {
    this.wallets.set(id, { id, address, owner: null, umid: null })
    for (const node of this.nodes) node.addWallet(id, address)
  }

  /** What the restore engines of the nodes do in time. */
  advance(): void {
    if (this.now() - this.restoredMs < RESTORE_MS) return
    this.restoredMs = this.now()
    for (const node of this.nodes) if (!node.isLagging) node.restore()
  }

  presentKey(identity: string): TestKey | null {
    return this.identities.get(identity)?.keys.at(-1)?.key ?? null
  }

  /**
   * Onboards a key. `lost`: so many posts of the same key come at once, of which the ledger lists and does not save all but one.
   */
  onboard(key: TestKey, lost = 0): string | null {
    const id = identityOf(key)
    if (this.identities.has(id)) return this.refuse('Deterministic Stream Name Exists')
    const arrivedMs = this.arrival([id])
    const umid = this.commit(onboarding(key), null, { kind: 'onboarded', identity: id, key: textOf(key) }, arrivedMs)
    if (umid === null) return null
    this.identities.set(id, { id, keys: [{ key, umid, sinceMs: this.now() }] })
    for (let i = 0; i < lost; i += 1) this.listUnsaved(arrivedMs)
    return umid
  }

  assign(
    wallet: string,
    owner: string,
    by: SignedBy,
    spelling: (typeof ODD_SPELLINGS)[number] | null = null,
  ): string | null {
    const present = this.presentKey(owner)
    const state = this.wallets.get(wallet)
    if (present === null || state === undefined) return this.refuse('Stream(s) not found')
    if (by.form === 'text' && by.key !== present) return this.refuse('Input Signature Incorrect')
    if (state.umid !== null) return this.refuse('the wallet is assigned already')
    const posted = assignment(wallet, owner, by, spelling ?? {})
    const umid = this.commit(posted, by, { kind: 'assigned', wallet, owner }, this.arrival([wallet, owner]))
    if (umid === null) return null
    state.umid = umid
    const counts = by.form !== 'unsigned' && by.key === present && spelling === null
    if (counts) state.owner = owner
    this.count(counts ? 'assigned' : spelling === null ? 'assigned unsigned' : 'assigned in odd spelling')
    return umid
  }

  replace(identity: string, key: TestKey, by: SignedBy): string | null {
    const present = this.presentKey(identity)
    if (present === null) return this.refuse('Stream(s) not found')
    if (by.form === 'unsigned' || by.key !== present) return this.refuse('it must be signed by the present key')
    const posted = replacement(identity, key, by)
    const effect = { kind: 'replaced', identity, key: textOf(key) } as const
    const umid = this.commit(posted, by, effect, this.arrival([identity]))
    if (umid === null) return null
    this.identities.get(identity)?.keys.push({ key, umid, sinceMs: this.now() })
    return umid
  }

  /**
   * Something of another contract, which any key may have signed. Nodes do not save a transaction that changes no stream, and
   * list it all the same.
   */
  say(identity: string, by: SignedBy, isNear: boolean): void {
    if (this.random.chance(0.5)) return this.listUnsaved(this.now())
    this.commit(other(identity, by, isNear), by, { kind: 'nothing', identity }, this.arrival([identity]))
  }

  /** Whether the service could know a transaction now: some store lists it, and some read API has it. */
  isKnowable(umid: string): boolean {
    return this.nodes.some((node) => node.lists(umid)) && this.isTold(umid)
  }

  /** Whether some read API has a transaction, and with it what the transaction changed. */
  isTold(umid: string): boolean {
    return this.nodes.some((node) => node.tells(umid))
  }

  private commit(posted: Posted, by: SignedBy | null, effect: Effect, arrivedMs: number): string | null {
    const entry: Entry = { umid: this.newUmid(), arrivedMs, posted, $sigs: storedSigs(posted, by), effect }
    const able = this.nodes.filter((node) => node.canCommit(entry))
    if (able.length < CONSENSUS) return this.refuse('Stream Position Incorrect')
    const partners = this.random.chance(ERROR_CHANCE) ? this.withoutOne(able) : able
    for (const node of this.nodes) {
      if (partners.includes(node)) node.commit(entry)
      else node.miss(entry)
    }
    if (partners.length < able.length) this.count('committed with an error')
    this.count(effect.kind)
    return entry.umid
  }

  private listUnsaved(arrivedMs: number): void {
    this.count('listed and never saved')
    const umid = this.newUmid()
    for (const node of this.nodes) if (!node.isLagging) node.list(umid, arrivedMs)
  }

  /** The nodes without one of them, as long as one is left that the service can read all of. */
  private withoutOne(nodes: readonly LedgerNode[]): readonly LedgerNode[] {
    const dropped = this.random.below(nodes.length)
    const left = nodes.filter((_, i) => i !== dropped)
    const hadWell = nodes.some(({ isWell }) => isWell)
    return left.length >= CONSENSUS && (!hadWell || left.some(({ isWell }) => isWell)) ? left : nodes
  }

  /** When a transaction arrived that is committed now: behind the latest one of its streams, which were locked. */
  private arrival(streams: readonly string[]): number {
    const lateMs = this.random.chance(LATE_CHANCE) ? this.random.below(LATE_MS) : 0
    const latestMs = Math.max(0, ...streams.map((stream) => this.latestMs.get(stream) ?? 0))
    const arrivedMs = Math.max(latestMs + 1, this.now() - lateMs)
    for (const stream of streams) this.latestMs.set(stream, arrivedMs)
    return arrivedMs
  }

  private refuse(why: string): null {
    this.count(`refused: ${why}`)
    return null
  }

  private count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  private newUmid(): string {
    const umid = Buffer.alloc(32)
    this.random.fill(umid)
    return umid.toString('hex')
  }
}
