import { isObject } from '../base/json-object.js'
import type { Secp256k1Engine } from '../crypto/secp256k1.js'
import { isExplained } from '../domain/key-gap.js'
import type { ListedTransaction } from '../domain/ledger-progress.js'
import { isStreamId } from '../domain/text.js'
import { wakefulScheduler } from '../scheduler.js'
import { answersInTime } from './answers-in-time.js'
import { agreedStream, type IdentityStream, readIdentityStream } from './identity-stream.js'
import { KeyWalk } from './key-walk.js'
import { type NodeAnswer, NodeHttp, unclear } from './node-http.js'
import { ReadApis, type SilentNode, STREAM_LIMIT_BYTES } from './read-apis.js'
import { agreedChanges, readTxs } from './stream-changes.js'

/** Size of a row: 64 hex characters and 13 digits, with their names and quotes. */
const ROW_BYTES = 160
/** Size of the text around the rows of a page. */
const PAGE_BYTES = 4096
/** Maximum size of what a node keeps beside a stream, with the ids of all its transactions: about 60,000. */
const META_LIMIT_BYTES = 4 * 1024 * 1024
/** Transactions that are looked up to tell which of two nodes lags behind. */
export const TAIL_EXPLAINED_MAX = 64

const UMID = /^[0-9a-f]{64}$/
const DIGITS = /^[0-9]{1,14}$/
/** Nodes compare times as text, so all need the same number of digits. */
const TIME_DIGITS = 13

/**
 * A merged page of all stores, each transaction once. `isFull`: there may be more behind it. `silent`: stores that did
 * not answer; transactions that only they list are missing.
 */
export interface ListingPage {
  readonly kind: 'rows'
  readonly rows: readonly ListedTransaction[]
  readonly isFull: boolean
  readonly silent: readonly SilentNode[]
}

/** `unclear`: no store answered. */
export type Listing =
  | ListingPage
  | { readonly kind: 'unclear'; readonly why: string; readonly silent: readonly SilentNode[] }

/** A store's answer: rows in order of time, or why there is none. */
export type StorePage = { readonly rows: readonly ListedTransaction[] } | SilentNode

/** What nodes tell together of an identity. `undecided`: they answer, and what they tell is of no use. */
export type FoundStream =
  | Exclude<NodeAnswer<IdentityStream>, { readonly kind: 'too-long' }>
  | { readonly kind: 'undecided'; readonly why: string }

/** What a follower reads the ledger from. No query rejects. */
export interface LedgerSource {
  /** Number of stores that are listed, and of read APIs. */
  readonly stores: number
  readonly readApis: number
  /** Committed transactions from a time on, inclusive, in order of time: at least the first `limit` of each store, or all. */
  umids(fromMs: number, limit: number): Promise<Listing>
  /** `missing`: no node that was queried has it. `too-long`: it is not a transaction of a followed contract. */
  transaction(umid: string): Promise<NodeAnswer>
  /** The read APIs that do not answer now. Asks those that had no transaction since the last time. */
  silentReadApis(): Promise<readonly SilentNode[]>
  /** The keys and the transactions of an identity: see `agreedStream`. `missing`: every node says that it has none. */
  streamOf(identity: string): Promise<FoundStream>
  /** The transactions that changed a wallet since it was made: see `agreedChanges`. None where nodes do not tell. */
  changesOf(wallet: string): Promise<readonly string[]>
  /** Closes the connections and with them the queries in flight. */
  close(): Promise<void>
}

export interface LedgerNodesOptions {
  /** Base addresses of the stores of nodes; at least one for listings. */
  readonly storeUrls: readonly string[]
  /** Base addresses of the read API. */
  readonly urls: readonly string[]
  /** For one query to one node, from connecting to the last byte of its answer. */
  readonly timeoutMs: number
  /** Verifies what tells which of two nodes lags behind. Without it, nodes that contradict each other decide nothing. */
  readonly engine?: Secp256k1Engine
}

