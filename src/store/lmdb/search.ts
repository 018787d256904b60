import type { Deposit } from '../../domain/deposit.js'
import type { Network, Networks } from '../../domain/network.js'
import type { Wallet } from '../../domain/wallet.js'
import type { InvoiceWithPayment, Page, PageOf } from '../reading.js'
import { answeredNow } from '../rules/asking.js'
import { CALLBACK } from '../rules/callbacks.js'
import { findByInvoiceId, type InvoiceIdWork } from '../rules/invoice-ids.js'
import { SEARCHED_ROWS_MAX, type SearchPort } from '../search.js'
import type { CommitLoop } from './commit/commit-loop.js'
import { depositCodec, depositOfNo } from './deposits/deposit-rows.js'
import { ownerNoOf } from './identities/identities.js'
import { behind, classByte, placeOf } from './invoices/invoice-places.js'
import { invoiceRow } from './invoices/invoice-rows.js'
import { lastOpenAt } from './invoices/open-invoices.js'
import { answerFor } from './payments/payments.js'
import { byReceipt } from './payments/qualifying-deposits.js'
import { accountOf, lastCounted } from './payments/running-totals.js'
import {
  beginningOfText,
  behindNetwork,
  type InvoiceId,
  idOfKey,
  isKey,
  NUMBER_BYTES,
  networkKey,
  numberKey,
} from './tables/keys.js'
import { firstKey, type ReadTable } from './tables/tables.js'
import { addressCodec, addressKey, findAddress, findWallet, toWallet } from './wallets/wallets.js'

const INDEX_MAX = 0xffff_ffff
/** Behind every key that goes on from a beginning: no text has this byte. */
const BEHIND = Buffer.of(0xff)

