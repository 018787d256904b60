import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Random } from '../simulation/random.js'
import { CONTRACTS, NAMESPACE, ONBOARDING_NAME, type Posted, sha256 } from './ledger-transactions.js'

/** What a transaction did to the ledger's streams. */
export type Effect =
  | { readonly kind: 'onboarded'; readonly identity: string; readonly key: string }
  | { readonly kind: 'assigned'; readonly wallet: string; readonly owner: string }
  | { readonly kind: 'replaced'; readonly identity: string; readonly key: string }
  | { readonly kind: 'nothing'; readonly identity: string }

/** A committed transaction. */
export interface Entry {
  readonly umid: string
  /** When it arrived, which its row says; Unix milliseconds. */
  readonly arrivedMs: number
  readonly posted: Posted
  /** Its signatures as nodes keep them. */
  readonly $sigs: Readonly<Record<string, unknown>>
  readonly effect: Effect
}

/** What is wrong with a node's read API. `empty`: it answers, and has lost its database. */
export type ApiTrouble = 'away' | 'empty'

interface Row {
  readonly umid: string
  readonly timestamp: string
}

interface IdentityStream {
  readonly onboardingKey: string
  key: string
  readonly txs: string[]
}

interface WalletStream {
  readonly address: string
  owner: string | null
  readonly txs: string[]
}

const NETWORK = 'TRX-NILE'
/** Of answers that fail although the node is well. */
const FAULT_CHANCE = 1 / 60
const LISTED_MAX = 100_000

/** A node of the simulated ledger: a store that lists what it has committed, and a read API over its database. */
export class LedgerNode {
  isStoreAway = false
  apiTrouble: ApiTrouble | null = null
  /** It takes no part in transactions, and does not know that. */
  isLagging = false
  private readonly rows: Row[] = []
  private readonly listed = new Set<string>()
  private readonly transactions = new Map<string, Entry>()
  private readonly identities = new Map<string, IdentityStream>()
  private readonly wallets = new Map<string, WalletStream>()
  /** What it missed, in order, until its restore engine brings it. */
  private missed: Entry[] = []

  constructor(private readonly random: Random) {}

  get isWell(): boolean {
    return !this.isStoreAway && this.apiTrouble === null && !this.isLagging
  }

  addWallet(id: string, address: string): void {
    this.wallets.set(id, { address, owner: null, txs: [] })
  }

  /** Whether it can take part: it has missed nothing of the same streams. */
  canCommit({ effect }: Pick<Entry, 'effect'>): boolean {
    if (this.isLagging) return false
    const streams = streamsOf(effect)
    return !this.missed.some((entry) => streamsOf(entry.effect).some((stream) => streams.includes(stream)))
  }

  commit(entry: Entry): void {
    this.save(entry)
    this.list(entry.umid, entry.arrivedMs)
  }

  miss(entry: Entry): void {
    this.missed.push(entry)
  }

  /** A transaction whose save failed is listed, too. */
  list(umid: string, arrivedMs: number): void {
    const timestamp = String(arrivedMs)
    this.listed.add(umid)
    this.rows.splice(this.rows.findLastIndex((row) => row.timestamp <= timestamp) + 1, 0, { umid, timestamp })
  }

  /** The restore engine: the database gets what was missed, the listing never does. */
  restore(): void {
    for (const entry of this.missed.splice(0)) this.save(entry)
  }

  lists(umid: string): boolean {
    return !this.isStoreAway && this.listed.has(umid)
  }

  tells(umid: string): boolean {
    return this.apiTrouble === null && this.transactions.has(umid)
  }

  /** The key that its read API has for an identity; null when it answers without one, or does not answer. */
  keyOf(identity: string): string | null {
    return this.apiTrouble === null ? (this.identities.get(identity)?.key ?? null) : null
  }