/** Ledger nodes over HTTP. */
export class LedgerNodes implements LedgerSource {
  readonly stores: number
  readonly readApis: number
  private readonly http: NodeHttp
  private readonly apis: ReadApis

  constructor(private readonly options: LedgerNodesOptions) {
    this.stores = options.storeUrls.length
    this.readApis = options.urls.length
    this.http = new NodeHttp(options.timeoutMs)
    this.apis = new ReadApis(options.urls, this.http)
  }

  async umids(fromMs: number, limit: number): Promise<Listing> {
    const pages = await Promise.all(this.options.storeUrls.map((store) => this.list(store, fromMs, limit)))
    return mergePages(pages, limit)
  }

  transaction(umid: string): Promise<NodeAnswer> {
    return this.apis.transaction(umid)
  }

  silentReadApis(): Promise<readonly SilentNode[]> {
    return this.apis.check()
  }

  async streamOf(identity: string): Promise<FoundStream> {
    if (!isStreamId(identity)) throw new Error('only identities can be queried')
    const { urls } = this.options
    const answers = await this.metaOf(identity)
    const tellers = new Map<IdentityStream, string>()
    for (const [i, answer] of answers.entries()) {
      const stream = answer.kind === 'found' ? readIdentityStream(identity, answer.value['stream']) : null
      if (stream !== null) tellers.set(stream, urls[i] ?? '')
    }
    const streams = [...tellers.keys()]
    const agreed = await agreedStream(streams, (before, from, stream) =>
      this.isTailExplained(identity, { before, from, stream, teller: tellers.get(stream) }),
    )
    if (agreed !== null) return { kind: 'found', value: agreed }
    if (streams.length > 0)
      return { kind: 'undecided', why: 'the nodes contradict each other about the keys of its owner' }
    if (answers.some(({ kind }) => kind === 'too-long')) {
      return { kind: 'undecided', why: 'its owner has more transactions than are read' }
    }
    // Nodes are well, and answer the same the next time: it must not look as if they failed.
    if (answers.some(({ kind }) => kind === 'found')) {
      return { kind: 'undecided', why: 'the nodes tell no keys of its owner, or too many' }
    }
    const failure = answers.find((answer) => answer.kind === 'unclear')
    if (failure === undefined && urls.length > 0) return { kind: 'missing' }
    return failure ?? unclear('no node is configured')
  }

  async changesOf(wallet: string): Promise<readonly string[]> {
    if (!isStreamId(wallet)) throw new Error('only ids of streams can be queried')
    const told = (await this.metaOf(wallet)).flatMap((answer) => {
      const stream = answer.kind === 'found' ? answer.value['stream'] : null
      const txs = isObject(stream) ? readTxs(stream['txs']) : null
      return txs === null ? [] : [txs]
    })
    return agreedChanges(told, this.readApis)
  }

  /**
   * Whether the ledger has a stream with this id, which must be 64 lower-case hex digits: a node reads the last ones of
   * a longer text, and passes other texts on to its store, where they are commands. Nodes that lag behind miss streams,
   * so the answer is `true` when any node has it, and `false` only when every node that answers says no. `unreachable`
   * when no node gave a certain answer, or none is configured: never treat it as "no" (decisions 8).
   */
  async hasIdentity(id: string): Promise<boolean | 'unreachable'> {
    if (!isStreamId(id)) throw new Error('only identities can be queried')
    const answers = this.options.urls.map(async (url) => {
      const answer = await this.http.get(url, `/api/stream/${id}`, STREAM_LIMIT_BYTES)
      return answer.kind === 'found' && !isObject(answer.value['stream']) ? 'unclear' : answer.kind
    })
    const found = answers.map(async (answer) => (await answer) === 'found' || Promise.reject(new Error('not found')))
    return Promise.any(found).catch(async () =>
      (await Promise.all(answers)).includes('missing') ? false : 'unreachable',
    )
  }

  close(): Promise<void> {
    return this.http.close()
  }

