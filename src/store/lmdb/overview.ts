import type { ApiKey } from '../../domain/api-key.js'
import type { Deposit } from '../../domain/deposit.js'
import { walletsOf } from '../../domain/invoice.js'
import { keysText } from '../../domain/key-history.js'
import type { Wallet } from '../../domain/wallet.js'
import type { Delivery } from '../../domain/webhook.js'
import type { KnownOwner, OverviewPort, RecordCounts } from '../overview.js'
import type { InvoiceWithPayment, Page, PageOf } from '../reading.js'
import type { CommitLoop } from './commit/commit-loop.js'
import { depositOfNo } from './deposits/deposit-rows.js'
import { identityCodec, ownerNoOf } from './identities/identities.js'
import { findKeys } from './identities/identity-keys.js'
import { itemsOf } from './identities/owner-lists.js'
import { invoiceRow } from './invoices/invoice-rows.js'
import { apiKeyCodec } from './keys/api-key-row.js'
import { getDelivery } from './outbox/delivery-rows.js'
import { answerFor } from './payments/payments.js'
import {
  type DeliveryId,
  type DepositNo,
  endOf,
  ID_BYTES,
  type InvoiceId,
  idAt,
  idOfKey,
  NUMBER_BYTES,
  numberKey,
  parseId,
  under,
  WIDE_BYTES,
} from './tables/keys.js'
import { NOTHING, type ReadTable, rowCount } from './tables/tables.js'
import { walletCodec } from './wallets/wallet-row.js'
import { toWallet } from './wallets/wallets.js'

/** Records of all owners, in the order of their keys. A cursor is the last key read, in hex. */
export class LmdbOverview implements OverviewPort {
  constructor(private readonly commits: CommitLoop) {}

  counts(): RecordCounts {
    const { identities, wallets, apiKeys, invoices, deposits, deliveries } = this.commits.snapshot.tables
    return {
      identities: rowCount(identities),
      wallets: rowCount(wallets),
      keys: rowCount(apiKeys),
      invoices: rowCount(invoices),
      deposits: rowCount(deposits),
      deliveries: rowCount(deliveries),
    }
  }

  owners(page: Page): PageOf<KnownOwner> {
    const { snapshot } = this.commits
    return pageOf(snapshot.tables.identities, page, (key, value) => {
      const { isKnown } = identityCodec.decode(value)
      const owner = key.toString()
      return { owner, isKnown, keys: keysText(findKeys(snapshot, owner)?.pushed ?? null) }
    })
  }

  wallets(page: Page): PageOf<Wallet> {
    return pageOf(this.commits.snapshot.tables.wallets, page, (_, value) => toWallet(walletCodec.decode(value)))
  }

  keys(page: Page): PageOf<ApiKey> {
    return pageOf(this.commits.snapshot.tables.apiKeys, page, (_, value) => apiKeyCodec.decode(value))
  }

  invoices(page: Page): PageOf<InvoiceWithPayment> {
    const { snapshot } = this.commits
    return newestFirst(snapshot.tables.invoices, page, (key) => {
      const answer = answerFor(snapshot, invoiceRow(snapshot, idOfKey<InvoiceId>(key)))
      page.slice?.touch(walletsOf(answer.invoice).length)
      return answer
    })
  }

  deliveries(page: Page): PageOf<Delivery> {
    const { snapshot } = this.commits
    return newestFirst(snapshot.tables.deliveries, page, (key) => getDelivery(snapshot, idOfKey<DeliveryId>(key)))
  }

  deposits(page: Page): PageOf<Deposit> {
    const { after, limit } = page
    const { snapshot } = this.commits
    const before = after === null ? null : Buffer.from(after, 'hex')
    if (before !== null && before.length !== WIDE_BYTES) return { items: [], next: null }
    const start = before === null ? {} : { start: before }
    const found = [...snapshot.tables.depositNumbers.getKeys({ reverse: true, ...start, limit: limit + 2 })]
    const keys = before === null ? found : found.filter((key) => !key.equals(before))
    return itemsOfKeys(keys, page, (key) => depositOfNo(snapshot, numberOf(key)).deposit)
  }

  deliveriesSince(owner: string, timeMs: number, { after, limit }: Page): PageOf<Delivery> {
    const { snapshot } = this.commits
    const ownerNo = ownerNoOf(snapshot, owner)
    const first = after === null ? idAt(timeMs) : parseId<DeliveryId>(after)
    if (ownerNo === undefined || first === undefined) return { items: [], next: null }
    const start = Buffer.concat([under(ownerNo, first), after === null ? NOTHING : Buffer.of(0)])
    const end = endOf(numberKey(ownerNo), NUMBER_BYTES + ID_BYTES + 1)
    const keys = [...snapshot.tables.ownerDeliveries.getKeys({ start, end, limit: limit + 1 })]
    const items = keys.slice(0, limit).map((key) => getDelivery(snapshot, idOfKey<DeliveryId>(key)))
    return { items, next: keys.length > limit ? (items.at(-1)?.id ?? null) : null }
  }
}

/** A page of a table. A cursor of another form reads from the beginning. */
function pageOf<T>(
  table: ReadTable,
  { after, limit, slice }: Page,
  toItem: (key: Buffer, value: Buffer) => T,
): PageOf<T> {
  const start = after === null ? {} : { start: Buffer.concat([Buffer.from(after, 'hex'), Buffer.of(0)]) }
  const items: T[] = []
  let last: Buffer | null = null
  for (const { key, value } of table.getRange({ ...start, limit })) {
    items.push(toItem(key, value))
    last = key
    slice?.touch(1)
    if (slice?.isOver === true) return { items, next: key.toString('hex') }
  }
  return { items, next: items.length < limit ? null : (last?.toString('hex') ?? null) }
}

/** A page of a table whose keys are ids, which begin with the time. A cursor of another form reads nothing. */
export function newestFirst<T>(table: ReadTable, page: Page, toItem: (key: Buffer) => T): PageOf<T> {
  const { after, limit } = page
  const start = after === null ? null : parseId<InvoiceId | DeliveryId>(after)
  if (start === undefined) return { items: [], next: null }
  const range = start === null ? {} : { start }
  const found = [...table.getKeys({ reverse: true, ...range, limit: limit + 2 })]
  const keys = start === null ? found : found.filter((key) => !key.equals(start))
  return itemsOfKeys(keys, page, toItem)
}

/** The items of keys of which one more than the page may hold was asked for. */
function itemsOfKeys<T>(keys: readonly Buffer[], page: Page, toItem: (key: Buffer) => T): PageOf<T> {
  const isLast = keys.length <= page.limit
  return itemsOf(keys.slice(0, page.limit), isLast, page, toItem, (key) => key.toString('hex'))
}

function numberOf(key: Buffer): DepositNo {
  return key.readUIntBE(0, WIDE_BYTES) as DepositNo
}
