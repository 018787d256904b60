import { OWNER_FLAW, parseOwner } from '../../domain/identity.js'
import type { EventOutcome, LedgerFact } from '../../domain/ledger-fact.js'
import { canonicalAddress, NETWORKS, type Network } from '../../domain/network.js'
import {
  type ClaimedWallet,
  decideWalletFact,
  type FlawOfAddress,
  flawOfWalletId,
  type Wallet,
} from '../../domain/wallet.js'
import type { Page, PageOf } from '../pages.js'
import { endOf, isKey, NUMBER_BYTES, numberKey, TIME_MAX, under, WIDE_BYTES } from './bytes.js'
import type { Identities } from './identities.js'
import { LedgerDates } from './ledger-dates.js'
import { pageKeys } from './pages.js'
import { recordCodec } from './record-codec.js'
import { RecordMemo } from './record-memo.js'
import { RowCache } from './row-cache.js'
import type { Sequences } from './sequences.js'
import { firstKey, type Tables } from './tables.js'

export interface WalletRow extends Wallet {
  readonly no: number
  readonly addressNo: number | null
  readonly ownerNo: number | null
  /** Orders the wallets of an owner by when they were assigned. */
  readonly assignmentNo: number | null
  /** Unix milliseconds until which it is handed out; 0 when it never was. */
  readonly leasedUntil: number
}

const walletCodec = recordCodec<WalletRow>(
  'wallets',
  1,
  (row) => [
    row.id,
    row.no,
    row.network,
    row.address,
    row.addressNo,
    row.owner,
    row.ownerNo,
    row.assignedAt,
    row.assignmentNo,
    row.leasedUntil,
  ],
  (fields) => ({
    id: fields.text(),
    no: fields.integer(),
    network: fields.oneOfOrNull(NETWORKS),
    address: fields.textOrNull(),
    addressNo: fields.integerOrNull(),
    owner: fields.textOrNull(),
    ownerNo: fields.integerOrNull(),
    assignedAt: fields.integerOrNull(),
    assignmentNo: fields.integerOrNull(),
    leasedUntil: fields.integer(),
  }),
)

/** An address to which something was deposited or that a wallet has; the wallet may become known later. */
export interface AddressRow {
  readonly no: number
  readonly walletId: string | null
}

const addressCodec = recordCodec<AddressRow>(
  'addresses',
  1,
  (row) => [row.no, row.walletId],
  (fields) => ({ no: fields.integer(), walletId: fields.textOrNull() }),
)

const FREE_KEY_BYTES = 1 + WIDE_BYTES + NUMBER_BYTES

/** Wallets, their addresses and owners, and the pool of unassigned ones. */
export class Wallets {
  private readonly memo = new RecordMemo(walletCodec)
  private readonly rowsInCommit = new RowCache<WalletRow>()
  private readonly dates: LedgerDates

  constructor(
    private readonly tables: Tables,
    private readonly sequences: Sequences,
    private readonly identities: Identities,
    private readonly flawOfAddress: FlawOfAddress,
  ) {
    this.dates = new LedgerDates(tables)
  }

  find(id: string): WalletRow | undefined {
    if (flawOfWalletId(id) !== null) return undefined
    const bytes = this.tables.wallets.getBinaryFast(Buffer.from(id))
    return bytes === undefined ? undefined : this.memo.decode(id, bytes)
  }

  /** The same, in a commit. */
  findInCommit(id: string): WalletRow | undefined {
    const known = this.rowsInCommit.get(id)
    if (known !== undefined) return known
    const row = this.find(id)
    if (row !== undefined) this.rowsInCommit.set(id, row)
    return row
  }

  /** After an aborted commit. */
  forget(): void {
    this.rowsInCommit.forget()
  }

  at(network: Network, address: string): WalletRow | undefined {
    const walletId = this.address(network, address)?.walletId ?? null
    return walletId === null ? undefined : this.find(walletId)
  }