  /** What each read API keeps beside a stream. */
  private metaOf(stream: string): Promise<readonly NodeAnswer[]> {
    const path = `/api/stream/${stream}:stream`
    const queries = this.options.urls.map((url) => this.http.get(url, path, META_LIMIT_BYTES))
    return answersInTime(queries, wakefulScheduler)
  }

  /**
   * Whether transactions that its keys have signed lead from one set of authorities to those that a stream ends with. The
   * node that tells the stream is asked for them first: another one might give them another content, so that an honest
   * history looks as if nobody had signed it.
   */
  private async isTailExplained(
    identity: string,
    {
      before,
      from,
      stream,
      teller,
    }: {
      readonly before: readonly string[]
      readonly from: number
      readonly stream: IdentityStream
      readonly teller: string | undefined
    },
  ): Promise<boolean | null> {
    const umids = stream.txs?.slice(from) ?? []
    const { engine } = this.options
    if (umids.length > TAIL_EXPLAINED_MAX || engine === undefined) return null
    const walk = new KeyWalk({ identity, before, from, contracts: [], engine })
    for (const one of await Promise.all(umids.map((umid) => this.apis.transaction(umid, teller)))) {
      if (one.kind === 'unclear') return null
      // A node that lists what no node has makes it up.
      if (one.kind === 'missing') return false
      walk.take(one.kind === 'found' ? one.value : 'too-long')
    }
    const { changes } = walk.gapTo(stream.authorities)
    return changes === null ? null : isExplained(before, stream.authorities, changes)
  }

  private async list(store: string, fromMs: number, limit: number): Promise<StorePage> {
    const from = String(fromMs).padStart(TIME_DIGITS, '0')
    const path = `/activeledgerevents/umids?from=${from}&limit=${limit}`
    const answer = await this.http.get(store, path, PAGE_BYTES + limit * ROW_BYTES)
    if (answer.kind !== 'found') return { node: store, why: answer.kind === 'unclear' ? answer.why : answer.kind }
    const rows = readRows(answer.value['rows'], fromMs)
    return rows === null ? { node: store, why: 'rows that are none, or not in order of time' } : { rows }
  }
}

/**
 * Merges the pages of several stores. A full page says nothing about what follows its last row, so the merged page ends
 * with the earliest of their last times.
 */
export function mergePages(pages: readonly StorePage[], limit: number): Listing {
  const silent = pages.flatMap((page) => ('why' in page ? [page] : []))
  const answered = pages.flatMap((page) => ('rows' in page ? [page.rows] : []))
  if (answered.length === 0) return { kind: 'unclear', why: silent.map(({ why }) => why).join(', '), silent }
  const ends = answered.filter((rows) => rows.length >= limit).map((rows) => rows.at(-1)?.timestampMs ?? 0)
  const endMs = Math.min(...ends)
  const rows = new Map<string, ListedTransaction>()
  for (const row of answered.flat()) {
    if (row.timestampMs <= endMs && !rows.has(row.umid)) rows.set(row.umid, row)
  }
  const sorted = [...rows.values()].sort((a, b) => a.timestampMs - b.timestampMs)
  return { kind: 'rows', rows: sorted, isFull: ends.length > 0, silent }
}

/** Rows in order of time; null for anything else. */
function readRows(value: unknown, fromMs: number): readonly ListedTransaction[] | null {
  if (!Array.isArray(value)) return null
  const rows = value.map(readRow).filter((row) => row !== null)
  const isInOrder = rows.every(({ timestampMs }, i) => timestampMs >= (rows[i - 1]?.timestampMs ?? fromMs))
  return rows.length === value.length && isInOrder ? rows : null
}

function readRow(value: unknown): ListedTransaction | null {
  if (!isObject(value)) return null
  const { umid, timestamp } = value
  if (typeof umid !== 'string' || !UMID.test(umid)) return null
  if (typeof timestamp !== 'string' || !DIGITS.test(timestamp)) return null
  return { umid, timestampMs: Number(timestamp) }
}
