import { BoundedMap } from '../../../../base/bounded-map.js'
import { qualifies } from '../../../../domain/qualification.js'
import { type DepositId, type DepositRow, depositCodec, depositKey, receivedKey } from '../../deposits/deposit-rows.js'
import { contentOf } from '../../events/event-rows.js'
import { fromStored, invoiceCodec } from '../../invoices/invoice-rows.js'
import { listedKey } from '../../invoices/matches.js'
import { ACCOUNT_BYTES, accountOf, COUNTED_KEY_BYTES, countedKey } from '../../payments/running-totals.js'
import { CURRENCIES_MAX } from '../../tables/currencies.js'
import {
  bigintFromBytes,
  bigintToBytes,
  ID_BYTES,
  type InvoiceId,
  NUMBER_BYTES,
  type OwnerNo,
  type SetNo,
  WIDE_BYTES,
  wideKey,
} from '../../tables/keys.js'
import { NOTHING } from '../../tables/tables.js'
import { addressCodec, addressKey } from '../../wallets/wallets.js'
import type { Reading } from '../reading.js'
import type { MakeRule, Rule } from './rule.js'

/** Addresses that are kept while deposits refer to them again and again. */
const ADDRESSES_KEPT = 32_768

export const deposits: MakeRule = (reading) => new DepositRule(reading)

class DepositRule implements Rule {
  private readonly addressNos = new BoundedMap<string, number>(ADDRESSES_KEPT)

  constructor(private readonly reading: Reading) {}

  row(key: Buffer, value: Buffer): void {
    const { reading } = this
    const row = depositCodec.decode(value)
    const { deposit, invoiceId, no, addressNo, countedAs, atoms } = row
    reading.expect(depositKey(deposit).equals(key), 'its key is not that of its transfer')
    reading.use('deposit', no)
    reading.owe('depositNumbers', wideKey(no), key)
    reading.owe('receivedDeposits', receivedKey(row))
    reading.expect(this.addressNo(row) === addressNo, `addresses does not have its address as number ${addressNo}`)
    checkKind(reading, row)
    if (invoiceId !== null) this.checkInvoice(row, invoiceId)
    else reading.expect(!row.isLate, 'it is late for no invoice')
    const currencyNo = countedAs === null ? null : reading.currencies.numberOf(countedAs)
    reading.expect(currencyNo !== undefined, `no network has had its currency, ${countedAs}`)
    if (currencyNo === null || currencyNo === undefined || deposit.kind === 'dropped') return
    const counted = countedKey(accountOf(addressNo, currencyNo), deposit.receivedAt, no)
    const bytes = bigintToBytes(atoms)
    const isConfirmed = deposit.kind === 'confirmed'
    reading.owe('seenTotals', counted, bytes)
    if (isConfirmed) reading.owe('confirmedTotals', counted, bytes)
    if (invoiceId === null) reading.owe('unmatchedSeenTotals', counted, bytes)
    if (invoiceId === null && isConfirmed) reading.owe('unmatchedConfirmedTotals', counted, bytes)
  }

  private checkInvoice(row: DepositRow, invoiceId: InvoiceId): void {
    const { reading } = this
    const { deposit, no } = row
    const isThere = invoiceId.length === ID_BYTES && reading.has('invoices', invoiceId)
    reading.expect(isThere, 'invoices does not have the invoice that it is matched to')
    if (deposit.kind !== 'dropped') {
      reading.owe('matches', invoiceId)
      if (isThere && this.countsFor(row, invoiceId)) {
        reading.owe('invoiceDeposits', listedKey(invoiceId, { receivedAt: deposit.receivedAt, no }))
      }
    }
    if (isThere && deposit.confirmedAt !== null) this.checkEvent(deposit, deposit.confirmedAt, invoiceId)
  }

  /** A deposit without an invoice is passed over: no record says who owned its wallet then. */
  private checkEvent(deposit: DepositId, confirmedAt: number, invoiceId: Buffer): void {
    const { logged } = this.reading
    if (!logged.isLogged(confirmedAt)) return
    const ownerNo = this.ownerNo(invoiceId)
    const key = depositKey(deposit)
    if (ownerNo !== undefined && logged.isMissing(ownerNo, confirmedAt, (event) => isConfirmation(event, key))) {
      this.reading.wrong('owner-events does not have that it was confirmed')
    }
  }

  /** Whether a deposit qualifies for the invoice that it is matched to. */
  private countsFor({ deposit, countedAs }: DepositRow, invoiceId: InvoiceId): boolean {
    const bytes = this.reading.get('invoices', invoiceId)
    const stored = bytes === undefined ? undefined : invoiceCodec.decode(bytes)
    const set = stored === undefined ? undefined : this.reading.walletSet(stored.setNo as SetNo)
    if (stored === undefined || set === undefined) return false
    const address = this.reading.get('addresses', addressKey(deposit.network, deposit.toAddress))
    const walletId = address === undefined ? null : addressCodec.decode(address).walletId
    const { receivedAt } = deposit
    return qualifies(fromStored(invoiceId, stored, set, this.reading.currencies).invoice, {
      walletId,
      currency: countedAs,
      receivedAt,
    })
  }

