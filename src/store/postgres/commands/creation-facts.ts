import type { ApiKey } from '../../../domain/api-key.js'
import type { InvoiceRequest } from '../../../domain/invoice.js'
import type { Network } from '../../../domain/network.js'
import type { InvoiceCommand, OrderCommand } from '../../commands.js'
import { sql } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { selectDue } from '../invoices/settle.js'
import { keysOf } from '../keys/key-port.js'
import { confirmedAfter, SHORTEST_SHIFT } from '../payments/sums.js'
import { accountName, amountName, walletName } from './names.js'
import { raisedAmountsAsked, wantedBy } from './raised-rivals.js'
import { type KnownRequest, knownRequests, repeatedCreations } from './requests.js'
import { crowdedPlaces, isOpenNow, readRivals } from './rivals.js'
import { unpaidSets } from './unpaid-sets.js'

/** What decides about the creations of a batch, read behind the locks of their wallets. Those that create add to it. */
export interface BatchFacts {
  readonly keys: ReadonlyMap<string, ApiKey>
  /** Scope in hex → the request that created an invoice under the same key. */
  readonly earlier: Map<string, KnownRequest>
  /** The wallets that are known, by id. */
  readonly wallets: ReadonlyMap<string, KnownWallet>
  /** Digests in hex of signed requests that have created. */
  readonly repeated: Set<string>
  readonly references: Set<string>
  /** `amountName` of each amount that an unpaid invoice asks. */
  readonly amounts: Set<string>
  /** `walletName` of each wallet with an unpaid invoice. Empty when invoices may share wallets. */
  readonly taken: Set<string>
  /** `placeName` → hex ids of the sets of wallets that have an unpaid invoice there; only where they may be too many. */
  readonly sets: Map<string, Set<string>>
  /** `accountName` → what confirmed deposits come to that are dated after now. */
  readonly receivedAhead: ReadonlyMap<string, bigint>
  /** Whether there are expiries to decide. */
  readonly isExpiryDue: boolean
}

interface KnownWallet {
  readonly owner: string | null
  readonly network: Network | null
  readonly hasAddress: boolean
}

/** Reads the facts of a batch: two round trips, the second one only in rare cases. */
export async function readFacts(
  work: Work,
  batch: readonly (InvoiceCommand | OrderCommand)[],
  areWalletsShared: boolean,
): Promise<BatchFacts> {
  const wanted = batch.map(wantedBy)
  const requests = wanted.flatMap((some) => some.map(([request]) => request))
  const walletIds = [...new Set(requests.flatMap((request) => request.walletIds))].sort()
  const keyIds = batch.flatMap(({ terms }) => (terms?.authority === undefined ? [] : [terms.authority.keyId]))
  const scopes = batch.flatMap(({ terms }) => terms?.idempotency?.scope ?? [])
  const digests = batch.flatMap(({ terms }) => terms?.signed?.digest ?? [])
  // All of them are on their way at once, in this order: the locks, then the time, then what decides.
  const [wallets, nowMs, keys, earlier, repeated, references, rivals, crowded, ahead, due] = await Promise.all([
    work.rows<{ id: string; owner: string | null; network: Network | null; address_id: number | null }>(
      sql`SELECT w.id, w.owner, w.network, w.address_id FROM wallets AS w WHERE w.id = ANY(${walletIds}::text[]) ORDER BY w.id FOR UPDATE`,
    ),
    work.readClock(),
    keysOf(work, [...new Set(keyIds)].sort()),
    knownRequests(work, scopes),
    repeatedCreations(work, digests),
    takenReferences(work, requests),
    readRivals(work, requests, areWalletsShared),
    crowdedPlaces(work, requests),
    paidAhead(work, walletIds, requests),
    work.rows(selectDue(work.now, 1)),
  ])
  const unpaid = rivals.filter((rival) => isOpenNow(rival, nowMs))
  const amounts = new Set(
    unpaid.map(({ wallet_id, owner, currency, atoms }) => amountName(wallet_id, owner, currency, atoms)),
  )
  for (const name of await raisedAmountsAsked(work, wanted, amounts)) amounts.add(name)
  work.wallets.note(wallets.map(({ id }) => id))
  const known = wallets.filter(({ address_id }) => address_id !== null)
  return {
    keys,
    earlier,
    wallets: new Map(
      wallets.map(({ id, owner, network, address_id }) => [id, { owner, network, hasAddress: address_id !== null }]),
    ),
    repeated,
    references,
    amounts,
    taken: new Set(unpaid.map(({ wallet_id, owner, currency }) => walletName(wallet_id, owner, currency))),
    sets: await unpaidSets(work, crowded),
    receivedAhead: await receivedAhead(
      work,
      known.filter(({ id }) => ahead.has(id)),
      requests,
    ),
    isExpiryDue: due.length > 0,
  }
}

async function takenReferences(work: Work, requests: readonly InvoiceRequest[]): Promise<Set<string>> {
  const references = requests.flatMap(({ reference }) => reference ?? [])
  if (references.length === 0) return new Set()
  const rows = await work.rows<{ reference: string }>(
    sql`SELECT reference FROM invoices WHERE reference = ANY(${references}::text[]) AND reference IS NOT NULL`,
  )
  return new Set(rows.map(({ reference }) => reference))
}

/** What the wallets have received that is dated after now, by `accountName`. */
async function receivedAhead(
  work: Work,
  wallets: readonly { readonly id: string; readonly address_id: number | null }[],
  requests: readonly InvoiceRequest[],
): Promise<ReadonlyMap<string, bigint>> {
  const currencies = [...new Set(requests.map(({ currency }) => currency))]
  const accounts = wallets.flatMap(({ id, address_id }) =>
    address_id === null ? [] : currencies.map((currency) => ({ id, account: { addressId: address_id, currency } })),
  )
  const received = await Promise.all(accounts.map(({ account }) => confirmedAfter(work, account, work.nowMs)))
  return new Map(accounts.map(({ id, account }, i) => [accountName(id, account.currency), received[i] ?? 0n]))
}

/** The wallets that have received something in a currency of the requests that is dated after now. Deposits have no index for it. */
async function paidAhead(
  work: Work,
  walletIds: readonly string[],
  requests: readonly InvoiceRequest[],
): Promise<Set<string>> {
  const currencies = [...new Set(requests.map(({ currency }) => currency))]
  const rows = await work.rows<{ id: string }>(sql`
    SELECT w.id FROM wallets AS w WHERE w.id = ANY(${walletIds}::text[]) AND EXISTS (
      SELECT 1 FROM unnest(${currencies}::text[]) AS asked (currency) JOIN received_spans AS s ON s.address_id = w.address_id
        AND s.currency = asked.currency AND s.shift = ${SHORTEST_SHIFT}::smallint AND s.start > ${work.now} AND s.confirmed > 0)`)
  return new Set(rows.map(({ id }) => id))
}
