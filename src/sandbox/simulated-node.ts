import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.js'
import { readIdentityStream } from '../ledger/identity-stream.js'
import type { FoundStream } from '../ledger/ledger-nodes.js'
import { hashOfKey, type LedgerArchive } from './ledger-archive.js'
import { KEY_TYPE, type LedgerContract, type LedgerPlace, type LedgerWallet } from './ledger-contracts.js'
import { answerTo, turnedAway } from './ledger-verdict.js'
import type { NodeMemory } from './node-memory.js'
import { identityAt, revision, walletAt } from './node-views.js'
import type { SimulatedLedger } from './simulated-ledger.js'
import { parseSubmitted } from './submitted-transaction.js'

/** A ledger node's HTTP answer. Nearly everything, failures included, has status 200. */
export interface NodeAnswer {
  readonly status: number
  /** Sent as JSON. */
  readonly value: unknown
}

const META_SUFFIX = ':stream'

/** The port of the first node's store; each further node is ten ports above. */
const STORE_PORT = 5259
const STORE_PORT_STEP = 10
const STAKE = 100

export interface SimulatedNodeOptions {
  /** Its place among the nodes of the ledger. */
  readonly index: number
  readonly ledger: Pick<SimulatedLedger, 'submit'>
  /** What it has of what was committed. */
  readonly memory: NodeMemory
  readonly clock: Clock
  readonly archive: LedgerArchive
  readonly place: LedgerPlace
  readonly findWallet: (id: string) => Promise<LedgerWallet | undefined>
  /** Whether a body posted twice in one millisecond is one transaction. */
  readonly mergesRepeats: boolean
}

/**
 * The HTTP interfaces of a simulated ledger node, in the shapes observed on real ones: transactions, the "core" API and
 * the listing of the node's store. "Not found" is a status 500 that differs from a failure only in its text.
 */
export class SimulatedNode {
  constructor(private readonly options: SimulatedNodeOptions) {}

  /** What it has of the ledger, and whether it is up. */
  get memory(): NodeMemory {
    return this.options.memory
  }

  /** A POST of a transaction. As on a real node, an answer may take until another transaction comes. */
  async submit(body: Buffer): Promise<NodeAnswer> {
    const transaction = this.read(body)
    if (transaction === 'unreadable') return { status: 500, value: {} }
    if (transaction === 'invalid') return { status: 500, value: 'Invalid Transaction' }
    if (transaction === 'unsigned') return { status: 200, value: answerTo('', turnedAway('$sigs not found')) }
    const { ledger, index } = this.options
    return { status: 200, value: answerTo(transaction.umid, await ledger.submit(transaction, index)) }
  }

  /** `GET /api/stream/{id}`; with `:stream` behind the id, the stream's metadata. */
  async stream(id: string): Promise<NodeAnswer> {
    const isMeta = id.endsWith(META_SUFFIX)
    const stream = isMeta ? await this.meta(id.slice(0, -META_SUFFIX.length)) : await this.state(id)
    return stream === null ? this.notFound(id) : { status: 200, value: { stream } }
  }

  /** What the service learns from the read API of a real node. An onboarding is known here before it is reported. */
  async hasIdentity(id: string): Promise<boolean> {
    return identityAt(this.options.archive, this.memory, id).length > 0
  }

  /** The keys of an identity, as the service learns them from the read API of a real node. */
  async streamOf(id: string): Promise<FoundStream> {
    const stream = readIdentityStream(id, await this.meta(id))
    return stream === null ? { kind: 'missing' } : { kind: 'found', value: stream }
  }

  /** `GET /api/tx/{umid}`. */
  transaction(umid: string): NodeAnswer {
    const transaction = this.memory.reads(umid) ? this.options.archive.transaction(umid) : undefined
    return transaction === undefined ? this.notFound(`${umid}:umid`) : { status: 200, value: { umid: transaction } }
  }

  /** `GET /activeledgerevents/umids?from=<Unix ms>&limit=<rows>`: committed transactions in order of time. */
  umids(query: string): NodeAnswer {
    const parameters = new URLSearchParams(query)
    const from = parameters.get('from')
    if (from === null) return { status: 500, value: {} }
    const limit = Number.parseInt(parameters.get('limit') ?? '', 10)
    const rows = this.options.archive.since(from, limit, (umid) => this.memory.lists(umid))
    return { status: 200, value: { total_rows: rows.length, offset: 0, rows } }
  }

  private read(body: Buffer): ReturnType<typeof parseSubmitted> {
    const { clock, archive, mergesRepeats, index } = this.options
    const nowMs = clock.now()
    if (!mergesRepeats) return parseSubmitted(body, nowMs, randomBytes(16))
    let transaction: ReturnType<typeof parseSubmitted>
    let repetition = 0
    do {
      transaction = parseSubmitted(body, nowMs, `${index} ${nowMs} ${repetition}`)
      repetition += 1
    } while (typeof transaction !== 'string' && archive.has(transaction.umid))
    return transaction
  }

  private async state(id: string) {
    const { archive, place, findWallet } = this.options
    if (await this.hasIdentity(id)) return { type: place.onboardingName, _rev: revision(id, 1) }
    const contract = this.contract(id)
    if (contract !== undefined) {
      const { name, namespace, version, source } = contract
      const compiled = { [version]: id }
      return { name, namespace, contract: { [version]: source }, compiled, _rev: revision(id, 1) }
    }
    const wallet = this.memory.knowsWallets ? await findWallet(id) : undefined
    if (wallet === undefined) return null
    const { address, network } = wallet
    const changes = walletAt(archive, this.memory, id)
    const owner = changes.at(-1)?.owner ?? wallet.owner
    return { type: place.walletName, address, network, owner, _rev: revision(id, 1 + changes.length) }
  }

  /** What is kept beside a stream. `umid` of an identity is the text of the key that it was onboarded with. */
  private async meta(id: string) {
    const { archive, place, findWallet } = this.options
    const changes = identityAt(archive, this.memory, id)
    const [onboarding] = archive.identity(id)
    const key = changes.at(-1)?.publicKey
    if (onboarding !== undefined && key !== undefined) {
      const txs = changes.map(({ umid }) => umid)
      return metaOf(id, { umid: onboarding.publicKey, name: place.onboardingName, key, txs })
    }
    const wallet = this.memory.knowsWallets ? await findWallet(id) : undefined
    if (wallet === undefined) return null
    const txs = [wallet.umid, ...walletAt(archive, this.memory, id).map(({ umid }) => umid)]
    return metaOf(id, { umid: wallet.umid, name: place.walletName, key: place.operatorKey, txs })
  }

  private contract(id: string): LedgerContract | undefined {
    return this.options.place.contracts.find((one) => one.id === id && this.memory.runs(one))
  }

  private notFound(document: string): NodeAnswer {
    const store = `http://127.0.0.1:${STORE_PORT + STORE_PORT_STEP * this.options.index}/activeledger`
    const path = encodeURIComponent(document.toWellFormed()).replaceAll('%3A', ':')
    const message = `URL Request Failed : ${store}/${path} - 404`
    return { status: 500, value: { name: 'ActiveError', message, body: '{}', stack: 'Error' } }
  }
}

function metaOf(
  id: string,
  { umid, name, key, txs }: { umid: string; name: string; key: string; txs: readonly string[] },
) {
  return {
    $stream: true,
    umid,
    name,
    authorities: [{ public: key, type: KEY_TYPE, stake: STAKE, hash: hashOfKey(key) }],
    txs,
    $constructor: true,
    _rev: revision(`${id}${META_SUFFIX}`, txs.length),
  }
}
