import { type Currency, isCurrency } from '../../../domain/amount.js'
import type { Deposit } from '../../../domain/deposit.js'
import type { DepositRecord } from '../../rules/deposit-work.js'
import type { Commit, Reader } from '../commit/commit.js'
import {
  type AddressNo,
  bigintFromBytes,
  bigintToBytes,
  type DepositNo,
  type InvoiceId,
  isKey,
  networkKey,
  numberKey,
  timeKey,
  wideKey,
} from '../tables/keys.js'
import {
  bytes,
  fieldsOf,
  flag,
  integer,
  oneOf,
  orNull,
  recordCodec,
  type Shape,
  storedAs,
  text,
  textThat,
} from '../tables/record-codec.js'
import { NOTHING } from '../tables/tables.js'

/** What names a deposit. */
export type DepositId = Pick<Deposit, 'network' | 'txHash' | 'index'>

/** A deposit as the store has it. */
export interface DepositRow extends DepositRecord<InvoiceId> {
  readonly no: DepositNo
  readonly addressNo: AddressNo
}

const KINDS = ['pending', 'confirmed', 'dropped'] as const
/** Written out: a record is read without any other. */
const currency = textThat('currency', (text): text is Currency => isCurrency(text))

const SHAPE: Shape<Omit<DepositRow, 'isLate'>> = {
  deposit: fieldsOf<Deposit>({
    network: text,
    txHash: text,
    index: integer,
    toAddress: text,
    currency: orNull(text),
    amount: text,
    kind: oneOf(KINDS),
    receivedAt: integer,
    confirmedAt: orNull(integer),
  }),
  no: integer,
  addressNo: integer,
  countedAs: orNull(currency),
  atoms: storedAs(bytes, bigintToBytes, bigintFromBytes),
  invoiceId: storedAs(
    orNull(bytes),
    (id) => id,
    (id) => (id === null ? null : Buffer.from(id)),
  ),
  isPendingReached: flag,
  isConfirmedReached: flag,
}

/** Version 1 knew no late deposits. */
const version1 = fieldsOf<Omit<DepositRow, 'isLate'>>(SHAPE)

export const depositCodec = recordCodec<DepositRow>(
  'deposits',
  2,
  { ...SHAPE, isLate: flag },
  { 1: (from) => ({ ...version1.read(from), isLate: false }) },
)

export function findDeposit(at: Reader, id: DepositId): DepositRow | undefined {
  const key = depositKey(id)
  const packed = isKey(key) ? at.tables.deposits.getBinaryFast(key) : undefined
  return packed === undefined ? undefined : depositCodec.decode(packed)
}

/** The deposit that has a number. */
export function depositOfNo({ tables }: Reader, no: DepositNo): DepositRow {
  const key = tables.depositNumbers.get(wideKey(no))
  const packed = key === undefined ? undefined : tables.deposits.getBinaryFast(key)
  if (packed === undefined) throw new Error(`there is no deposit of number ${no}`)
  return depositCodec.decode(packed)
}

/** Lets a deposit be found by its number, which never changes. */
export function listDepositNo({ tables }: Commit, no: DepositNo, key: Buffer): void {
  tables.depositNumbers.putSync(wideKey(no), key)
}

/** Writes a deposit, and moves it to its place in the order of receipt. `known` is the row as it was. */
export function putDeposit(commit: Commit, row: DepositRow, known: DepositRow | undefined): void {
  commit.tables.deposits.putSync(depositKey(row.deposit), depositCodec.encode(row))
  if (row.deposit.receivedAt === known?.deposit.receivedAt) return
  if (known !== undefined) commit.tables.receivedDeposits.removeSync(receivedKey(known))
  listReceived(commit, row)
}

/** Lets a deposit be found by when it was received. */
export function listReceived({ tables }: Commit, row: Pick<DepositRow, 'deposit' | 'no'>): void {
  tables.receivedDeposits.putSync(receivedKey(row), NOTHING)
}

/** When a deposit was received, and its number. */
export function receivedKey({ deposit, no }: Pick<DepositRow, 'deposit' | 'no'>): Buffer {
  return Buffer.concat([timeKey(deposit.receivedAt), wideKey(no)])
}

/** The key of a deposit: network, index, transaction hash. */
export function depositKey({ network, txHash, index }: DepositId): Buffer {
  return Buffer.concat([networkKey(network), numberKey(index), Buffer.from(txHash)])
}
