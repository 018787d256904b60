import type { ApiKey } from '../../../domain/api-key.js'
import { type InvoiceFacts, type InvoiceRequest, WALLET_SETS_MAX } from '../../../domain/invoice.js'
import { isPaid, type Received } from '../../../domain/payment.js'
import { type Ending, isCovered, voidedAtBy } from '../../../domain/voiding.js'
import type { InvoiceCommand } from '../../commands.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { setIdOf } from '../invoices/invoice-rows.js'
import { selectDue } from '../invoices/settle.js'
import { keysOf } from '../keys/key-port.js'
import { RECEIVED } from '../payments/sums.js'
import { type EarlierRequest, earlierRequests, repeatedCreations } from './requests.js'

/** What decides about the creations of a batch, read behind the locks of their wallets. */
export interface BatchFacts {
  readonly keys: ReadonlyMap<string, ApiKey>
  /** Scope in hex → the request that created an invoice under the same key. */
  readonly earlier: ReadonlyMap<string, EarlierRequest>
  /** Wallet → its owner; only wallets that have an address. */
  readonly owners: ReadonlyMap<string, string | null>
  /** Digests in hex of signed requests that have created. */
  readonly repeated: ReadonlySet<string>
  readonly references: ReadonlySet<string>
  /** `amountName` of each amount that an unpaid invoice asks. */
  readonly amounts: Set<string>
  /** `walletName` of each wallet with an unpaid invoice. Empty when invoices may share wallets. */
  readonly wallets: Set<string>
  /** `placeName` → hex ids of the sets of wallets that have an unpaid invoice there; only where they may be too many. */
  readonly sets: Map<string, Set<string>>
  /** Wallets with a deposit that is dated after now: it counts for an invoice that is created now. */
  readonly paidAhead: ReadonlySet<string>
  /** Whether there are expiries to decide. */
  readonly isExpiryDue: boolean
}

/** Reads the facts of a batch: two round trips, the second one only in rare cases. */
export async function readFacts(
  work: Work,
  batch: readonly InvoiceCommand[],
  areWalletsShared: boolean,
): Promise<BatchFacts> {
  const requests = batch.map(({ request }) => request)
  const walletIds = [...new Set(requests.flatMap((request) => request.walletIds))].sort()
  const keyIds = batch.flatMap(({ terms }) => (terms?.authority === undefined ? [] : [terms.authority.keyId]))
  const scopes = batch.flatMap(({ terms }) => terms?.idempotency?.scope ?? [])
  const digests = batch.flatMap(({ terms }) => terms?.signed?.digest ?? [])
  // All of them are on their way at once, in this order: the locks, then the time, then what decides.
  const [wallets, nowMs, keys, earlier, repeated, references, rivals, crowded, ahead, due] = await Promise.all([
    work.rows<{ id: string; owner: string | null; address_id: number | null }>(
      sql`SELECT w.id, w.owner, w.address_id FROM wallets AS w WHERE w.id = ANY(${walletIds}::text[]) ORDER BY w.id FOR UPDATE`,
    ),
    work.readClock(),
    keysOf(work, [...new Set(keyIds)].sort()),
    earlierRequests(work, scopes),
    repeatedCreations(work, digests),
    takenReferences(work, requests),
    readRivals(work, requests, areWalletsShared),
    crowdedPlaces(work, requests),
    paidAhead(work, walletIds),
    work.rows(selectDue(work.now, 1)),
  ])
  const unpaid = rivals.filter((rival) => isOpenNow(rival, nowMs))
  const known = wallets.filter(({ address_id }) => address_id !== null)
  return {
    keys,
    earlier,
    owners: new Map(known.map(({ id, owner }) => [id, owner])),
    repeated,
    references,
    amounts: new Set(
      unpaid.map(({ wallet_id, owner, currency, atoms }) => amountName(wallet_id, owner, currency, atoms)),
    ),
    wallets: new Set(unpaid.map(({ wallet_id, owner, currency }) => walletName(wallet_id, owner, currency))),
    sets: await unpaidSets(work, crowded),
    paidAhead: ahead,
    isExpiryDue: due.length > 0,
  }
}

