import { BoundedMap } from '../../../base/bounded-map.js'
import type { ApiKey } from '../../../domain/api-key.js'
import type { EventPosition } from '../events/event-position.js'
import type { SetOfOneWallet, WalletSet } from '../invoices/wallet-set.js'
import { apiKeyCodec } from '../keys/api-key-row.js'
import { CurrencyNumbers } from '../tables/currencies.js'
import type { DeliveryId, Numbers, OwnerNo, SetNo, WalletNo } from '../tables/keys.js'
import { integer, RecordMemo, recordCodec } from '../tables/record-codec.js'
import type { Tables } from '../tables/tables.js'
import { type WalletRow, walletCodec } from '../wallets/wallet-row.js'

/** Rows of a kind that are kept in memory. Beyond that, the least recently used are read again. */
const ROWS_MAX = 32_768

/**
 * What commits have read and written, so that the next unit need not read it again. Only a `Commit` gives access to it. It
 * stays while transactions succeed. When one is undone, the commit loop replaces it by an empty one.
 */
export class Caches {
  readonly sequences = new Sequences()
  readonly ownerNos = new BoundedMap<string, OwnerNo>(ROWS_MAX)
  readonly wallets = new BoundedMap<string, WalletRow>(ROWS_MAX)
  /** By id. */
  readonly keys = new BoundedMap<string, ApiKey>(ROWS_MAX)
  readonly walletSets = new BoundedMap<SetNo, WalletSet>(ROWS_MAX)
  /** The latest set of a wallet alone: most invoices name one wallet. */
  readonly setsOfOne = new BoundedMap<WalletNo, SetOfOneWallet>(ROWS_MAX)
  readonly openSets = new OpenSetsCache()
  /** By URL: the hash that stands for its origin in the key of a lane. */
  readonly origins = new BoundedMap<string, Buffer>(ROWS_MAX)
  /** When the first invoice is due to expire; null while that is not known. */
  firstExpiryAt: number | null = null
  /** The greatest id of a delivery; undefined until it is read. */
  newestDelivery: DeliveryId | undefined
  /** Where the log of an owner ends. */
  readonly lastEvents = new BoundedMap<OwnerNo, EventPosition>(ROWS_MAX)
  /** Owners whose events are sent; null until they are read. */
  followers: Map<OwnerNo, string> | null = null
  /** The owner behind whom the removal of events goes on; null to begin. */
  eventsRemovedTo: OwnerNo | null = null
  /** The wallet whose open invoices were examined last, so that each has its turn. */
  settledWallet = 0 as WalletNo
  /** Where the removal of settled deliveries goes on, so that those which stay cannot hide the others; null to begin. */
  removedTo: DeliveryId | null = null
  private currencies: CurrencyNumbers | null = null

  currenciesIn({ currencies }: Tables): CurrencyNumbers {
    this.currencies ??= new CurrencyNumbers(currencies)
    return this.currencies
  }
}

/** Which sets of wallets have open invoices, and where there is no room for another (`invoices/open-invoices.ts`). */
class OpenSetsCache {
  /** Whether a set has an open invoice. */
  readonly holders = new BoundedMap<SetNo, boolean>(ROWS_MAX)
  /** How many sets have one at a place, by the bytes of the place. */
  readonly counts = new BoundedMap<string, number>(ROWS_MAX)
  /** Places that were found to have no room, until an invoice or a deposit changes that. */
  readonly full = new Set<string>()
  /** The wallets whose confirmed deposits decide about the full places. */
  readonly deciding = new Set<string>()

  clear(): void {
    this.holders.clear()
    this.counts.clear()
    this.full.clear()
    this.deciding.clear()
  }
}

/**
 * What readers remember of committed rows: rows that never change, and records with the bytes that they were read from.
 * Both are right whatever is written meanwhile, so nothing drops them.
 */
export class Memos {
  readonly wallets = new RecordMemo(walletCodec)
  /** By public key. */
  readonly keys = new RecordMemo(apiKeyCodec)
  readonly walletSets = new BoundedMap<SetNo, WalletSet>(ROWS_MAX)
}

/** The last number of each kind. Numbers keep keys short and sort by age. */
export type LastNumbers = Record<keyof Numbers, number>

export const NUMBERS_KEY = Buffer.from('numbers')

export const numbersCodec = recordCodec<LastNumbers>('meta/sequences', 1, {
  owner: integer,
  wallet: integer,
  address: integer,
  assignment: integer,
  apiKey: integer,
  walletSet: integer,
  deposit: integer,
})

const NONE: LastNumbers = { owner: 0, wallet: 0, address: 0, assignment: 0, apiKey: 0, walletSet: 0, deposit: 0 }

/** The last numbers handed out. A commit reads them at their first use. */
class Sequences {
  private last: LastNumbers | null = null

  next<K extends keyof Numbers>({ meta }: Tables, kind: K): Numbers[K] {
    const last = this.read(meta)
    last[kind] += 1
    meta.putSync(NUMBERS_KEY, numbersCodec.encode(last))
    return last[kind] as Numbers[K]
  }

  /** A record of another store came with its number: later ones are greater. */
  use({ meta }: Tables, kind: keyof Numbers, number: number): void {
    const last = this.read(meta)
    if (number <= last[kind]) return
    last[kind] = number
    meta.putSync(NUMBERS_KEY, numbersCodec.encode(last))
  }

  private read(meta: Tables['meta']): LastNumbers {
    if (this.last === null) {
      const stored = meta.get(NUMBERS_KEY)
      this.last = stored === undefined ? { ...NONE } : numbersCodec.decode(stored)
    }
    return this.last
  }
}
