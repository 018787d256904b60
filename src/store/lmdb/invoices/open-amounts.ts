import { SIMILAR_EXAMINED_MAX } from '../../rules/match-deposit.js'
import type { Commit } from '../commit/commit.js'
import type { CurrencyNo } from '../tables/currencies.js'
import { endOf, ID_BYTES, type InvoiceId, idOfKey, NUMBER_BYTES, sortableAmount } from '../tables/keys.js'
import { lastKey, NOTHING } from '../tables/tables.js'
import type { IndexedInvoice, Place } from './invoice-places.js'

/*
 * Which open invoices ask an amount on a wallet.
 *
 *     open-amounts    owner no (4) │ currency (1) │ amount │ wallet no (4) → ids     one look-up
 *
 * The rows of an invoice differ in the wallet alone, so they lie side by side on a page or two, however many wallets it names.
 */

/** Amounts of an owner, of whatever wallets, that a search for similar ones passes over at most. */
const AMOUNTS_PASSED_MAX = 256

/** `isAlone`: no open invoice asks its amount on any of its wallets. */
export function enterAmount(
  { tables }: Commit,
  { places, currencyNo, amount, id }: IndexedInvoice,
  isAlone: boolean,
): void {
  const { openAmounts } = tables
  const keys = new AmountKeys(places, currencyNo, amount)
  for (const place of places) {
    const key = keys.at(place)
    const others = isAlone ? undefined : openAmounts.get(key)
    openAmounts.putSync(key, others === undefined ? id : Buffer.concat([others, id]))
  }
}

export function leaveAmount({ tables }: Commit, { places, currencyNo, amount, id }: IndexedInvoice): void {
  const { openAmounts } = tables
  const keys = new AmountKeys(places, currencyNo, amount)
  for (const place of places) {
    const key = keys.at(place)
    const left = splitIds(openAmounts.get(key)).filter((one) => !one.equals(id))
    if (left.length === 0) openAmounts.removeSync(key)
    else openAmounts.putSync(key, Buffer.concat(left))
  }
}

/**
 * The first of some places of an owner with an open invoice that asks an amount and of which something is true: its index, or -1. There is
 * at most one such invoice at a place, except after a reorganisation.
 */
export function findOpenOfAmount(
  { tables }: Commit,
  places: readonly Place[],
  currencyNo: CurrencyNo,
  amount: bigint,
  test: (id: InvoiceId) => boolean,
): number {
  const { openAmounts } = tables
  const keys = new AmountKeys(places, currencyNo, amount)
  return places.findIndex((place) => {
    const ids = openAmounts.get(keys.at(place))
    return ids !== undefined && splitIds(ids).some(test)
  })
}

/** Amounts in atoms: above one, and up to another. */
export interface Amounts {
  readonly above: bigint
  readonly to: bigint
}

/** The open invoices at a place that ask one of some amounts, the greatest first, as far as they are examined. */
export function openOfAmounts(
  { tables }: Commit,
  place: Place,
  currencyNo: CurrencyNo,
  { above, to }: Amounts,
): readonly InvoiceId[] {
  const { openAmounts } = tables
  const lowest = amountPrefix(place, currencyNo, above)
  const end = endOf(lowest, lowest.length + NUMBER_BYTES)
  const found: InvoiceId[] = []
  let prefix = amountPrefix(place, currencyNo, to)
  let examined = 0
  for (let passed = 0; passed < AMOUNTS_PASSED_MAX && examined < SIMILAR_EXAMINED_MAX; passed += 1) {
    const ids = splitIds(openAmounts.get(Buffer.concat([prefix, walletOf(place)])))
    found.push(...ids)
    if (ids.length > 0) examined += 1
    const next = lastKey(openAmounts, prefix, end)
    if (next === undefined) break
    prefix = Buffer.from(next.subarray(0, next.length - NUMBER_BYTES))
  }
  return found
}

export function amountKey(place: Place, currencyNo: CurrencyNo, amount: bigint): Buffer {
  return Buffer.concat([amountPrefix(place, currencyNo, amount), walletOf(place)])
}

/** The keys of an amount at some places of an owner, one after the other in one buffer: they differ at their end. */
class AmountKeys {
  private readonly key: Buffer

  constructor([first]: readonly Place[], currencyNo: CurrencyNo, amount: bigint) {
    this.key = first === undefined ? NOTHING : amountKey(first, currencyNo, amount)
  }

  /** Valid until the next one is asked for. */
  at(place: Place): Buffer {
    const { key } = this
    const end = key.length - NUMBER_BYTES
    for (let i = 0; i < NUMBER_BYTES; i += 1) key[end + i] = place[i] ?? 0
    return key
  }
}

/** What the keys of an owner's amount begin with. */
function amountPrefix(place: Place, currencyNo: CurrencyNo, amount: bigint): Buffer {
  const prefix = sortableAmount(amount, NUMBER_BYTES + 1)
  place.copy(prefix, 0, NUMBER_BYTES)
  prefix[NUMBER_BYTES] = currencyNo
  return prefix
}

/** The bytes of the wallet of a place. */
function walletOf(place: Place): Buffer {
  return place.subarray(0, NUMBER_BYTES)
}

/** The ids in a row of `open-amounts`. */
function splitIds(bytes: Buffer | undefined): readonly InvoiceId[] {
  const ids: InvoiceId[] = []
  for (let end = ID_BYTES; end <= (bytes?.length ?? 0); end += ID_BYTES) {
    if (bytes !== undefined) ids.push(idOfKey<InvoiceId>(bytes.subarray(0, end)))
  }
  return ids
}