/** The facts about one creation of a batch. */
export class CreationFacts implements InvoiceFacts {
  constructor(
    private readonly facts: BatchFacts,
    private readonly command: InvoiceCommand,
    private readonly areWalletsShared: boolean,
  ) {}

  areWalletsOwned(): boolean {
    const { owner, walletIds } = this.command.request
    return walletIds.every((id) => this.facts.owners.get(id) === owner)
  }

  isRepeated(): boolean {
    const signed = this.command.terms?.signed
    return signed !== undefined && this.facts.repeated.has(hex(signed.digest))
  }

  isReferenceTaken(): boolean {
    const { reference } = this.command.request
    return reference !== null && this.facts.references.has(reference)
  }

  isAmountTaken(): boolean {
    const { owner, walletIds, currency, amount } = this.command.request
    return walletIds.some((id) => this.facts.amounts.has(amountName(id, owner, currency, amount)))
  }

  isWalletTaken(): boolean {
    if (this.areWalletsShared) return false
    const { owner, walletIds, currency } = this.command.request
    return walletIds.some((id) => this.facts.wallets.has(walletName(id, owner, currency)))
  }

  areSetsExhausted(): boolean {
    const { owner, walletIds } = this.command.request
    const set = setIdOf(walletIds).toString('hex')
    return walletIds.some((id) => {
      const sets = this.facts.sets.get(placeName(id, owner))
      return sets !== undefined && !sets.has(set) && sets.size >= WALLET_SETS_MAX
    })
  }
}

