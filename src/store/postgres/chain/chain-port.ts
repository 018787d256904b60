import type { NameInNetwork } from '../../../domain/aside.js'
import type { BlockHead, ChainPosition, ChainStep, WatchedAddresses } from '../../../domain/block.js'
import { canonicalAddress, type Network } from '../../../domain/network.js'
import type { Watch } from '../../../domain/watch.js'
import type { ChainPort } from '../../chain.js'
import { answeredLater } from '../../rules/asking.js'
import type { DepositJudge } from '../../rules/judge-report.js'
import { addressesOf, depositsOf } from '../../rules/step-scope.js'
import type { Database } from '../connection/database.js'
import { sql } from '../connection/sql.js'
import { type Ask, findHead, positionOf } from './block-rows.js'
import { factsFrom } from './chain-steps.js'
import { findWatch, noteSettings, noteWatched } from './watch-rows.js'

/** Addresses read at a time. */
const READ_AT_ONCE = 10_000

/** The addresses of the wallets of a network, as far as they have been read. */
interface Known {
  readonly addresses: Set<string>
  boundNo: number
}

/**
 * Reads what a watcher needs to go on. A watcher asks for addresses without waiting, so those of its network are kept here; those
 * that wallets come to have later are read before each step. No wallet ever loses its address.
 */
export class PostgresChain implements ChainPort {
  private readonly known = new Map<Network, Known>()
  private readonly ask: Ask

  constructor(
    private readonly database: Database,
    private readonly judge: DepositJudge,
  ) {
    this.ask = (fragment) => this.database.read(fragment)
  }

  async watch(network: Network): Promise<Watch> {
    const known = await findWatch(this.ask, network)
    return known.watchedAt === null ? await this.database.write((work) => noteWatched(work, network)) : known
  }

  async noteSettings(network: Network, settings: string): Promise<void> {
    await this.database.write(async (work) => noteSettings(work, network, settings))
  }

  position(network: Network): Promise<ChainPosition | undefined> {
    return positionOf(this.ask, network)
  }

  blockAt(network: Network, height: number): Promise<BlockHead | undefined> {
    return findHead(this.ask, network, height)
  }

  addressesOf(step: ChainStep): Promise<readonly string[]> {
    return answeredLater(addressesOf(factsFrom(this.ask, step.network), step, this.judge))
  }

  depositsOf(step: ChainStep): Promise<readonly NameInNetwork[]> {
    return answeredLater(depositsOf(factsFrom(this.ask, step.network), step, this.judge))
  }

  async watched(network: Network): Promise<WatchedAddresses> {
    const known = this.known.get(network) ?? { addresses: new Set<string>(), boundNo: 0 }
    this.known.set(network, known)
    for (let isLeft = true; isLeft; ) {
      // Wallets are counted under a lock, so a number is never seen before a smaller one.
      const rows = await this.database.read<{ address: string; bound_no: number }>(sql`
        SELECT address, bound_no FROM wallets WHERE network = ${network} AND bound_no > ${known.boundNo}::bigint
        ORDER BY bound_no LIMIT ${READ_AT_ONCE}::bigint`)
      for (const { address, bound_no } of rows) {
        known.addresses.add(canonicalAddress(address))
        known.boundNo = Math.max(known.boundNo, bound_no)
      }
      isLeft = rows.length === READ_AT_ONCE
    }
    return {
      has: (address) => known.addresses.has(canonicalAddress(address)),
      few: (limit) => (known.addresses.size <= limit ? [...known.addresses] : null),
    }
  }
}
