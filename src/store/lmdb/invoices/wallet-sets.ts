import type { Commit, Reader } from '../commit/commit-loop.js'
import { numberKey, type OwnerNo, type SetNo, under } from '../tables/keys.js'
import { integer, recordCodec, text } from '../tables/record-codec.js'
import type { WalletRow } from '../wallets/wallet-row.js'
import type { WalletSet } from './wallet-set.js'

export const walletSetCodec = recordCodec<Omit<WalletSet, 'no' | 'walletIds'>>('payees', 1, {
  owner: text,
  ownerNo: integer,
  walletIdsText: text,
})

/** The number of a set, if it has one; `wallets` in any order. */
export function setNoOf(commit: Commit, ownerNo: OwnerNo, wallets: readonly WalletRow[]): SetNo | undefined {
  const { setsOfOne } = commit.caches
  const only = wallets.length === 1 ? wallets[0] : undefined
  const known = only === undefined ? undefined : setsOfOne.get(only.no)
  if (known?.ownerNo === ownerNo) return known.no
  const no = commit.tables.walletSetNos.get(setKey(ownerNo, wallets))?.readUInt32BE(0) as SetNo | undefined
  if (only !== undefined && no !== undefined) setsOfOne.set(only.no, { no, ownerNo })
  return no
}

/** The number of a set, handed out on first use. A set never changes. */
export function internSet(commit: Commit, owner: string, ownerNo: OwnerNo, wallets: readonly WalletRow[]): SetNo {
  const known = setNoOf(commit, ownerNo, wallets)
  if (known !== undefined) return known
  const no = commit.nextNo('walletSet')
  const walletIdsText = wallets.map((wallet) => wallet.id).join(',')
  commit.tables.walletSetNos.putSync(setKey(ownerNo, wallets), numberKey(no))
  commit.tables.walletSets.putSync(numberKey(no), walletSetCodec.encode({ owner, ownerNo, walletIdsText }))
  return no
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

/** The key of a set, whatever the order of its wallets. */
export function setKey(ownerNo: OwnerNo, wallets: readonly Pick<WalletRow, 'no'>[]): Buffer {
  const numbers = wallets.map((wallet) => wallet.no).sort((a, b) => a - b)
  return under(ownerNo, Buffer.concat(numbers.map(numberKey)))
}
