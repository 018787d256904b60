import { numberKey, under } from './bytes.js'
import { recordCodec } from './record-codec.js'
import { RowCache } from './row-cache.js'
import type { Sequences } from './sequences.js'
import type { Tables } from './tables.js'
import type { WalletRow } from './wallets.js'

/** An owner together with the set of wallets that invoices ask to be paid to. All invoices of a payee receive the same deposits. */
export interface Payee {
  readonly no: number
  readonly owner: string
  readonly ownerNo: number
  readonly walletIds: readonly string[]
  /** The same, comma-joined. */
  readonly walletIdsText: string
}

/** Payees kept in memory; beyond, all are read anew. */
const CACHE_LIMIT = 10_000

const codec = recordCodec<Omit<Payee, 'no' | 'walletIds'>>(
  'payees',
  1,
  (payee) => [payee.owner, payee.ownerNo, payee.walletIdsText],
  (fields) => ({ owner: fields.text(), ownerNo: fields.integer(), walletIdsText: fields.text() }),
)

/** Payees, numbered on first use. A payee never changes, so those that were read stay in memory: every invoice needs its payee. */
export class Payees {
  private readonly cache = new Map<number, Payee>()
  /** The latest payee of one wallet alone, by the wallet's number: most invoices name one. */
  private readonly ofOneWallet = new RowCache<Pick<Payee, 'no' | 'ownerNo'>, number>()

  constructor(
    private readonly tables: Tables,
    private readonly sequences: Sequences,
  ) {}

  /** The number of the payee, in a commit, if it has one; `wallets` in any order. */
  numberOf(ownerNo: number, wallets: readonly WalletRow[]): number | undefined {
    const only = wallets.length === 1 ? wallets[0] : undefined
    const known = only === undefined ? undefined : this.ofOneWallet.get(only.no)
    if (known?.ownerNo === ownerNo) return known.no
    const no = this.tables.payeeNumbers.get(payeeKey(ownerNo, wallets))?.readUInt32BE(0)
    if (only !== undefined && no !== undefined) this.ofOneWallet.set(only.no, { no, ownerNo })
    return no
  }

  /** The same, made on first use. */
  intern(owner: string, ownerNo: number, wallets: readonly WalletRow[]): number {
    return this.numberOf(ownerNo, wallets) ?? this.add(payeeKey(ownerNo, wallets), owner, ownerNo, wallets)
  }

  private add(key: Buffer, owner: string, ownerNo: number, wallets: readonly WalletRow[]): number {
    const no = this.sequences.next('payee')
    const walletIdsText = wallets.map((wallet) => wallet.id).join(',')
    this.tables.payeeNumbers.putSync(key, numberKey(no))
    this.tables.payees.putSync(numberKey(no), codec.encode({ owner, ownerNo, walletIdsText }))
    return no
  }

  find(no: number): Payee {
    const cached = this.cache.get(no)
    if (cached !== undefined) return cached
    const bytes = this.tables.payees.get(numberKey(no))
    if (bytes === undefined) throw new Error('an index names a payee that is not there')
    const stored = codec.decode(bytes)
    const payee = { no, ...stored, walletIds: stored.walletIdsText.split(',') }
    if (this.cache.size >= CACHE_LIMIT) this.cache.clear()
    this.cache.set(no, payee)
    return payee
  }

  /** After an aborted transaction: what was made in it is gone, and its number will name another payee. */
  forget(): void {
    this.cache.clear()
    this.ofOneWallet.forget()
  }
}

function payeeKey(ownerNo: number, wallets: readonly WalletRow[]): Buffer {
  const numbers = wallets.map((wallet) => wallet.no).sort((a, b) => a - b)
  return under(ownerNo, Buffer.concat(numbers.map(numberKey)))
}
