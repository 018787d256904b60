import { isPath } from '../checks.js'
import { integer, list, onOff, optional, percentage, quantity } from '../setting.js'

/** As in a request (decisions 4). */
const INVOICE_EXPIRY_MINIMUM_SECONDS = 60
const INVOICE_EXPIRY_LIMIT_SECONDS = 31_536_000

/** The greatest share of an amount that may be missing (decisions 4), and the decimals of a share, as `isNearlyPaid` takes it. */
const UNDERPAYMENT_PERCENT_MAX = 10
const UNDERPAYMENT_DECIMALS = 2

const DECIMAL_PLACES = /^(?:[0-9]|1[0-8])$/

function arePriceDecimals(entries: readonly string[]): boolean {
  return entries.length === 2 && entries.every((entry) => DECIMAL_PLACES.test(entry))
}

/** Invoices, wallets, and what is kept and backed up. */
export const invoices = {
  sharedWallets: onOff({
    fallback: 'on',
    sentence:
      'Let several unpaid invoices in one currency share a wallet. With off, the second one is rejected, so that each payment belongs to one invoice.',
  }),
  mixedNative: onOff({
    fallback: 'on',
    sentence:
      'Let an invoice in the native currency have wallets on networks with different coins, whose amounts are added as plain numbers. With off, it is rejected.',
  }),
  invoiceExpirySeconds: optional.quantity(INVOICE_EXPIRY_MINIMUM_SECONDS, INVOICE_EXPIRY_LIMIT_SECONDS, 'seconds', {
    fallbackText: 'none: they never expire',
    sentence: 'The time after which an invoice expires that was created without expiresInSeconds.',
  }),
  orderExpirySeconds: quantity(INVOICE_EXPIRY_MINIMUM_SECONDS, INVOICE_EXPIRY_LIMIT_SECONDS, 'seconds', {
    fallback: '900',
    sentence:
      'The time after which an order expires that was created without expiresInSeconds. Its rates are promised for that long.',
  }),
  priceDecimals: list(arePriceDecimals, {
    fallback: '2,6',
    expects: 'two integers from 0 to 18 with a comma between them',
    sentence:
      'The decimal places to which the amounts of an order are rounded up: of tokens, and of coins. A small amount has as many as make it four significant digits.',
  }),
  lateDays: quantity(0, 36_500, 'days', {
    fallback: '30',
    sentence:
      'The time for which an invoice that expired or was voided is told of a payment that comes to its wallet and belongs to no other invoice. 0: such payments are told to nobody.',
  }),
  underpayment: percentage(UNDERPAYMENT_PERCENT_MAX, UNDERPAYMENT_DECIMALS, {
    fallback: '0',
    sentence:
      'An invoice that misses no more than this share of its amount is accepted by itself, because exchanges keep their fee. A payer who knows it can pay that much less. 0: nothing is accepted by itself.',
  }),
  walletLeaseSeconds: quantity(1, 7 * 24 * 60 * 60, 'seconds', {
    fallback: '600',
    sentence: 'The time for which a claimed wallet is not handed out again.',
  }),
  keepDays: quantity(30, 36_500, 'days', {
    fallback: '400',
    sentence:
      'The time for which event ids and settled webhook deliveries are kept. Invoices and deposits are kept forever.',
  }),
  eventsDays: quantity(1, 36_500, 'days', {
    fallback: '30',
    sentence: 'The time for which events are kept for GET /api/users/:id/events.',
  }),
  backupDir: optional.text(isPath, {
    expects: 'a path',
    fallbackText: 'no scheduled backups',
    sentence: 'A directory of its own, on another disk, into which the service writes backups.',
  }),
  backupEvery: quantity(1, 8760, 'hours', {
    fallback: '24',
    sentence: 'The time between two scheduled backups. A restart makes none before its time.',
  }),
  backupKeep: integer(1, 10_000, {
    fallback: '7',
    sentence: 'How many scheduled backups are kept; older ones are removed when a new one is complete.',
  }),
}