  answer(request: IncomingMessage, response: ServerResponse, api: 'store' | 'core', path: string, query: string): void {
    const isAway = api === 'store' ? this.isStoreAway : this.apiTrouble === 'away'
    if (isAway) return void request.socket.destroy()
    if (this.random.chance(FAULT_CHANCE)) return void response.writeHead(500).end('{}')
    const value = api === 'store' ? this.listing(path, new URLSearchParams(query)) : this.read(path)
    const isFound = value !== null
    response.writeHead(isFound ? 200 : 500, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(value ?? notFound(path)))
  }

  private listing(path: string, query: URLSearchParams): unknown {
    const from = query.get('from')
    if (path !== '/activeledgerevents/umids' || from === null) return null
    const first = this.rows.findLastIndex(({ timestamp }) => timestamp < from) + 1
    const rows = this.rows.slice(first, first + (Number(query.get('limit')) || LISTED_MAX))
    return { total_rows: rows.length, offset: 0, rows }
  }

  private read(path: string): unknown {
    if (this.apiTrouble === 'empty') return null
    const [, kind, id = ''] = /^\/api\/(tx|stream)\/([0-9a-f]{64}(?::stream)?)$/.exec(decodeURIComponent(path)) ?? []
    if (kind === 'tx') return this.transaction(id)
    if (kind !== 'stream') return null
    const [stream = '', suffix] = id.split(':')
    const found = suffix === undefined ? this.state(stream) : this.meta(stream)
    return found === null ? null : { stream: found }
  }

  private transaction(umid: string): unknown {
    const entry = this.transactions.get(umid)
    if (entry === undefined) return null
    const { posted, $sigs, arrivedMs } = entry
    const $datetime = new Date(arrivedMs).toISOString()
    const $revs = { $i: {}, $o: {} }
    const $selfsign = posted.$selfsign === true
    return { umid: { $umid: umid, $tx: posted.$tx, $sigs, $revs, $selfsign, $datetime } }
  }

  private state(id: string): unknown {
    const contract = Object.entries(CONTRACTS).find(([, contractId]) => contractId === id)
    if (contract !== undefined) return { name: contract[0], namespace: NAMESPACE, contract: { '0.0.1': '' } }
    const wallet = this.wallets.get(id)
    if (wallet === undefined) return this.identities.has(id) ? { type: ONBOARDING_NAME, _rev: '1-0' } : null
    const { address, owner, txs } = wallet
    return { type: 'shop.wallet', address, network: NETWORK, owner, _rev: `${txs.length + 1}-0` }
  }

  private meta(id: string): unknown {
    const identity = this.identities.get(id)
    if (identity === undefined) return null
    const { key, onboardingKey, txs } = identity
    const authorities = [{ public: key, type: 'secp256k1', stake: 100, hash: sha256(key) }]
    const about = { $stream: true, umid: onboardingKey, name: ONBOARDING_NAME }
    return { ...about, authorities, txs, $constructor: true, _rev: `${txs.length}-0` }
  }

  private save(entry: Entry): void {
    const { umid, effect } = entry
    this.transactions.set(umid, entry)
    if (effect.kind === 'onboarded') {
      this.identities.set(effect.identity, { onboardingKey: effect.key, key: effect.key, txs: [umid] })
      return
    }
    const identity = this.identities.get(effect.kind === 'assigned' ? effect.owner : effect.identity)
    identity?.txs.push(umid)
    if (identity !== undefined && effect.kind === 'replaced') identity.key = effect.key
    const wallet = effect.kind === 'assigned' ? this.wallets.get(effect.wallet) : undefined
    if (wallet === undefined || effect.kind !== 'assigned') return
    wallet.owner = effect.owner
    wallet.txs.push(umid)
  }
}

/** The streams that a transaction changes. */
function streamsOf(effect: Effect): readonly string[] {
  return effect.kind === 'assigned' ? [effect.wallet, effect.owner] : [effect.identity]
}

/** A read API answers like a failure of its own for what it does not have; only the end of the text differs. */
function notFound(path: string) {
  return { name: 'ActiveError', message: `URL Request Failed : http://127.0.0.1:5259${path} - 404`, body: '{}' }
}
