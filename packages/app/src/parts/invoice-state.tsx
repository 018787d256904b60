import { type InvoiceState, type Standing, stateOf } from '../invoices/state.js'
import type { TextKey } from '../languages/en.js'
import { text } from '../languages/language.js'

export const STATE_TEXTS: Readonly<Record<InvoiceState, TextKey>> = {
  open: 'stateOpen',
  seen: 'stateSeen',
  paid: 'statePaid',
  accepted: 'stateAccepted',
  expired: 'stateExpired',
  void: 'stateVoid',
}

/** How an invoice stands, in a word. */
export function InvoiceStateMark({ invoice }: { readonly invoice: Standing }) {
  const state = stateOf(invoice)
  return (
    <span class={`state ${state}`} data-state={state}>
      {text(STATE_TEXTS[state])}
    </span>
  )
}
