import { currencyOfLabel, formatAmount } from '../domain/amount.js'
import { type Deposit, depositValue, type Sighting } from '../domain/deposit.js'
import type { Decimals } from '../domain/network.js'
import type { QualifyingDeposit } from '../domain/payment.js'
import { type Columns, timeText } from './column.js'

/** Amounts and currencies as invoices have them. A currency that invoices do not have is shown as it was reported. */
export function depositColumns(decimals: Decimals) {
  return {
    received: { title: 'Received', kind: 'time', of: ({ receivedAt }) => timeText(receivedAt) },
    network: { title: 'Network', kind: 'word', of: ({ network }) => network },
    kind: { title: 'State', kind: 'word', of: ({ kind }) => kind },
    amount: { title: 'Amount', kind: 'figure', of: (deposit) => amountText(deposit, decimals) },
    currency: { title: 'Currency', of: ({ currency }) => currencyText(currency) },
    transaction: { title: 'Transaction', kind: 'id', of: ({ txHash }) => txHash },
    index: { title: 'Index', kind: 'figure', of: ({ index }) => String(index) },
    address: { title: 'Address', kind: 'id', of: ({ toAddress }) => toAddress },
  } satisfies Columns<Deposit>
}

export function amountText(deposit: Pick<Sighting, 'network' | 'currency' | 'amount'>, decimals: Decimals): string {
  const value = depositValue(deposit, decimals)
  return value === null ? deposit.amount : formatAmount(value.atoms)
}

export function currencyText(label: string | null): string {
  return currencyOfLabel(label) ?? label ?? ''
}

/** Deposits of an invoice, in its currency. */
export const qualifyingColumns = {
  received: { title: 'Received', kind: 'time', of: ({ receivedAt }) => timeText(receivedAt) },
  network: { title: 'Network', kind: 'word', of: ({ network }) => network },
  state: { title: 'State', kind: 'word', of: ({ isConfirmed }) => (isConfirmed ? 'confirmed' : 'pending') },
  confirmations: {
    title: 'Confirmations',
    kind: 'figure',
    of: ({ confirmations }) => confirmations?.toString() ?? null,
  },
  amount: { title: 'Amount', kind: 'figure', of: ({ amount }) => amount },
  transaction: { title: 'Transaction', kind: 'id', of: ({ txHash }) => txHash },
} satisfies Columns<QualifyingDeposit>
