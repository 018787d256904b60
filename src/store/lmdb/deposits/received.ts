import { optionOf } from '../../../domain/order-value.js'
import type { Span } from '../../../domain/zone.js'
import type { Page, PageOf } from '../../reading.js'
import type { ReceivedDeposit, ReceivedFor, ReceivedOn } from '../../received.js'
import type { Reader, Snapshot } from '../commit/commit.js'
import { itemsOf } from '../identities/owner-lists.js'
import { invoiceRow } from '../invoices/invoice-rows.js'
import { orderOf } from '../invoices/order-rows.js'
import { orderRow } from '../orders/order-rows.js'
import { type DepositNo, type InvoiceId, timeKey, WIDE_BYTES } from '../tables/keys.js'
import { walletAt } from '../wallets/wallets.js'
import { type DepositRow, depositOfNo } from './deposit-rows.js'

/** Rows that are looked up for one deposit: its number, itself, its invoice, what that says of its order, the order, its wallet. */
const LOOKUPS_EACH = 6

/** Lists deposits in the order of receipt. A cursor is the last key read, in hex. */
export function pageReceived(at: Snapshot, { from, before }: Span, page: Page): PageOf<ReceivedDeposit> {
  const { after, limit, slice } = page
  const start = after === null ? timeKey(from) : Buffer.concat([Buffer.from(after, 'hex'), Buffer.of(0)])
  const range = { start, end: timeKey(before), limit: limit + 1 }
  const keys = [...at.tables.receivedDeposits.getKeys(range)].map((key) => Buffer.from(key))
  const toItem = (key: Buffer) => {
    slice?.touch(LOOKUPS_EACH - 1)
    return received(at, depositOfNo(at, key.readUIntBE(WIDE_BYTES, WIDE_BYTES) as DepositNo))
  }
  return itemsOf(keys.slice(0, limit), keys.length <= limit, page, toItem, (key) => key.toString('hex'))
}

function received(at: Reader, { deposit, countedAs, atoms, invoiceId, isLate }: DepositRow): ReceivedDeposit {
  const invoice = invoiceId === null ? null : receivedFor(at, invoiceId)
  return { deposit, countedAs, atoms, invoice, isLate, wallet: receivedOn(at, deposit) }
}

function receivedFor(at: Reader, invoiceId: InvoiceId): ReceivedFor {
  const { invoice, orderId } = invoiceRow(at, invoiceId)
  const { id, owner, reference } = invoice
  const order = orderId === null ? null : orderRow(at, orderId)
  const option = order === null ? undefined : optionOf(order, invoiceId.toString('hex'))
  const { orderNumber } = orderOf(at, invoiceId)
  return { id, owner, reference, orderNumber, order: order === null || option === undefined ? null : { order, option } }
}

function receivedOn(at: Reader, { network, toAddress }: DepositRow['deposit']): ReceivedOn | null {
  const wallet = walletAt(at, network, toAddress)
  return wallet === undefined ? null : { id: wallet.id, owner: wallet.owner, assignedAt: wallet.assignedAt }
}
