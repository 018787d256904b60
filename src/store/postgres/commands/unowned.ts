import type { IdempotentRequest } from '../../../domain/idempotency.js'
import { INVOICE_WALLETS_MAX } from '../../../domain/invoice.js'
import { flawOfWalletId } from '../../../domain/wallet.js'
import type { EarlierRequest } from '../../rules/create-invoice.js'
import type { EarlierOrder } from '../../rules/create-order.js'
import type { UnownedWork } from '../../rules/unowned-wallets.js'
import { Batcher } from '../connection/batcher.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import { walletsIn, walletsText } from '../invoices/wallets-text.js'
import { earlierOf, earlierOrderOf, type KnownRequest, knownRequests } from './requests.js'

/** An owner, and wallets that may be the owner's. */
interface Claim {
  readonly owner: string
  readonly walletIds: readonly string[]
}

/** What answers creations on wallets of others. */
export class PostgresUnowned implements UnownedWork {
  /** The wallets of each claim that are not its owner's; nothing for one of which all are. */
  private readonly ordinary = this.batcher()
  /** Of more wallets than an invoice may name: others do not wait for a statement about hundreds of them. */
  private readonly wide = this.batcher()

  constructor(private readonly database: Database) {}

  async unownedOf(owner: string, walletIds: readonly string[]): Promise<string | undefined> {
    const possible = walletIds.filter((id) => flawOfWalletId(id) === null)
    const batcher = possible.length > INVOICE_WALLETS_MAX ? this.wide : this.ordinary
    const unowned = await batcher.ask({ owner, walletIds: possible })
    if (unowned === undefined && possible.length === walletIds.length) return undefined
    return walletIds.find((id) => flawOfWalletId(id) !== null || unowned?.has(id) === true)
  }

  async earlier(request: IdempotentRequest): Promise<EarlierRequest | undefined> {
    return earlierOf(await this.known(request), request)
  }

  async earlierOrder(request: IdempotentRequest): Promise<EarlierOrder | undefined> {
    return earlierOrderOf(await this.known(request), request)
  }

  private known({ scope }: IdempotentRequest): Promise<ReadonlyMap<string, KnownRequest>> {
    return this.database.write((work) => knownRequests(work, [scope]))
  }

  private batcher(): Batcher<Claim, ReadonlySet<string>> {
    return new Batcher(
      (claims: readonly Claim[]) => this.unownedOfAll(claims),
      ({ walletIds }) => walletIds.length,
    )
  }

  private async unownedOfAll(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, ReadonlySet<string>>> {
    const rows = await this.database.read<{ readonly no: number; readonly wallet_id: string }>(sql`
      SELECT claim.no, claim.wallet_id FROM (
        SELECT a.no, a.owner, ${walletsIn(sql`a.wallet_ids`)} AS wallet_id FROM unnest(
          ${claims.map((_, no) => no)}::bigint[], ${claims.map(({ owner }) => owner)}::text[],
          ${claims.map(({ walletIds }) => walletsText(walletIds))}::text[]
        ) AS a (no, owner, wallet_ids)
      ) AS claim
      LEFT JOIN wallets AS w ON w.id = claim.wallet_id WHERE w.owner IS DISTINCT FROM claim.owner`)
    const unowned = new Map<Claim, Set<string>>()
    for (const { no, wallet_id } of rows) {
      const claim = claims[no]
      if (claim === undefined) throw new Error('a wallet was answered that was not asked for')
      unowned.set(claim, (unowned.get(claim) ?? new Set()).add(wallet_id))
    }
    return unowned
  }
}
