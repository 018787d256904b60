import { createHash, randomUUID } from 'node:crypto'
import type { Clock } from '../clock.js'
import { readIdentityStream } from '../ledger/identity-stream.js'
import type { FoundStream } from '../ledger/ledger-nodes.js'
import type { WalletPort } from '../store/store.js'
import type { LedgerArchive } from './ledger-archive.js'
import {
  failEarly,
  KEY_TYPE,
  ONBOARDING_NAME,
  type SimulatedLedger,
  type Verdict,
  WALLET_STREAM_NAME,
} from './simulated-ledger.js'
import { parseSubmitted } from './submitted-transaction.js'

/** A ledger node's HTTP answer. Nearly everything, failures included, has status 200. */
export interface NodeAnswer {
  readonly status: number
  /** Sent as JSON. */
  readonly value: unknown
}

const META_SUFFIX = ':stream'

/** The database of a node's streams, which its read API names when it finds nothing. */
const STREAM_DATABASE = 'http://localhost:5259/activeledger'

/**
 * The HTTP interfaces of the simulated ledger node, in the shapes observed on real ones: transactions, the "core" API and
 * the listing of the node's store. "Not found" is a status 500 that differs from a failure only in its text. It leaves
 * out `Content-Encoding: none`, which real nodes send.
 */
export class SimulatedNode {
  constructor(
    private readonly ledger: Pick<SimulatedLedger, 'submit'>,
    private readonly clock: Clock,
    private readonly archive: LedgerArchive,
    private readonly wallets: Pick<WalletPort, 'find'>,
  ) {}

  /** A POST of a transaction. */
  async submit(body: Buffer): Promise<NodeAnswer> {
    const transaction = parseSubmitted(body, this.clock.now())
    if (transaction === 'unreadable') return { status: 500, value: {} }
    if (transaction === 'invalid') return { status: 500, value: 'Invalid Transaction' }
    if (transaction === 'unsigned') return answerOf('', failEarly('$sigs not found'))
    return answerOf(transaction.umid, await this.ledger.submit(transaction))
  }

  /** `GET /api/stream/{id}`; with `:stream` behind the id, the stream's metadata. */
  async stream(id: string): Promise<NodeAnswer> {
    const stream = id.endsWith(META_SUFFIX) ? this.meta(id.slice(0, -META_SUFFIX.length)) : await this.state(id)
    return stream === null ? notFound(id) : { status: 200, value: { stream } }
  }

  /** What the service learns from the read API of a real node. An onboarding is known here before it is reported. */
  async hasIdentity(id: string): Promise<boolean> {
    return this.archive.keys.has(id)
  }

  /** The keys of an identity, as the service learns them from the read API of a real node. */
  async streamOf(id: string): Promise<FoundStream> {
    const stream = readIdentityStream(id, this.meta(id))
    return stream === null ? { kind: 'missing' } : { kind: 'found', value: stream }
  }

  /** `GET /api/tx/{umid}`. */
  transaction(umid: string): NodeAnswer {
    const transaction = this.archive.transaction(umid)
    return transaction === undefined ? notFound(`${umid}:umid`) : { status: 200, value: { umid: transaction } }
  }

  /** `GET /activeledgerevents/umids?from=<Unix ms>&limit=<rows>`: committed transactions in order of time. */
  umids(query: string): NodeAnswer {
    const parameters = new URLSearchParams(query)
    const from = parameters.get('from')
    if (from === null) return { status: 500, value: {} }
    const rows = this.archive.since(from, Number.parseInt(parameters.get('limit') ?? '', 10))
    return { status: 200, value: { total_rows: rows.length, offset: 0, rows } }
  }

  private async state(id: string) {
    if (this.archive.keys.has(id)) return { name: ONBOARDING_NAME }
    const wallet = await this.wallets.find(id)
    if (wallet === undefined) return null
    return { name: WALLET_STREAM_NAME, owner: this.archive.owners.get(id) ?? wallet.owner }
  }

  /** Only identities have metadata here. */
  private meta(id: string) {
    const key = this.archive.keys.get(id)
    if (key === undefined) return null
    const hash = createHash('sha256').update(key).digest('hex')
    return {
      $stream: true,
      name: ONBOARDING_NAME,
      authorities: [{ public: key, type: KEY_TYPE, stake: 100, hash }],
    }
  }
}

/** The verdict in the shape of a node's answer. */
function answerOf(umid: string, verdict: Verdict): NodeAnswer {
  if (verdict.kind === 'committed') {
    const $streams = { new: verdict.created, updated: verdict.updated }
    return { status: 200, value: { $umid: umid, $summary: { total: 1, vote: 1, commit: 1 }, $streams } }
  }
  if (verdict.kind === 'unsaved') {
    const $summary = { total: 1, vote: 1, commit: 1, errors: [suffixed('Failed to save')] }
    return { status: 200, value: { $umid: umid, $summary } }
  }
  const { isEarly, error, vote } = verdict
  const $summary = { total: 1, vote, commit: 0, errors: [isEarly ? error : suffixed(error)] }
  if (!isEarly) return { status: 200, value: { $umid: umid, $summary } }
  return { status: 200, value: { $umid: '', $summary, $streams: { new: [], updated: [] } } }
}

/** Nodes end an error with an id of its own, so clients recognise errors by their beginning. */
function suffixed(error: string): string {
  return `${error} - Error ${randomUUID()}`
}

function notFound(document: string): NodeAnswer {
  const message = `URL Request Failed : ${STREAM_DATABASE}/${encodeURIComponent(document.toWellFormed()).replaceAll('%3A', ':')} - 404`
  return { status: 500, value: { name: 'ActiveError', message, stack: 'Error', body: '{}' } }
}
