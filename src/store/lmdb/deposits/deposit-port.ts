import type { Deposit } from '../../../domain/deposit.js'
import type { Network, Networks } from '../../../domain/network.js'
import type { StrayDeposit } from '../../../domain/payment.js'
import type { Span } from '../../../domain/zone.js'
import type { DepositPort, StraySearch } from '../../deposits.js'
import type { Page, PageOf } from '../../reading.js'
import type { ReceivedDeposit } from '../../received.js'
import type { CommitLoop } from '../commit/commit-loop.js'
import { strayDeposits } from '../payments/stray-deposits.js'
import { behindNetwork, networkKey } from '../tables/keys.js'
import { depositCodec, findDeposit } from './deposit-rows.js'
import { pageReceived } from './received.js'

/** Reads deposits. */
export class LmdbDeposits implements DepositPort {
  constructor(
    private readonly commits: CommitLoop,
    private readonly networks: Networks,
  ) {}

  find(network: Network, txHash: string, index: number): Deposit | undefined {
    return findDeposit(this.commits.snapshot, { network, txHash, index })?.deposit
  }

  strays(search: StraySearch, limit: number): readonly StrayDeposit[] {
    return strayDeposits(this.commits.snapshot, this.networks, search, limit)
  }

  received(span: Span, page: Page): PageOf<ReceivedDeposit> {
    return pageReceived(this.commits.snapshot, span, page)
  }

  /** In the order of the keys. A cursor is the last key read, in hex; one of another form reads from the beginning. */
  page(network: Network, page: Page): PageOf<Deposit> {
    const first = networkKey(network)
    const start = page.after === null ? first : Buffer.concat([Buffer.from(page.after, 'hex'), Buffer.of(0)])
    const end = behindNetwork(network)
    const items: Deposit[] = []
    let last: Buffer | null = null
    for (const { key, value } of this.commits.snapshot.tables.deposits.getRange({ start, end, limit: page.limit })) {
      items.push(depositCodec.decode(value).deposit)
      last = key
    }
    return { items, next: items.length < page.limit ? null : (last?.toString('hex') ?? null) }
  }
}