  /** Whether every one of the wallets is known and belongs to the owner. */
  areAllOf(owner: string, ids: readonly string[]): boolean {
    for (const id of ids) {
      // What a commit has seen of late lets a request in at once. It is decided again in its turn.
      if (this.rowsInCommit.get(id)?.owner !== owner && this.find(id)?.owner !== owner) return false
    }
    return true
  }

  /** Whether an address is a wallet's. */
  isWallets(network: Network, address: string): boolean {
    return (this.address(network, address)?.walletId ?? null) !== null
  }

  /** The address's row, made on first use. */
  internAddress(network: Network, address: string): AddressRow {
    const known = this.address(network, address)
    if (known !== undefined) return known
    const row: AddressRow = { no: this.sequences.next('address'), walletId: null }
    this.tables.addresses.putSync(addressKey(network, address), addressCodec.encode(row))
    return row
  }

  /** Applies a fact of the ledger; the decision is `decideWalletFact`'s. */
  apply(fact: LedgerFact, nowMs: number): EventOutcome {
    if (fact.type === 'identity.onboarded') {
      if (parseOwner(fact.identity) !== fact.identity) return { status: 'rejected', error: OWNER_FLAW }
      return { status: this.identities.markKnown(fact.identity) ? 'applied' : 'duplicate' }
    }
    const ledgerMs = fact.type === 'wallet.assigned' ? (fact.ledgerMs ?? null) : null
    if (ledgerMs !== null && this.dates.isOvertaken(fact.id, ledgerMs)) return { status: 'duplicate' }
    const known = this.find(fact.id)
    const holder = fact.network === null || fact.address === null ? undefined : this.address(fact.network, fact.address)
    const decision = decideWalletFact(fact, known ?? null, holder?.walletId ?? null, nowMs, this.flawOfAddress)
    if ('error' in decision) return { status: 'rejected', error: decision.error }
    if (decision.wallet === null) return { status: 'duplicate' }
    this.put(decision.wallet, known)
    if (ledgerMs !== null) this.dates.note(fact.id, ledgerMs)
    return { status: 'applied' }
  }

  /** Keeps the ledger's date of an assignment that told nothing new. */
  noteDate({ id, owner, ledgerMs }: Extract<LedgerFact, { type: 'wallet.assigned' }>): void {
    if (ledgerMs !== undefined && this.find(id)?.owner === owner) this.dates.note(id, ledgerMs)
  }

  /** Hands out the wallet that has been free the longest. */
  claim(network: Network, nowMs: number, leaseMs: number): ClaimedWallet | null {
    const prefix = Buffer.of(NETWORKS.indexOf(network))
    const key = firstKey(this.tables.freeWallets, prefix, endOf(prefix, FREE_KEY_BYTES))
    if (key === undefined || key.readUIntBE(1, WIDE_BYTES) > nowMs) return null
    const walletId = this.tables.freeWallets.get(key)?.toString() ?? ''
    const row = this.find(walletId)
    if (row === undefined || row.address === null) throw new Error('the pool of wallets names one that is not there')
    const leased = { ...row, leasedUntil: Math.min(nowMs + leaseMs, TIME_MAX) }
    this.tables.freeWallets.removeSync(key)
    this.tables.freeWallets.putSync(freeKey(network, leased.leasedUntil, row.no), Buffer.from(row.id))
    this.save(leased)
    return { id: row.id, address: row.address }
  }

  countUnassigned(network: Network): number {
    const prefix = Buffer.of(NETWORKS.indexOf(network))
    return this.tables.freeWallets.getKeysCount({ start: prefix, end: endOf(prefix, FREE_KEY_BYTES) })
  }

  /** The pool is in order of the ends of leases, so what can be claimed stands first. */
  countClaimable(network: Network, nowMs: number, limit: number): number {
    const start = Buffer.of(NETWORKS.indexOf(network))
    const end = freeKey(network, nowMs + 1, 0)
    let count = 0
    for (const _ of this.tables.freeWallets.getKeys({ start, end, limit })) count += 1
    return count
  }

