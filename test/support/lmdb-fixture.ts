import { WalletDirectory } from '../../src/actors/wallet-directory.js'
import { type Clock, systemClock } from '../../src/clock.js'
import type { InvoiceRequest } from '../../src/domain/invoice.js'
import { type LmdbStore, openLmdbStore } from '../../src/store/lmdb/lmdb-store.js'
import { type InvoiceFields, invoiceRequest as requestOf } from './fixtures.js'
import { lmdbStoreOptions } from './lmdb-harness.js'
import { memoryDirectory } from './temporary-directory.js'

/** A real store in a directory of its own, with the actors in front. */
export interface LmdbFixture {
  readonly store: LmdbStore
  readonly directory: WalletDirectory
  readonly path: string
  /** Creates wallets of `owner`, each with an address of its own. */
  assign(owner: string, ...ids: readonly string[]): Promise<void>
  close(): Promise<void>
}

export async function openFixture(clock: Clock = systemClock): Promise<LmdbFixture> {
  const place = memoryDirectory()
  const store = await openStoreAt(place.path, clock)
  return {
    store,
    directory: new WalletDirectory(store),
    path: place.path,
    assign: async (owner, ...ids) => {
      const fates = await store.ledger.applyFacts(
        ids.flatMap((id) => [
          { eventId: null, fact: { type: 'wallet.created', id, address: addressOf(id), network: 'SEP' } },
          { eventId: null, fact: { type: 'wallet.assigned', id, address: null, network: null, owner } },
        ]),
      )
      for (const fate of fates) {
        if (fate.status === 'rejected' || fate.value.status !== 'applied') throw new Error('a wallet was not assigned')
      }
    },
    close: async () => {
      await store.close()
      place.remove()
    },
  }
}

export function openStoreAt(directory: string, clock: Clock = systemClock): Promise<LmdbStore> {
  return openLmdbStore(lmdbStoreOptions(directory, clock))
}

/** The address that the fixture gives a wallet. */
export function addressOf(walletId: string): string {
  return `0x${Buffer.from(walletId).toString('hex').padStart(40, '0')}`
}

/** A request for an invoice, in USDT unless told otherwise. */
export function invoiceRequest(
  owner: string,
  walletIds: readonly string[],
  amount: string,
  more: Pick<InvoiceFields, 'currency' | 'reference' | 'callbackUrl'> = {},
): InvoiceRequest {
  return requestOf({ owner, walletIds, amount, currency: 'USDT', ...more })
}
