import { isObject } from '../../base/json-object.js'
import type { AddedIdentity } from '../../domain/added-identity.js'
import type { ApiKey } from '../../domain/api-key.js'
import type { Operator } from '../../domain/audit.js'
import {
  DERIVED_COUNT_MAX,
  type DerivedOutcome,
  type DerivedWallets,
  isKeyName,
  type ToldSeries,
} from '../../domain/derived-wallet.js'
import { failure, type Outcome } from '../../domain/failure.js'
import type { Decimals } from '../../domain/network.js'
import type { Note } from '../../domain/note.js'
import type { Wallet } from '../../domain/wallet.js'
import type { Delivery } from '../../domain/webhook.js'
import { type Period, periodOf, UTC } from '../../domain/zone.js'
import type { SetAside } from '../../listing/aside.js'
import type { LedgerRecord, NetworkRecord, NodeRecord } from '../../listing/networks.js'
import type { ImportOutcome, ImportTerms } from '../../store/imports.js'
import type { OutboxDepth } from '../../store/outbox.js'
import type { RecordCounts } from '../../store/overview.js'
import { type AdminHandlers, handlers } from '../endpoints.js'
import { failureAnswer, jsonAnswer, outcomeAnswer, readJsonObject } from '../json.js'
import { refuseParameter } from '../list-query.js'
import type { RequestHead } from '../server.js'
import type { RatesRecord } from './rates.js'
import { type WorkRecord, workAnswer } from './work-answer.js'

/** Unix ms. */
const TIME = /^[0-9]{1,15}$/

/** How many wallets of a network are in the pool, can be claimed now, and were withdrawn from the pool. */
interface PoolCounts {
  readonly claimable: number
  readonly unassigned: number
  readonly withdrawn: number
}

/** How the process that holds the data directory is. */
export interface ServiceStatus {
  readonly version: string
  readonly pid: number
  /** Unix ms. */
  readonly started_at: number
  /** Where it listens; null when it is a command that opened the directory itself. */
  readonly url: string | null
  /** What `/readyz` says: it takes requests while it is `degraded`, too. Null when it is no service. */
  readonly condition: 'ready' | 'degraded' | 'not_ready' | null
  /** Why a service cannot take requests; null while it can, and without a service. */
  readonly not_ready: string | null
  readonly data: string
  /** Where the state is: `lmdb` for the data directory, or the address of a database without its password. */
  readonly store: string
  /** Which store it is, and when it was created, Unix ms: what an operator compares when a volume may be the wrong one. */
  readonly store_id: string
  readonly store_born_at: number
  readonly sandbox: boolean
  readonly strict: boolean
  /** What is impaired, one sentence each. */
  readonly degraded: readonly string[]
  /** How far the machine's clock is off, milliseconds, above 0 while it is fast, and who says so; null while nobody can tell. */
  readonly clock: { readonly offset_ms: number; readonly witnesses: readonly string[] } | null
  /** How many the store has. Null while it cannot be read, as are the next two and what was set aside. */
  readonly records: RecordCounts | null
  /** Deliveries of webhooks that are not settled. */
  readonly outbox: OutboxDepth | null
  /** Wallets without an owner, by network. */
  readonly wallets: Readonly<Record<string, PoolCounts>> | null
  /** Decimal places of the token, by network. */
  readonly decimals: Decimals
  /** How far the watched networks are; none without a service. */
  readonly networks: readonly NetworkRecord[]
  /** How the nodes of the watched networks do; none without a service. */
  readonly nodes: readonly NodeRecord[]
  /** How far the followed ledger is; null if none is followed. */
  readonly ledger: LedgerRecord | null
  /** Blocks that no node could give, and deposits whose recording failed. */
  readonly set_aside: SetAside | null
  /** Which rates are in force, as `GET /api/rates` answers it; null while the store cannot be read. */
  readonly rates: RatesRecord | null
  /** Lines of the log that were lost since the start. */
  readonly log_lines_lost: number
}

/** A request of an import, which may come in several. */
export interface ImportPart {
  /** The same in each of its requests. */
  readonly id: string
  /** What is imported, such as the path of a file; null when nobody says. */
  readonly file: string | null
  readonly isLast: boolean
  /** Lines since the request before that hold no record, so they were refused where they were read. */
  readonly unreadable: number
}

/** Which records of a kind are meant. */
export interface RecordsWanted {
  /** Null: those of all. */
  readonly owner: string | null
  /** Those of one invoice, where the kind is of invoices; null for all. */
  readonly invoice: string | null
  /** Newest first, where the kind has such an order. */
  readonly isNewestFirst: boolean
  /** Those of a later time, Unix ms, where the kind is listed by time; null for all. */
  readonly sinceMs: number | null
}

/** What the operator's commands do, behind `admin.sock`. */
export interface AdminParts {
  status(): Promise<ServiceStatus>
  /** Examines the service and what it depends on. */
  examine(): AsyncIterable<WorkRecord>
  /** Who calls. */
  operatorOf(head: RequestHead): Operator
  /** Adds records of another store, in order; an outcome for each. */
  add(
    operator: Operator,
    part: ImportPart,
    records: readonly unknown[],
    terms: ImportTerms,
  ): Promise<readonly ImportOutcome[]>
  revokeKey(operator: Operator, id: string): Promise<Outcome<ApiKey>>
  redeliver(operator: Operator, id: string): Promise<Outcome<Delivery>>
  putBack(operator: Operator, id: string): Promise<Outcome<Wallet>>
  addNote(operator: Operator, invoiceId: string, text: unknown): Promise<Outcome<Note>>
  removeNote(operator: Operator, id: string): Promise<Outcome<Note>>
  addIdentity(operator: Operator, id: string): Promise<Outcome<AddedIdentity>>
  /** How far the wallets of an extended public key go, by network. */
  derivedSeries(keyName: string): Promise<readonly ToldSeries[]>
  addDerived(operator: Operator, derived: DerivedWallets): Promise<Outcome<readonly DerivedOutcome[]>>
  /** Null when there is no such kind. */
  records(kind: string, wanted: RecordsWanted): AsyncIterable<WorkRecord> | null
  /** The lines of a report, of all owners or of one. Null when there is no such report. */
  report(
    name: string,
    asked: { readonly period: Period; readonly owner: string | null },
  ): AsyncIterable<WorkRecord> | null
}

