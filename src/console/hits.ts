import type { Deposit } from '../domain/deposit.js'
import type { Networks } from '../domain/network.js'
import type { Wallet } from '../domain/wallet.js'
import { coinName } from '../listing/coins.js'
import { type Columns, timeOrNull, timeText } from '../listing/column.js'
import { amountText, currencyText } from '../listing/deposits.js'
import { type InvoiceRecord, invoiceState } from '../listing/invoices.js'
import type { OrderRecord } from '../listing/orders.js'
import { links } from './links.js'

/** Records of each kind of match that are shown. */
export const SHOWN_EACH = 20

/** Something that was found, and by what. */
export interface Hit {
  readonly what: 'Order' | 'Invoice' | 'Deposit' | 'Wallet'
  /** What of it matched, such as `order number`. */
  readonly matched: readonly string[]
  /** What matched, as the record has it. */
  readonly name: string
  readonly state: string
  readonly amount: string | null
  readonly time: string | null
  readonly owner: string | null
  /** The invoice that a deposit is matched to, by what people call it. */
  readonly invoice: { readonly name: string; readonly href: string } | null
  readonly href: string
}

export const HIT_COLUMNS = {
  what: { title: 'Record', kind: 'word', of: ({ what }) => what },
  matched: { title: 'Matched', of: ({ matched }) => matched.join(', ') },
  name: { title: 'Match', of: ({ name }) => name },
  state: { title: 'State', kind: 'word', of: ({ state }) => state },
  amount: { title: 'Amount', kind: 'figure', of: ({ amount }) => amount },
  time: { title: 'Time', kind: 'time', of: ({ time }) => time },
  invoice: { title: 'Belongs to', of: ({ invoice }) => invoice?.name ?? null },
  owner: { title: 'Owner', kind: 'id', of: ({ owner }) => owner },
} satisfies Columns<Hit>

/** What was found, each record once. */
export class Hits {
  private readonly byHref = new Map<string, Hit>()
  isCut = false

  add(matched: string, all: readonly Omit<Hit, 'matched'>[]): void {
    if (all.length >= SHOWN_EACH) this.isCut = true
    for (const hit of all) {
      const known = this.byHref.get(hit.href)
      const names = known?.matched ?? []
      if (names.includes(matched)) continue
      this.byHref.set(hit.href, { ...(known ?? hit), matched: [...names, matched] })
    }
  }

  get hits(): readonly Hit[] {
    return [...this.byHref.values()]
  }
}

export function orderHit(one: OrderRecord): Omit<Hit, 'matched'> {
  return {
    what: 'Order',
    name: one.orderNumber ?? one.reference ?? one.id,
    state: one.status,
    amount: `${one.price.amount} ${one.price.currency}`,
    time: timeText(one.created_at),
    owner: one.owner,
    invoice: null,
    href: links.order(one.id),
  }
}

export function invoiceHit(one: InvoiceRecord, name: string | null): Omit<Hit, 'matched'> {
  return {
    what: 'Invoice',
    name: name ?? one.id,
    state: invoiceState(one),
    amount: `${one.amount} ${one.currency}`,
    time: timeText(one.created_at),
    owner: one.owner,
    invoice: null,
    href: links.invoice(one.id),
  }
}

/** What people call the order of an invoice. */
export function nameOf({ orderNumber, reference, id }: InvoiceRecord): string {
  return orderNumber ?? reference ?? id
}

export function depositHit(one: Deposit, invoice: InvoiceRecord | null, networks: Networks): Omit<Hit, 'matched'> {
  return {
    what: 'Deposit',
    name: one.txHash,
    state: one.kind,
    amount: `${amountText(one, networks.decimals)} ${coinName(networks, one.network, currencyText(one.currency))} on ${one.network}`,
    time: timeText(one.receivedAt),
    owner: invoice?.owner ?? null,
    invoice: invoice === null ? null : { name: nameOf(invoice), href: links.invoice(invoice.id) },
    href: links.transaction(one.network, one.txHash),
  }
}

export function walletHit(one: Wallet): Omit<Hit, 'matched'> {
  return {
    what: 'Wallet',
    name: one.address ?? one.id,
    state: one.owner === null ? 'pool' : 'assigned',
    amount: null,
    time: timeOrNull(one.assignedAt),
    owner: one.owner,
    invoice: null,
    href: links.wallet(one.id),
  }
}
