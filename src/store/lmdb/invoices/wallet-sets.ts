import type { Commit, Reader } from '../commit/commit.js'
import { endOf, NUMBER_BYTES, numberKey, type OwnerNo, type SetNo, under } from '../tables/keys.js'
import { integer, recordCodec, text } from '../tables/record-codec.js'
import { NOTHING } from '../tables/tables.js'
import type { WalletRow } from '../wallets/wallet-row.js'
import type { WalletSet } from './wallet-set.js'

export const walletSetCodec = recordCodec<Omit<WalletSet, 'no' | 'walletIds'>>('payees', 1, {
  owner: text,
  ownerNo: integer,
  walletIdsText: text,
})

/*
 * An owner's sets of wallets, each with a number.
 *
 *     payees          set no → owner and wallets
 *     payee-numbers   owner no │ wallet nos → set no     sets of several wallets
 *     open-sets       wallet no │ owner no → set no     the set that is the wallet alone, whether it has open invoices or not
 *                     wallet no │ owner no │ set no → nothing     each set of several wallets that has open invoices
 */

const PLACE_BYTES = 2 * NUMBER_BYTES
const LISTED_KEY_BYTES = PLACE_BYTES + NUMBER_BYTES

/** The number of a set, if it has one; `wallets` in any order. */
export function setNoOf(commit: Commit, ownerNo: OwnerNo, wallets: readonly WalletRow[]): SetNo | undefined {
  const { setsOfOne } = commit.caches
  const only = wallets.length === 1 ? wallets[0] : undefined
  const known = only === undefined ? undefined : setsOfOne.get(only.no)
  if (known?.ownerNo === ownerNo) return known.no
  const { table, key } = setNoRow(ownerNo, wallets)
  const no = commit.tables[table].get(key)?.readUInt32BE(0) as SetNo | undefined
  if (only !== undefined && no !== undefined) setsOfOne.set(only.no, { no, ownerNo })
  return no
}

/** The number of a set, handed out on first use. A set never changes. */
export function internSet(commit: Commit, owner: string, ownerNo: OwnerNo, wallets: readonly WalletRow[]): SetNo {
  const known = setNoOf(commit, ownerNo, wallets)
  if (known !== undefined) return known
  const no = commit.nextNo('walletSet')
  const walletIdsText = wallets.map((wallet) => wallet.id).join(',')
  putSetNo(commit, ownerNo, wallets, no)
  commit.tables.walletSets.putSync(numberKey(no), walletSetCodec.encode({ owner, ownerNo, walletIdsText }))
  return no
}

/** Writes by what the number of a set is found. */
export function putSetNo({ tables }: Commit, ownerNo: OwnerNo, wallets: SetWallets, no: SetNo): void {
  const { table, key } = setNoRow(ownerNo, wallets)
  tables[table].putSync(key, numberKey(no))
}

/** Lists a set that has an open invoice with its wallets; a wallet alone is always listed. */
export function enterSet({ tables }: Commit, no: SetNo, places: readonly Buffer[]): void {
  if (places.length === 1) return
  for (const place of places) tables.openSets.putSync(listedKey(place, no), NOTHING)
}

/** Takes out a set that has no open invoice any more. */
export function leaveSet({ tables }: Commit, no: SetNo, places: readonly Buffer[]): void {
  if (places.length === 1) return
  for (const place of places) tables.openSets.removeSync(listedKey(place, no))
}

export function listedKey(place: Buffer, no: SetNo): Buffer {
  const key = Buffer.allocUnsafe(LISTED_KEY_BYTES)
  key.set(place)
  key.writeUInt32BE(no, PLACE_BYTES)
  return key
}

/** The sets that may have open invoices on a wallet or at a place, in the order of their numbers. */
export function listedSets({ tables }: Reader, prefix: Buffer): readonly SetNo[] {
  const sets: SetNo[] = []
  for (const { key, value } of tables.openSets.getRange({ start: prefix, end: endOf(prefix, LISTED_KEY_BYTES + 1) })) {
    sets.push((key.length === PLACE_BYTES ? value.readUInt32BE(0) : key.readUInt32BE(PLACE_BYTES)) as SetNo)
  }
  return sets.sort((one, other) => one - other)
}

export function findSet(at: Reader, no: SetNo): WalletSet {
  const { walletSets } = at.caches ?? at.memos
  const known = walletSets.get(no)
  if (known !== undefined) return known
  const bytes = at.tables.walletSets.get(numberKey(no))
  if (bytes === undefined) throw new Error('an index names a set of wallets that is not there')
  const stored = walletSetCodec.decode(bytes)
  const set = { no, ...stored, walletIds: stored.walletIdsText.split(',') }
  walletSets.set(no, set)
  return set
}

type SetWallets = readonly Pick<WalletRow, 'no'>[]

/** Where the number of a set is found, whatever the order of its wallets. */
export function setNoRow(ownerNo: OwnerNo, wallets: SetWallets) {
  const numbers = wallets.map((wallet) => wallet.no).sort((a, b) => a - b)
  const [first] = numbers
  if (first !== undefined && numbers.length === 1) {
    return { table: 'openSets', key: under(first, numberKey(ownerNo)) } as const
  }
  const key = Buffer.allocUnsafe(NUMBER_BYTES * (1 + numbers.length))
  for (const [i, no] of [ownerNo, ...numbers].entries()) key.writeUInt32BE(no, NUMBER_BYTES * i)
  return { table: 'walletSetNos', key } as const
}
