import type { Deposit } from '../domain/deposit.js'
import type { QualifyingDeposit } from '../domain/payment.js'
import { type Columns, timeText } from './column.js'

/** Amounts as observed: whole units of a token, decimal coins otherwise. */
export const depositColumns = {
  received: { title: 'Received', kind: 'time', of: ({ receivedAt }) => timeText(receivedAt) },
  network: { title: 'Network', of: ({ network }) => network },
  kind: { title: 'State', of: ({ kind }) => kind },
  amount: { title: 'Amount', kind: 'figure', of: ({ amount }) => amount },
  currency: { title: 'Currency', of: ({ currency }) => currency },
  transaction: { title: 'Transaction', kind: 'id', of: ({ txHash }) => txHash },
  index: { title: 'Index', kind: 'figure', of: ({ index }) => String(index) },
  address: { title: 'Address', kind: 'id', of: ({ toAddress }) => toAddress },
} satisfies Columns<Deposit>

/** Deposits that count for an invoice, in its currency. */
export const qualifyingColumns = {
  received: { title: 'Received', kind: 'time', of: ({ receivedAt }) => timeText(receivedAt) },
  network: { title: 'Network', of: ({ network }) => network },
  state: { title: 'State', of: ({ isConfirmed }) => (isConfirmed ? 'confirmed' : 'pending') },
  confirmations: {
    title: 'Confirmations',
    kind: 'figure',
    of: ({ confirmations }) => confirmations?.toString() ?? null,
  },
  amount: { title: 'Amount', kind: 'figure', of: ({ amount }) => amount },
  transaction: { title: 'Transaction', kind: 'id', of: ({ txHash }) => txHash },
} satisfies Columns<QualifyingDeposit>
