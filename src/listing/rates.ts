import type { RateReceipt, ratesAt } from '../domain/rates.js'
import { type Columns, timeOrNull, timeText } from './column.js'

/** A pair of currency and coin, with what is in force. */
type KnownPair = ReturnType<typeof ratesAt>[number]

/** Why a coin has no rate, for people. */
const WITHOUT = {
  unknown: 'none',
  old: 'too old',
  held: 'held back: it jumped',
  left_out: 'left out by the present set',
} as const

export const rateColumns = {
  currency: { title: 'Currency', kind: 'word', of: ({ currency }) => currency },
  coin: { title: 'Coin', kind: 'word', of: ({ coin }) => coin },
  inForce: { title: 'In force', kind: 'figure', of: ({ now }) => (now.ok ? now.rate : null) },
  why: { title: 'Why not', of: ({ now }) => (now.ok ? null : WITHOUT[now.why]) },
  accepted: { title: 'Last accepted', kind: 'figure', of: ({ rate }) => rate },
  at: { title: 'Of', kind: 'time', of: ({ at }) => timeText(at) },
  held: { title: 'Held back', kind: 'figure', of: ({ held }) => held?.last ?? null },
  since: { title: 'First said', kind: 'time', of: ({ held }) => timeOrNull(held?.since ?? null) },
} satisfies Columns<KnownPair>

export const receiptColumns = {
  received: { title: 'Received', kind: 'time', of: ({ receivedAt }) => timeText(receivedAt) },
  times: { title: 'Times', kind: 'figure', of: ({ count }) => String(count) },
  origin: { title: 'From', kind: 'word', of: ({ origin }) => origin },
  at: { title: 'Dated', kind: 'time', of: ({ at }) => timeOrNull(at) },
  outcome: { title: 'Outcome', kind: 'word', of: ({ refusal }) => (refusal === null ? 'accepted' : 'refused') },
  held: { title: 'Held back', kind: 'figure', of: ({ held }) => String(held) },
  leftOut: { title: 'Left out', kind: 'figure', of: ({ leftOut }) => String(leftOut) },
  why: { title: 'Why', of: ({ refusal }) => refusal?.detail ?? null },
} satisfies Columns<RateReceipt>
