import { formatAmount, parseInvoiceAmount } from '../domain/amount.js'
import { type Deposit, depositValue } from '../domain/deposit.js'
import type { Decimals } from '../domain/network.js'
import { beginningOfNote, type Note } from '../domain/note.js'
import { type Delivery, deliveryState } from '../domain/webhook.js'
import { type Columns, timeText } from '../listing/column.js'
import { toldBy } from '../listing/deliveries.js'
import { currencyText } from '../listing/deposits.js'
import type { InvoiceRecord } from '../listing/invoices.js'
import { links } from './links.js'

/** Where the notes are on the page of an invoice. */
export const NOTES_ANCHOR = 'notes'

/** Something that happened with an invoice. */
export interface Moment {
  /** Unix ms. */
  readonly at: number
  readonly what: string
  /** Where more is told; null for nowhere. */
  readonly href: string | null
}

export const momentColumns = {
  at: { title: 'Time', kind: 'time', of: ({ at }) => timeText(at) },
  what: { title: 'What happened', of: ({ what }) => what },
} satisfies Columns<Moment>

export interface TimelineParts {
  readonly invoice: InvoiceRecord
  /** Those that count for it. */
  readonly deposits: readonly Deposit[]
  /** Whether these are all. */
  readonly areAllDeposits: boolean
  readonly deliveries: readonly Delivery[]
  readonly notes: readonly Note[]
  readonly decimals: Decimals
}

/**
 * What happened with an invoice, oldest first. It is made of the records, not of events, which are removed after a while and are in
 * the order of an owner.
 */
export function timeline(parts: TimelineParts): readonly Moment[] {
  const { invoice, deposits, deliveries, notes, decimals } = parts
  const paidAt = paidAtOf(parts)
  const moments = [
    { at: invoice.created_at, what: 'Created', href: null },
    ...deposits.flatMap((deposit) => momentsOf(deposit, decimals)),
    ...(paidAt === null ? [] : [{ at: paidAt, what: 'Paid', href: null }]),
    ...deliveries.map(deliveryMoment),
    ...acceptance(parts),
    ...(invoice.voided_at === null ? [] : [{ at: invoice.voided_at, what: endOf(invoice), href: null }]),
    ...notes.map(noteMoment),
  ]
  // A stable sort: what happened at one time stays in the order above.
  return moments.sort((one, other) => one.at - other.at)
}

function endOf({ voided_at: voidedAt, expires_at: expiresAt }: InvoiceRecord): string {
  return voidedAt === expiresAt ? 'Expired' : 'Voided'
}

/** That a deposit came, and that it was confirmed. */
export function momentsOf(deposit: Deposit, decimals: Decimals): readonly Moment[] {
  const { network, txHash, receivedAt, confirmedAt } = deposit
  const value = depositValue(deposit, decimals)
  const sum = `${value === null ? deposit.amount : formatAmount(value.atoms)} ${currencyText(deposit.currency)}`
  const href = links.transaction(network, txHash)
  const seen = { at: receivedAt, what: `${sum} received on ${network}`, href }
  if (confirmedAt === null) return [seen]
  // A block may be dated ahead of the clock that noted its confirmation.
  return [seen, { at: Math.max(receivedAt, confirmedAt), what: `${sum} confirmed`, href }]
}

/**
 * That it was accepted, by the service itself or by a person, and with what. The service accepts in the very moment in which it
 * confirms a deposit.
 */
function acceptance({ invoice, deposits, areAllDeposits, decimals }: TimelineParts): readonly Moment[] {
  const { accepted_at: at, amount, currency } = invoice
  if (at === null) return []
  const by = deposits.some(({ confirmedAt }) => confirmedAt === at) ? ' by the service' : ''
  const sum = confirmedOf(deposits, decimals)
    .filter((one) => one.at <= at)
    .reduce((atoms, one) => atoms + one.atoms, 0n)
  const share = areAllDeposits ? ` with ${formatAmount(sum)} of ${amount} ${currency}` : ''
  return [{ at, what: `Accepted${by}${share}`, href: null }]
}

interface Confirmed {
  readonly at: number
  readonly atoms: bigint
}

function confirmedOf(deposits: readonly Deposit[], decimals: Decimals): readonly Confirmed[] {
  return deposits.flatMap(({ confirmedAt, ...deposit }) => {
    const value = depositValue(deposit, decimals)
    return confirmedAt === null || value === null ? [] : [{ at: confirmedAt, atoms: value.atoms }]
  })
}

function deliveryMoment(delivery: Delivery): Moment {
  const { id, createdAt, attemptedAt, attempts } = delivery
  const times = attempts > 1 ? ` after ${attempts} attempts` : ''
  return {
    at: attemptedAt ?? createdAt,
    what: `Webhook “${toldBy(delivery)}” ${deliveryState(delivery)}${times}`,
    href: links.delivery(id),
  }
}

function noteMoment(note: Note): Moment {
  return { at: note.at, what: `Note of ${note.who}: ${beginningOfNote(note)}`, href: `#${NOTES_ANCHOR}` }
}

/** When the deposit was confirmed that completed the amount; null if it is not paid, or not all deposits are known. */
function paidAtOf({ invoice, deposits, areAllDeposits, decimals }: TimelineParts): number | null {
  const amount = parseInvoiceAmount(invoice.amount)
  if (invoice.payment.status !== 'paid' || !areAllDeposits || amount === null) return null
  let sum = 0n
  for (const { at, atoms } of confirmedOf(deposits, decimals).toSorted((one, other) => one.at - other.at)) {
    sum += atoms
    if (sum >= amount) return at
  }
  return null
}
