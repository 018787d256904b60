import type { CommittedAt } from '../domain/ledger-cursor.js'
import { isObject } from './ledger-transaction.js'
import { NodeHttp } from './node-http.js'

/** A row of 64 hex characters and 13 digits with their names and quotes. */
const ROW_BYTES = 160
/** Around the rows of a page. */
const PAGE_BYTES = 4096
/**
 * Of one transaction. Those of the followed contracts take a few hundred bytes; others may carry a whole contract, and
 * what is longer than this is taken for one of those.
 */
export const TRANSACTION_LIMIT_BYTES = 8 * 1024 * 1024

const UMID = /^[0-9a-f]{64}$/
const DIGITS = /^[0-9]{1,15}$/
/** Nodes compare times as text, which is right as long as they have as many digits. */
const TIME_DIGITS = 13

export type Listing =
  | { readonly kind: 'rows'; readonly rows: readonly CommittedAt[] }
  | { readonly kind: 'unclear'; readonly why: string }

/** `missing`: no node has it yet. `too-long`: none of ours. */
export type LookedUp =
  | { readonly kind: 'found'; readonly transaction: Readonly<Record<string, unknown>> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'unclear'; readonly why: string }

/** The port of what a follower reads. Neither question rejects. */
export interface LedgerSource {
  /** Committed transactions from a time on, inclusive, in order of time, at most `limit`. */
  umids(fromMs: number, limit: number): Promise<Listing>
  transaction(umid: string): Promise<LookedUp>
  /** Ends the connections, and with them the questions under way. */
  close(): Promise<void>
}

export interface LedgerSourceOptions {
  /** Base address of the store of one node. */
  readonly storeUrl: string
  /** Base addresses of the read API, asked in turn. */
  readonly urls: readonly string[]
  /** For one question to one node, from connecting to the last byte of its answer. */
  readonly timeoutMs: number
}

/** A ledger node over HTTP. */
export function createLedgerSource({ storeUrl, urls, timeoutMs }: LedgerSourceOptions): LedgerSource {
  const http = new NodeHttp(timeoutMs)
  return {
    async umids(fromMs, limit) {
      const from = String(fromMs).padStart(TIME_DIGITS, '0')
      const path = `/activeledgerevents/umids?from=${from}&limit=${limit}`
      const answer = await http.get(storeUrl, path, PAGE_BYTES + limit * ROW_BYTES)
      if (answer.kind !== 'found') return unclear(answer.kind === 'unclear' ? answer.why : answer.kind)
      const rows = readRows(answer.value['rows'], fromMs)
      return rows === null ? unclear('rows that are none, or not in order of time') : { kind: 'rows', rows }
    },

    async transaction(umid) {
      let last: LookedUp = unclear('no node is configured')
      for (const url of urls) {
        const answer = await http.get(url, `/api/tx/${encodeURIComponent(umid)}`, TRANSACTION_LIMIT_BYTES)
        if (answer.kind === 'too-long') return answer
        if (answer.kind !== 'found') {
          last = answer
          continue
        }
        const transaction = answer.value['umid']
        if (isObject(transaction) && transaction['$umid'] === umid) return { kind: 'found', transaction }
        last = unclear('another transaction than the one that was asked for')
      }
      return last
    },

    close: () => http.close(),
  }
}

function readRows(value: unknown, fromMs: number): readonly CommittedAt[] | null {
  if (!Array.isArray(value)) return null
  const rows: CommittedAt[] = []
  let latestMs = fromMs
  for (const one of value) {
    const row = readRow(one)
    if (row === null || row.timestampMs < latestMs) return null
    latestMs = row.timestampMs
    rows.push(row)
  }
  return rows
}

function readRow(value: unknown): CommittedAt | null {
  if (!isObject(value)) return null
  const { umid, timestamp } = value
  if (typeof umid !== 'string' || !UMID.test(umid)) return null
  if (typeof timestamp !== 'string' || !DIGITS.test(timestamp)) return null
  return { umid, timestampMs: Number(timestamp) }
}

function unclear(why: string): { readonly kind: 'unclear'; readonly why: string } {
  return { kind: 'unclear', why }
}
