import { WIDE_BYTES } from './bytes.js'
import type { Tables } from './tables.js'

/**
 * When the ledger assigned each wallet to its present owner, by the ledger's clock, as far as it was told. A ledger's
 * transactions may be learned in another order than the ledger has them in.
 */
export class LedgerDates {
  constructor(private readonly tables: Tables) {}

  /** Whether something that the ledger dates at `ledgerMs` was overtaken by a later assignment of the wallet. */
  isOvertaken(walletId: string, ledgerMs: number): boolean {
    const known = this.of(walletId)
    return known !== null && ledgerMs < known
  }

  /** Keeps the later one of what is known and `ledgerMs`. */
  note(walletId: string, ledgerMs: number): void {
    const known = this.of(walletId)
    if (known !== null && known >= ledgerMs) return
    const bytes = Buffer.alloc(WIDE_BYTES)
    bytes.writeUIntBE(ledgerMs, 0, WIDE_BYTES)
    this.tables.ledgerDates.putSync(Buffer.from(walletId), bytes)
  }

  private of(walletId: string): number | null {
    const bytes = this.tables.ledgerDates.get(Buffer.from(walletId))
    return bytes === undefined ? null : bytes.readUIntBE(0, WIDE_BYTES)
  }
}
