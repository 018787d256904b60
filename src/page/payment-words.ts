import type { PaymentState } from './payment-state.js'

export interface StatusWords {
  /** The CSS class of the box. */
  readonly tone: 'waiting' | 'paid' | 'closed'
  readonly headline: string
  /** Sentences after the headline. */
  readonly details: readonly string[]
}

const ASK_ABOUT_EXCESS = 'Ask the merchant about the difference.'

/** Describes the state of the payment to the payer. `coin` follows each figure. */
export function statusWords(state: PaymentState, coin: string): StatusWords {
  switch (state.kind) {
    case 'nothing_seen':
      return { tone: 'waiting', headline: 'No payment seen yet', details: [] }
    case 'partly_seen':
      return {
        tone: 'waiting',
        headline: `${state.seen} ${coin} seen, ${state.missing} ${coin} more to send`,
        details: state.isPending ? ['The network has not confirmed everything yet.'] : [],
      }
    case 'all_seen':
      return {
        tone: 'waiting',
        headline: `${state.seen} ${coin} seen, nothing more to send`,
        details: [
          'Waiting for the network to confirm it.',
          ...(state.excess === '0' ? [] : [`It is ${state.excess} ${coin} too much. ${ASK_ABOUT_EXCESS}`]),
        ],
      }
    case 'paid':
      return { tone: 'paid', headline: 'Paid. Nothing more is due.', details: [] }
    case 'overpaid':
      return {
        tone: 'paid',
        headline: `Paid. ${state.excess} ${coin} too much were ${state.isPending ? 'seen' : 'received'}.`,
        details: [ASK_ABOUT_EXCESS],
      }
    case 'closed':
      return { tone: 'closed', headline: 'This invoice is no longer payable.', details: closedDetails(state, coin) }
  }
}

function closedDetails(
  { received, pending }: Extract<PaymentState, { kind: 'closed' }>,
  coin: string,
): readonly string[] {
  if (received === '0' && pending === '0') return ['Nothing was received. Ask the merchant if you still want to pay.']
  return [
    ...(received === '0' ? [] : [`${received} ${coin} were received.`]),
    ...(pending === '0' ? [] : [`${pending} ${coin} were seen and wait for confirmation.`]),
    'Send nothing more, and ask the merchant about it.',
  ]
}