  private ownerNo(invoiceId: Buffer): OwnerNo | undefined {
    const bytes = this.reading.get('invoices', invoiceId)
    return bytes === undefined ? undefined : this.reading.walletSet(invoiceCodec.decode(bytes).setNo as SetNo)?.ownerNo
  }

  private addressNo({ deposit: { network, toAddress } }: DepositRow): number | undefined {
    const name = `${network} ${toAddress}`
    const known = this.addressNos.get(name)
    if (known !== undefined) return known
    const bytes = this.reading.get('addresses', addressKey(network, toAddress))
    const no = bytes === undefined ? undefined : addressCodec.decode(bytes).no
    if (no !== undefined) this.addressNos.set(name, no)
    return no
  }
}

function isConfirmation(event: Buffer, key: Buffer): boolean {
  const content = contentOf(event)
  return content.type === 'deposit.confirmed' && depositKey(content.deposit).equals(key)
}

function checkKind(reading: Reading, { deposit, isPendingReached, isConfirmedReached, atoms }: DepositRow): void {
  const isConfirmed = deposit.kind === 'confirmed'
  reading.expect(isConfirmed === (deposit.confirmedAt !== null), 'it is confirmed at no time, or too early')
  reading.expect(isPendingReached && (!isConfirmed || isConfirmedReached), 'it has not reached its own status')
  reading.expect(atoms > 0n, 'it has no amount')
}

/** The running totals of all accounts, in the order of receipt, each behind its head. */
export const totals: MakeRule = (reading) => new TotalsRule(reading)

const CHANGES_END = WIDE_BYTES
const RECEIPT_END = 2 * WIDE_BYTES

class TotalsRule implements Rule {
  /** The head that was read last. */
  private account: Buffer | null = null
  private head = { changes: 0, receivedAt: 0, total: 0n }
  /** The rows of the account so far. */
  private rows = 0
  private receivedAt = 0
  private total = 0n

  constructor(private readonly reading: Reading) {}

  row(key: Buffer, value: Buffer): void {
    if (key.length === ACCOUNT_BYTES) {
      this.end()
      this.begin(key, value)
    } else if (key.length === COUNTED_KEY_BYTES) this.counted(key, value)
    else this.reading.wrong('its key is malformed')
  }

  /** The account is complete: its head must say what its rows say. */
  end(): void {
    const { account, head, reading } = this
    if (account === null) return
    this.account = null
    if (head.total === this.total && head.receivedAt === this.receivedAt && head.changes >= this.rows) return
    const what = `the head of the account ${account.toString('hex')} says ${told(head)}, its rows ${told({ receivedAt: this.receivedAt, total: this.total })}`
    reading.wrong(what)
  }

  private begin(key: Buffer, value: Buffer): void {
    const { reading } = this
    this.account = Buffer.from(key)
    this.rows = 0
    this.receivedAt = 0
    this.total = 0n
    const isKnown =
      reading.numbers.address.has(key.readUInt32BE(0)) &&
      reading.currencies.find(key[NUMBER_BYTES] ?? CURRENCIES_MAX) !== undefined
    reading.expect(isKnown, 'it is the account of no address, or of no currency')
    const total = amountIn(reading, value.subarray(RECEIPT_END))
    this.head = {
      changes: value.readUIntBE(0, WIDE_BYTES),
      receivedAt: value.readUIntBE(CHANGES_END, WIDE_BYTES),
      total,
    }
  }

  private counted(key: Buffer, value: Buffer): void {
    const { account, reading } = this
    if (account === null || !key.subarray(0, ACCOUNT_BYTES).equals(account)) {
      reading.wrong('it is in an account without a head')
      this.begin(key.subarray(0, ACCOUNT_BYTES), Buffer.alloc(RECEIPT_END))
    }
    const total = amountIn(reading, value)
    const atoms = total - this.total
    reading.expect(atoms > 0n, 'its total is not greater than the one before')
    reading.find(key, atoms > 0n ? bigintToBytes(atoms) : NOTHING)
    this.rows += 1
    this.receivedAt = key.readUIntBE(ACCOUNT_BYTES, WIDE_BYTES)
    this.total = total
  }
}

function told({ receivedAt, total }: { readonly receivedAt: number; readonly total: bigint }): string {
  return `${total} atoms up to ${receivedAt}`
}

/** An amount without leading zeros. */
function amountIn(reading: Reading, bytes: Buffer): bigint {
  const amount = bigintFromBytes(bytes)
  reading.expect(bigintToBytes(amount).equals(bytes), 'its amount is malformed')
  return amount
}
