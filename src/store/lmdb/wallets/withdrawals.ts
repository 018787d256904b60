import type { Network } from '../../../domain/network.js'
import { WITHDRAWN_UNTIL, type Withdrawal, type WithdrawnWallet } from '../../../domain/withdrawal.js'
import type { Page, PageOf } from '../../reading.js'
import type { Commit, Reader } from '../commit/commit.js'
import { behindNetwork } from '../tables/keys.js'
import { integer, recordCodec, text } from '../tables/record-codec.js'
import type { WalletRow } from './wallet-row.js'
import { findWallet, freeKey, toWallet } from './wallets.js'

export const withdrawalCodec = recordCodec<Withdrawal>('withdrawn-wallets', 1, {
  umid: text,
  ledgerMs: integer,
  at: integer,
})

/** Cursors are wallet ids. */
export function withdrawnPage(at: Reader, { after, limit, slice }: Page): PageOf<WithdrawnWallet> {
  const items: WithdrawnWallet[] = []
  const start = after === null ? {} : { start: Buffer.from(after), exclusiveStart: true }
  let last: string | null = null
  for (const { key, value } of at.tables.withdrawnWallets.getRange(start)) {
    if (last !== null && (items.length >= limit || slice?.isOver === true)) return { items, next: last }
    last = key.toString()
    const row = findWallet(at, last)
    if (row !== undefined && isWithdrawn(row))
      items.push({ ...toWallet(row), withdrawal: withdrawalCodec.decode(value) })
  }
  return { items, next: null }
}

export function countWithdrawn({ tables }: Pick<Reader, 'tables'>, network: Network): number {
  const range = { start: freeKey(network, WITHDRAWN_UNTIL, 0), end: behindNetwork(network) }
  return tables.freeWallets.getKeysCount(range)
}

export function withdrawalOf({ tables }: Pick<Reader, 'tables'>, id: string): Withdrawal | null {
  const bytes = tables.withdrawnWallets.get(Buffer.from(id))
  return bytes === undefined ? null : withdrawalCodec.decode(bytes)
}

export function putWithdrawal({ tables }: Pick<Commit, 'tables'>, id: string, withdrawal: Withdrawal): void {
  tables.withdrawnWallets.putSync(Buffer.from(id), withdrawalCodec.encode(withdrawal))
}

function isWithdrawn({ owner, leasedUntil }: WalletRow): boolean {
  return owner === null && leasedUntil === WITHDRAWN_UNTIL
}
