/** What a till shows. It is kept by the browser, so that a reload in the middle loses nothing. */
export type TillState =
  | { readonly step: 'amount' }
  /** Sent, and not answered yet. `key`: the idempotency key. */
  | { readonly step: 'sent'; readonly key: string }
  /** The customer chooses a coin, or has chosen: the id of that invoice. */
  | { readonly step: 'order'; readonly order: string; readonly invoice: string | null }

export const FIRST_STATE: TillState = { step: 'amount' }

/** Of an amount on a till. */
const DIGITS_MAX = 12

/** What stands there after a key of the keypad: a digit, the separator, `back` or `clear`. */
export function pressed(typed: string, key: string, separator: string): string {
  if (key === 'clear') return ''
  if (key === 'back') return typed.slice(0, -1)
  if (typed.replace(/\D/g, '').length >= DIGITS_MAX) return typed
  if (key === separator) return typed.includes(separator) ? typed : `${typed === '' ? '0' : typed}${separator}`
  if (!/^\d$/.test(key)) return typed
  return typed === '0' ? key : typed + key
}

/** The state behind an answer to what was sent under a key; the same where that was not the till's. */
export function answered(state: TillState, key: string, order: string | null): TillState {
  if (state.step !== 'sent' || state.key !== key) return state
  return order === null ? FIRST_STATE : { step: 'order', order, invoice: null }
}
