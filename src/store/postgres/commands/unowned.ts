import type { IdempotentRequest } from '../../../domain/idempotency.js'
import type { EarlierRequest } from '../../rules/create-invoice.js'
import type { EarlierOrder } from '../../rules/create-order.js'
import type { UnownedWork } from '../../rules/unowned-wallets.js'
import { Batcher } from '../connection/batcher.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import { earlierOf, earlierOrderOf, type KnownRequest, knownRequests } from './requests.js'

/** What answers creations on wallets of others. */
export class PostgresUnowned implements UnownedWork {
  /** The owner of each wallet that has one. */
  private readonly owners = new Batcher((walletIds: readonly string[]) => this.ownersOf(walletIds))

  constructor(private readonly database: Database) {}

  async unownedOf(owner: string, walletIds: readonly string[]): Promise<string | undefined> {
    const owners = await Promise.all(walletIds.map((id) => this.owners.ask(id)))
    return walletIds.find((_, i) => owners[i] !== owner)
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

  private async ownersOf(walletIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.read<{ id: string; owner: string }>(
      sql`SELECT id, owner FROM wallets WHERE id = ANY(${walletIds}::text[]) AND owner IS NOT NULL`,
    )
    return new Map(rows.map(({ id, owner }) => [id, owner]))
  }
}
