import type { Invoice } from '../../domain/invoice.js'

/** How an invoice is notified, which decides what deposits it is a candidate for. Both engines store the numbers. */
export const CALLBACK = {
  /** It has no reference, so it is never notified. */
  none: 0,
  /** It has a callback URL of its own. */
  own: 1,
  /** It has none of its own and takes its owner's. */
  default: 2,
} as const
export type Callback = (typeof CALLBACK)[keyof typeof CALLBACK]

/** How an invoice is notified. */
export function callbackOf({ reference, callback_url }: Pick<Invoice, 'reference' | 'callback_url'>): Callback {
  if (reference === null) return CALLBACK.none
  return callback_url === null ? CALLBACK.default : CALLBACK.own
}

/** The ways of notification of candidates in the order in which they are looked for: those that resolve, and the others. */
export function callbackKinds(hasDefault: boolean): readonly (readonly Callback[])[] {
  return hasDefault
    ? [[CALLBACK.own, CALLBACK.default], [CALLBACK.none]]
    : [[CALLBACK.own], [CALLBACK.none, CALLBACK.default]]
}