/** Adds what a creation of the batch changes for those behind it. */
export function addCreated(
  { amounts, wallets, sets, references, repeated }: BatchFacts,
  { request, terms }: InvoiceCommand,
): void {
  const { owner, walletIds, currency, amount, reference } = request
  for (const id of walletIds) {
    amounts.add(amountName(id, owner, currency, amount))
    wallets.add(walletName(id, owner, currency))
    sets.get(placeName(id, owner))?.add(setIdOf(walletIds).toString('hex'))
  }
  if (reference !== null) (references as Set<string>).add(reference)
  if (terms?.signed !== undefined) (repeated as Set<string>).add(hex(terms.signed.digest))
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

// No wallet id has a comma.
function placeName(walletId: string, owner: string): string {
  return `${walletId},${owner}`
}

function walletName(walletId: string, owner: string, currency: string): string {
  return `${walletId},${currency},${owner}`
}

function amountName(walletId: string, owner: string, currency: string, atoms: bigint): string {
  return `${walletId},${currency},${atoms},${owner}`
}

async function takenReferences(work: Work, requests: readonly InvoiceRequest[]): Promise<Set<string>> {
  const references = requests.flatMap(({ reference }) => reference ?? [])
  if (references.length === 0) return new Set()
  const rows = await work.rows<{ reference: string }>(
    sql`SELECT reference FROM invoices WHERE reference = ANY(${references}::text[]) AND reference IS NOT NULL`,
  )
  return new Set(rows.map(({ reference }) => reference))
}

interface RivalColumns extends Received {
  readonly wallet_id: string
  readonly owner: string
  readonly currency: string
  readonly atoms: bigint
  readonly expires_at: number | null
  readonly voided_at: number | null
  readonly has_outlived_expiry: boolean
}

/** Open invoices of the same amount on the same wallets, or of the same currency where invoices do not share wallets. */
function readRivals(
  work: Work,
  requests: readonly InvoiceRequest[],
  areWalletsShared: boolean,
): Promise<readonly RivalColumns[]> {
  const places = requests.flatMap(({ walletIds, owner, currency, amount }) =>
    walletIds.map((walletId) => ({ walletId, owner, currency, amount })),
  )
  const isRival = areWalletsShared ? sql`AND p.atoms = asked.atoms` : sql``
  return work.rows<RivalColumns>(sql`
    SELECT p.wallet_id, p.owner, p.currency, p.atoms, i.expires_at, i.voided_at, i.has_outlived_expiry, received.confirmed,
      received.pending
    FROM unnest(
      ${places.map(({ walletId }) => walletId)}::text[], ${places.map(({ owner }) => owner)}::text[],
      ${places.map(({ currency }) => currency)}::text[], ${places.map(({ amount }) => amount)}::numeric[]
    ) AS asked (wallet_id, owner, currency, atoms)
    JOIN open_places AS p ON p.wallet_id = asked.wallet_id AND p.owner = asked.owner AND p.currency = asked.currency ${isRival}
    JOIN invoices AS i ON i.id = p.invoice_id ${RECEIVED}`)
}

/** Whether an open invoice is unpaid and not void, by the clock. */
function isOpenNow(rival: RivalColumns, nowMs: number): boolean {
  const { atoms, confirmed, pending } = rival
  const ending: Ending = {
    expiresAt: rival.expires_at,
    voidedAt: rival.voided_at,
    hasOutlivedExpiry: rival.has_outlived_expiry,
  }
  return !isPaid(atoms, confirmed) && voidedAtBy(ending, isCovered(atoms, { confirmed, pending }), nowMs) === null
}

interface CrowdedColumns {
  readonly wallet_id: string
  readonly owner: string
}

/**
 * Places at which a batch may bring one set of wallets too many. The sets are found one from the other, so what is read does not
 * grow with the invoices.
 */
function crowdedPlaces(work: Work, requests: readonly InvoiceRequest[]): Promise<readonly CrowdedColumns[]> {
  const places = new Map<string, { readonly id: string; readonly owner: string; readonly sets: Set<string> }>()
  for (const { owner, walletIds } of requests) {
    const set = setIdOf(walletIds).toString('hex')
    for (const id of walletIds) {
      const place = places.get(placeName(id, owner)) ?? { id, owner, sets: new Set() }
      places.set(placeName(id, owner), place)
      place.sets.add(set)
    }
  }
  const all = [...places.values()]
  return work.rows<CrowdedColumns>(sql`
    SELECT place.wallet_id, place.owner
    FROM unnest(
      ${all.map(({ id }) => id)}::text[], ${all.map(({ owner }) => owner)}::text[], ${all.map(({ sets }) => sets.size)}::bigint[]
    ) AS place (wallet_id, owner, wanted)
    CROSS JOIN LATERAL (
      WITH RECURSIVE sets AS (
        (SELECT p.set_id, 1 AS number FROM open_places AS p WHERE p.wallet_id = place.wallet_id AND p.owner = place.owner
          ORDER BY p.set_id LIMIT 1)
        UNION ALL
        SELECT next.set_id, sets.number + 1 FROM sets CROSS JOIN LATERAL (
          SELECT p.set_id FROM open_places AS p
          WHERE p.wallet_id = place.wallet_id AND p.owner = place.owner AND p.set_id > sets.set_id ORDER BY p.set_id LIMIT 1
        ) AS next WHERE sets.number < ${WALLET_SETS_MAX}::bigint
      )
      SELECT count(*) AS sets FROM sets
    ) AS counted
    WHERE counted.sets + place.wanted > ${WALLET_SETS_MAX}::bigint`)
}

/** Of each place, the sets that have an unpaid invoice there. */
async function unpaidSets(work: Work, places: readonly CrowdedColumns[]): Promise<Map<string, Set<string>>> {
  const sets = new Map<string, Set<string>>()
  for (const { wallet_id, owner } of places) {
    const rows = await work.rows<RivalColumns & { readonly set_id: Buffer }>(sql`
      SELECT p.set_id, p.atoms, i.expires_at, i.voided_at, i.has_outlived_expiry, received.confirmed, received.pending
      FROM open_places AS p JOIN invoices AS i ON i.id = p.invoice_id ${RECEIVED}
      WHERE p.wallet_id = ${wallet_id} AND p.owner = ${owner}`)
    const unpaid = rows.filter((row) => isOpenNow(row, work.nowMs))
    sets.set(placeName(wallet_id, owner), new Set(unpaid.map(({ set_id }) => set_id.toString('hex'))))
  }
  return sets
}

async function paidAhead(work: Work, walletIds: readonly string[]): Promise<Set<string>> {
  const rows = await work.rows<{ id: string }>(sql`
    SELECT w.id FROM wallets AS w WHERE w.id = ANY(${walletIds}::text[]) AND EXISTS (
      SELECT 1 FROM deposits AS d WHERE d.address_id = w.address_id AND d.counted_as IS NOT NULL AND d.kind = 'confirmed'
        AND d.received_at > ${work.now})`)
  return new Set(rows.map(({ id }) => id))
}
