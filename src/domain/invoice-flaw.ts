import {
  DESCRIPTION_LENGTH_MAX,
  INVOICE_WALLETS_MAX,
  type Invoice,
  NAME_LENGTH_MAX,
  REFERENCE_LENGTH_MAX,
  walletsOf,
} from './invoice.js'
import { ORDER_NUMBER_LENGTH_MAX, type OrderFields } from './order-fields.js'
import { isAbsoluteHttpUrl, isLongerThan } from './text.js'
import { EXPIRY_SECONDS_MAX, EXPIRY_SECONDS_MIN } from './voiding.js'
import { flawOfWalletId } from './wallet.js'

/*
 * What the API refuses or cuts in a request (decisions 4), looked for in the record of an invoice that this service did not make.
 * Each answers with a text, or with null for a record without the flaw.
 */

const MS_PER_SECOND = 1000

/** What a deposit would trip over: it looks an invoice up by its wallets, and sends its reference to its callback URL. */
export function flawForDeposits(
  invoice: Pick<Invoice, 'wallet_id' | 'wallet_ids' | 'reference' | 'callback_url'>,
): string | null {
  const { reference, callback_url } = invoice
  if (reference !== null && isLongerThan(reference, REFERENCE_LENGTH_MAX)) {
    return `reference is longer than ${REFERENCE_LENGTH_MAX} characters`
  }
  if (callback_url !== null && !isAbsoluteHttpUrl(callback_url)) {
    return 'callback_url must be an absolute http or https URL of at most 2048 characters, without user and password'
  }
  return flawOfWallets(invoice)
}

function flawOfWallets(invoice: Pick<Invoice, 'wallet_id' | 'wallet_ids'>): string | null {
  const ids = walletsOf(invoice)
  if (ids.length > INVOICE_WALLETS_MAX) return `wallet_ids names more than ${INVOICE_WALLETS_MAX} wallets`
  for (const id of ids) {
    const flaw = flawOfWalletId(id)
    if (flaw !== null) return flaw
  }
  if (new Set(ids).size < ids.length) return 'wallet_ids names a wallet twice'
  return ids[0] === invoice.wallet_id ? null : 'wallet_id is not the first of wallet_ids'
}

/** What people would be shown and the API would have cut. */
export function flawOfTexts({ name, description }: Pick<Invoice, 'name' | 'description'>): string | null {
  if (name.trim() === '') return 'name is blank'
  if (isLongerThan(name, NAME_LENGTH_MAX)) return `name is longer than ${NAME_LENGTH_MAX} characters`
  if (description !== null && isLongerThan(description, DESCRIPTION_LENGTH_MAX)) {
    return `description is longer than ${DESCRIPTION_LENGTH_MAX} characters`
  }
  return null
}

/** What payers would be led to, or people shown, and the API would have refused or cut. */
export function flawOfOrder({ returnUrl, orderNumber }: Omit<OrderFields, 'metadata'>): string | null {
  if (returnUrl !== null && !isAbsoluteHttpUrl(returnUrl)) {
    return 'returnUrl must be an absolute http or https URL of at most 2048 characters, without user and password'
  }
  if (orderNumber !== null && isLongerThan(orderNumber, ORDER_NUMBER_LENGTH_MAX)) {
    return `orderNumber is longer than ${ORDER_NUMBER_LENGTH_MAX} characters`
  }
  return null
}

/** Whether an invoice could have been created with this expiry. Times are Unix milliseconds. */
export function flawOfExpiry(createdAt: number, expiresAt: number | null): string | null {
  if (expiresAt === null) return null
  const seconds = (expiresAt - createdAt) / MS_PER_SECOND
  return seconds >= EXPIRY_SECONDS_MIN && seconds <= EXPIRY_SECONDS_MAX
    ? null
    : `expires_at must be ${EXPIRY_SECONDS_MIN} to ${EXPIRY_SECONDS_MAX} seconds after created_at`
}