/** Finds records by how their keys begin. */
export class LmdbSearch implements SearchPort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly networks: Networks,
  ) {}

  byOrderNumber(beginning: string, limit: number): readonly InvoiceWithPayment[] {
    const { orderNumbers } = this.commits.snapshot.tables
    return keysBeginning(orderNumbers, Buffer.from(beginningOfText(beginning)), limit).map((key) =>
      this.answer(idOfKey<InvoiceId>(key)),
    )
  }

  byReference(beginning: string, limit: number): readonly InvoiceWithPayment[] {
    return this.named(this.commits.snapshot.tables.references, beginning, limit)
  }

  byInvoiceId(beginning: string, limit: number): readonly InvoiceWithPayment[] {
    const { importedInvoices } = this.commits.snapshot.tables
    const work: InvoiceIdWork = {
      imported: () => this.named(importedInvoices, beginning, limit),
      between: (first, last) => this.between(first, last, beginning, limit),
    }
    return answeredNow(findByInvoiceId(work, beginning, limit))
  }

  byAddress(network: Network, beginning: string, limit: number): readonly Wallet[] {
    const { snapshot } = this.commits
    const { addresses } = snapshot.tables
    if (beginning === '') return []
    const found: Wallet[] = []
    // Anybody may send something to an address that is no wallet's.
    for (const key of keysBeginning(addresses, addressKey(network, beginning), SEARCHED_ROWS_MAX)) {
      const packed = addresses.getBinaryFast(key)
      const walletId = packed === undefined ? null : addressCodec.decode(packed).walletId
      const wallet = walletId === null ? undefined : findWallet(snapshot, walletId)
      if (wallet !== undefined && found.length < limit) found.push(toWallet(wallet))
    }
    return found
  }

  /** The index stands before the hash: the indexes that there are are found one from the other. A cursor is the next one to look at. */
  byTransaction(network: Network, beginnings: readonly string[], { after, limit, slice }: Page): PageOf<Deposit> {
    const { deposits } = this.commits.snapshot.tables
    const wanted = beginnings.filter((beginning) => beginning !== '').map((beginning) => Buffer.from(beginning))
    const ofNetwork = networkKey(network)
    const items: Deposit[] = []
    for (let from: number | null = after === null ? 0 : Number.parseInt(after, 16); from !== null; ) {
      const index = indexFrom(deposits, network, from)
      if (index === null) break
      for (const beginning of wanted) {
        const prefix = Buffer.concat([ofNetwork, numberKey(index), beginning])
        for (const key of keysBeginning(deposits, prefix, limit - items.length)) {
          const packed = deposits.getBinaryFast(key)
          if (packed !== undefined) items.push(depositCodec.decode(packed).deposit)
        }
      }
      from = index < INDEX_MAX ? index + 1 : null
      slice?.touch(1 + wanted.length)
      if (from !== null && (items.length >= limit || slice?.isOver === true)) {
        return { items, next: numberKey(from).toString('hex') }
      }
    }
    return { items, next: null }
  }

  unmatchedTo(network: Network, address: string, limit: number): readonly Deposit[] {
    const { snapshot } = this.commits
    const row = findAddress(snapshot, network, address)
    if (row === undefined) return []
    const last = this.networks.currenciesOn(network).flatMap((currency) => {
      const account = accountOf(row.no, snapshot.currencies.noOf(currency))
      return lastCounted(snapshot.tables.unmatchedSeenTotals, account, 0, limit)
    })
    const newest = last.sort(byReceipt).slice(0, limit)
    return newest.map(({ no }) => depositOfNo(snapshot, no).deposit)
  }

  invoicesOn(walletId: string, owner: string, limit: number): readonly InvoiceWithPayment[] {
    const { snapshot } = this.commits
    const { paidInvoices, voidInvoices } = snapshot.tables
    const wallet = findWallet(snapshot, walletId)
    const ownerNo = ownerNoOf(snapshot, owner)
    if (wallet === undefined || ownerNo === undefined) return []
    const place = placeOf(wallet.no, ownerNo)
    const keys: Buffer[] = [...lastOpenAt(snapshot, place, SEARCHED_ROWS_MAX)]
    for (const currency of this.networks.knownCurrencies) {
      const currencyNo = snapshot.currencies.noOf(currency)
      const ended = Buffer.concat([place, Buffer.of(currencyNo)])
      keys.push(...voidInvoices.getKeys({ reverse: true, start: behind(ended), end: ended, limit }))
      for (const callback of Object.values(CALLBACK)) {
        const prefix = Buffer.concat([place, Buffer.of(classByte(currencyNo, callback))])
        keys.push(...paidInvoices.getKeys({ reverse: true, start: behind(prefix), end: prefix, limit }))
      }
    }
    const ids = keys.map((key) => idOfKey<InvoiceId>(key)).sort((a, b) => Buffer.compare(b, a))
    return ids.slice(0, limit).map((id) => this.answer(id))
  }

  /** The invoices of this service whose ids lie between two, and begin so. */
  private between(first: string, last: string, beginning: string, limit: number): readonly InvoiceWithPayment[] {
    const { invoices } = this.commits.snapshot.tables
    const start = Buffer.from(first, 'hex')
    const end = Buffer.concat([Buffer.from(last, 'hex'), Buffer.of(0)])
    const own: InvoiceWithPayment[] = []
    for (const key of invoices.getKeys({ start, end, limit: SEARCHED_ROWS_MAX })) {
      if (own.length === limit) break
      const found = this.answer(idOfKey<InvoiceId>(key))
      // An imported invoice may lie under another id than its own.
      if (found.invoice.id.startsWith(beginning)) own.push(found)
    }
    return own
  }

  private named(table: ReadTable, beginning: string, limit: number): readonly InvoiceWithPayment[] {
    return keysBeginning(table, Buffer.from(beginning), limit).flatMap((key) => {
      const id = table.get(key)
      return id === undefined ? [] : [this.answer(Buffer.from(id) as InvoiceId)]
    })
  }

  private answer(id: InvoiceId): InvoiceWithPayment {
    const { snapshot } = this.commits
    return answerFor(snapshot, invoiceRow(snapshot, id))
  }
}

/** The first keys that begin so, copied from the binding's buffer. */
function keysBeginning(table: ReadTable, beginning: Buffer, limit: number): readonly Buffer[] {
  if (limit <= 0 || !isKey(beginning)) return []
  return [...table.getKeys({ start: beginning, end: Buffer.concat([beginning, BEHIND]), limit })].map((key) =>
    Buffer.from(key),
  )
}

/** The least index, from one on, that a deposit of the network has; null when none has. */
function indexFrom(deposits: ReadTable, network: Network, from: number): number | null {
  const ofNetwork = networkKey(network)
  const key = firstKey(deposits, Buffer.concat([ofNetwork, numberKey(from)]), behindNetwork(network))
  return key === undefined || key.length < ofNetwork.length + NUMBER_BYTES ? null : key.readUInt32BE(ofNetwork.length)
}