  /** The wallets of an owner, latest assignment first. Cursors are assignment sequences. */
  pageOf(owner: string, page: Page): PageOf<Wallet> {
    const ownerNo = this.identities.numberOf(owner)
    if (ownerNo === undefined) return { items: [], next: null }
    return pageKeys(this.tables.ownerWallets, numberKey(ownerNo), NUMBER_BYTES, page, (key) => {
      const id = this.tables.ownerWallets.get(key)?.toString() ?? ''
      const row = this.find(id)
      if (row === undefined) throw new Error('the list of wallets names one that is not there')
      return toWallet(row)
    })
  }

  private address(network: Network, address: string): AddressRow | undefined {
    const key = addressKey(network, address)
    const bytes = isKey(key) ? this.tables.addresses.getBinaryFast(key) : undefined
    return bytes === undefined ? undefined : addressCodec.decode(bytes)
  }

  private put(wallet: Wallet, known: WalletRow | undefined): void {
    const no = known?.no ?? this.sequences.next('wallet')
    const isReassigned = wallet.owner !== (known?.owner ?? null)
    const ownerNo = wallet.owner === null ? null : this.identities.intern(wallet.owner)
    const row: WalletRow = {
      ...wallet,
      no,
      ownerNo,
      addressNo: this.bindAddress(wallet),
      assignmentNo:
        isReassigned && wallet.owner !== null ? this.sequences.next('assignment') : (known?.assignmentNo ?? null),
      leasedUntil: known?.leasedUntil ?? 0,
    }
    this.save(row)
    if (known !== undefined) this.unlist(known)
    this.list(row)
    if (wallet.owner !== null) this.identities.markKnown(wallet.owner)
  }

  private save(row: WalletRow): void {
    this.tables.wallets.putSync(Buffer.from(row.id), walletCodec.encode(row))
    this.rowsInCommit.set(row.id, row)
  }

  private bindAddress(wallet: Wallet): number | null {
    if (wallet.network === null || wallet.address === null) return null
    const row = this.internAddress(wallet.network, wallet.address)
    if (row.walletId !== wallet.id) {
      const bound = addressCodec.encode({ ...row, walletId: wallet.id })
      this.tables.addresses.putSync(addressKey(wallet.network, wallet.address), bound)
    }
    return row.no
  }

  private list(row: WalletRow): void {
    if (row.ownerNo !== null && row.assignmentNo !== null) {
      this.tables.ownerWallets.putSync(under(row.ownerNo, numberKey(row.assignmentNo)), Buffer.from(row.id))
    } else if (row.network !== null) {
      this.tables.freeWallets.putSync(freeKey(row.network, row.leasedUntil, row.no), Buffer.from(row.id))
    }
  }

  private unlist(row: WalletRow): void {
    if (row.ownerNo !== null && row.assignmentNo !== null) {
      this.tables.ownerWallets.removeSync(under(row.ownerNo, numberKey(row.assignmentNo)))
    } else if (row.network !== null) {
      this.tables.freeWallets.removeSync(freeKey(row.network, row.leasedUntil, row.no))
    }
  }
}

export function toWallet(row: WalletRow): Wallet {
  return { id: row.id, network: row.network, address: row.address, owner: row.owner, assignedAt: row.assignedAt }
}

function addressKey(network: Network, address: string): Buffer {
  const canonical = Buffer.from(canonicalAddress(network, address))
  return Buffer.concat([Buffer.of(NETWORKS.indexOf(network)), canonical])
}

function freeKey(network: Network, leasedUntil: number, walletNo: number): Buffer {
  const key = Buffer.allocUnsafe(FREE_KEY_BYTES)
  key[0] = NETWORKS.indexOf(network)
  key.writeUIntBE(leasedUntil, 1, WIDE_BYTES)
  key.writeUInt32BE(walletNo, 1 + WIDE_BYTES)
  return key
}
