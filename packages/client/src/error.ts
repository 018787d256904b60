import type { ErrorCode } from './api-types.js'

/** What the client itself reports, besides the codes of the service. */
export type ClientErrorCode =
  /** No answer came. It is not known whether the request had an effect. */
  | 'unreachable'
  /** What answered is not the service: a proxy perhaps, or another program. */
  | 'unexpected_answer'
  /** A wait took longer than `timeoutMs`. */
  | 'wait_timeout'
  /** The invoice that was waited for is void or expired. */
  | 'invoice_void'
  /** The ledger refused a transaction. It has no effect. */
  | 'ledger_rejected'
  /** No node could be reached. Nothing was sent. */
  | 'ledger_unavailable'
  /** It is not known whether a transaction has taken effect: an answer was lost, or decided nothing. Look before you go on. */
  | 'ledger_uncertain'
  /** A webhook is not from the service, or is too old. */
  | 'webhook_rejected'
  /** The service does not list the network of an amount, or no invoice is paid in its currency. */
  | 'amount_unknown'

export interface BillhookErrorDetails {
  readonly status?: number | undefined
  readonly field?: string | undefined
  readonly wallet?: string | undefined
  readonly reason?: string | undefined
  readonly coin?: string | undefined
  readonly supported?: readonly string[] | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/**
 * Every failure that a caller can expect. Misuse of the client, such as a malformed key, is a `TypeError`.
 *
 * @example
 * ```js
 * import { BillhookError } from '@billhook/client'
 *
 * try {
 *   await billhook.createInvoice({ walletIds: ['unknown'], name: 'Tea set', amount: '25.00' })
 * } catch (error) {
 *   if (!(error instanceof BillhookError)) throw error
 *   console.log(error.code, error.field, error.wallet) // wallet_not_owned walletIds unknown
 * }
 * ```
 */
export class BillhookError extends Error {
  override readonly name = 'BillhookError'
  /** The HTTP status; undefined if the service gave no answer. */
  readonly status: number | undefined
  /** The field or parameter at fault, if it was one. */
  readonly field: string | undefined
  /** The id of the wallet at fault, if it was one. */
  readonly wallet: string | undefined
  /** Why that wallet is refused: `not_assigned` (to this identity, as far as the service knows) or `no_address` (known yet). */
  readonly reason: string | undefined
  /** The symbol of the coin that has no current rate. */
  readonly coin: string | undefined
  /** The values that the field may have, if the service lists them. */
  readonly supported: readonly string[] | undefined
  /** Names the request in the operator's log. */
  readonly requestId: string | undefined
  /** When the service asks to try again. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    /** A code of docs/errors.md, or one of the client's own. Branch on it; the message is for people. */
    readonly code: ErrorCode | ClientErrorCode,
    details: BillhookErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.status = details.status
    this.field = details.field
    this.wallet = details.wallet
    this.reason = details.reason
    this.coin = details.coin
    this.supported = details.supported
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
  }
}
