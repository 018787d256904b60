import type { Wallet } from '../../domain/wallet.js'
import type { KnownOwner, OverviewPort, Page, PageOf, RecordCounts } from '../store.js'
import type { CommitLoop } from './commit/commit-loop.js'
import { identityCodec } from './identities/identities.js'
import { type ReadTable, rowCount } from './tables/tables.js'
import { toWallet, walletCodec } from './wallets/wallets.js'

/** Records of all owners, in the order of their keys. A cursor is the last key read, in hex. */
export class LmdbOverview implements OverviewPort {
  constructor(private readonly commits: CommitLoop) {}

  counts(): RecordCounts {
    const { identities, wallets, apiKeys, invoices, deposits, deliveries } = this.commits.snapshot.tables
    return {
      identities: rowCount(identities),
      wallets: rowCount(wallets),
      keys: rowCount(apiKeys),
      invoices: rowCount(invoices),
      deposits: rowCount(deposits),
      deliveries: rowCount(deliveries),
    }
  }

  owners(page: Page): PageOf<KnownOwner> {
    return pageOf(this.commits.snapshot.tables.identities, page, (key, value) => {
      const { isKnown } = identityCodec.decode(value)
      return { owner: key.toString(), isKnown }
    })
  }

  wallets(page: Page): PageOf<Wallet> {
    return pageOf(this.commits.snapshot.tables.wallets, page, (_, value) => toWallet(walletCodec.decode(value)))
  }
}

/** A page of a table. A cursor of another form reads from the beginning. */
function pageOf<T>(table: ReadTable, { after, limit }: Page, toItem: (key: Buffer, value: Buffer) => T): PageOf<T> {
  const start = after === null ? {} : { start: Buffer.concat([Buffer.from(after, 'hex'), Buffer.of(0)]) }
  const items: T[] = []
  let last: Buffer | null = null
  for (const { key, value } of table.getRange({ ...start, limit })) {
    items.push(toItem(key, value))
    last = key
  }
  return { items, next: items.length < limit ? null : (last?.toString('hex') ?? null) }
}