export function adminHandlers(parts: AdminParts): AdminHandlers {
  return handlers({
    'GET /admin/status': async () => jsonAnswer(200, await parts.status()),
    'GET /admin/doctor': () => workAnswer(parts.examine()),
    'POST /admin/import': async (request) => {
      const read = readJsonObject(request.body)
      if (!read.ok) return failureAnswer(read.failure)
      const { records, ofFormerOwners } = read.value
      const terms = { ofFormerOwners: ofFormerOwners === true }
      const part = partOf(read.value, request.requestId)
      const added = parts.add(parts.operatorOf(request), part, Array.isArray(records) ? records : [], terms)
      return jsonAnswer(200, { outcomes: await added })
    },
    'POST /admin/keys/:id/revoke': async (request, { id }) =>
      outcomeAnswer(200, await parts.revokeKey(parts.operatorOf(request), id)),
    'POST /admin/deliveries/:id/redeliver': async (request, { id }) =>
      outcomeAnswer(200, await parts.redeliver(parts.operatorOf(request), id)),
    'POST /admin/wallets/:id/put-back': async (request, { id }) =>
      outcomeAnswer(200, await parts.putBack(parts.operatorOf(request), id)),
    'POST /admin/invoices/:id/notes': async (request, { id }) => {
      const read = readJsonObject(request.body)
      if (!read.ok) return failureAnswer(read.failure)
      return outcomeAnswer(200, await parts.addNote(parts.operatorOf(request), id, read.value['text']))
    },
    'POST /admin/notes/:id/remove': async (request, { id }) =>
      outcomeAnswer(200, await parts.removeNote(parts.operatorOf(request), id)),
    'POST /admin/identities/:id/add': async (request, { id }) =>
      outcomeAnswer(200, await parts.addIdentity(parts.operatorOf(request), id)),
    'GET /admin/derived-wallets/:key': async (_request, { key }) =>
      isKeyName(key)
        ? jsonAnswer(200, { series: await parts.derivedSeries(key) })
        : failureAnswer(failure('not_found')),
    'POST /admin/derived-wallets/:key': async (request, { key }) => {
      const derived = derivedIn(request.body, key)
      if (derived === null) return failureAnswer(failure('malformed_request'))
      const added = await parts.addDerived(parts.operatorOf(request), derived)
      return added.ok ? jsonAnswer(200, { outcomes: added.value }) : failureAnswer(added.failure)
    },
    'GET /admin/records/:kind': ({ query }, { kind }) => {
      const given = new URLSearchParams(query)
      const since = given.get('since')
      const order = given.get('order')
      if (since !== null && !TIME.test(since)) return failureAnswer(refuseParameter('since').failure)
      if (order !== null && order !== 'newest') return failureAnswer(refuseParameter('order').failure)
      const records = parts.records(kind, {
        owner: given.get('owner'),
        invoice: given.get('invoice'),
        isNewestFirst: order !== null,
        sinceMs: since === null ? null : Number(since),
      })
      return records === null ? failureAnswer(failure('not_found')) : workAnswer(records)
    },
    'GET /admin/reports/:name': ({ query }, { name }) => {
      const given = new URLSearchParams(query)
      const { from = '', to = '', zone = UTC } = Object.fromEntries(given)
      const read = periodOf({ from, to, zone })
      if ('wrong' in read) return failureAnswer(refuseParameter(read.wrong).failure)
      const lines = parts.report(name, { period: read.period, owner: given.get('owner') })
      return lines === null ? failureAnswer(failure('not_found')) : workAnswer(lines)
    },
  })
}

/** The addresses that a command sends; null for anything else. */
function derivedIn(body: Buffer, keyName: string): DerivedWallets | null {
  const read = readJsonObject(body)
  if (!read.ok || !isKeyName(keyName)) return null
  const { network, owner, first, addresses } = read.value
  if (typeof network !== 'string' || typeof owner !== 'string' || !Number.isSafeInteger(first)) return null
  if (!Array.isArray(addresses) || addresses.length === 0 || addresses.length > DERIVED_COUNT_MAX) return null
  if (!addresses.every((address) => typeof address === 'string')) return null
  return { keyName, network, owner, first: Number(first), addresses }
}

/** Which import a request is of; without a name it is one of its own. */
function partOf({ part }: Readonly<Record<string, unknown>>, requestId: string): ImportPart {
  const { id, file, isLast, unreadable } = isObject(part) ? part : {}
  if (typeof id !== 'string') return { id: requestId, file: null, isLast: true, unreadable: 0 }
  return {
    id,
    file: typeof file === 'string' ? file : null,
    isLast: isLast === true,
    unreadable: typeof unreadable === 'number' && Number.isSafeInteger(unreadable) && unreadable > 0 ? unreadable : 0,
  }
}
