import { randomUUID } from 'node:crypto'
import type { ChangePort, OnChange, OnLogged, OnOwed } from '../changes.js'
import type { OwedDelivery } from '../outbox.js'
import type { Row } from './connection/session.js'
import { type Fragment, sql } from './connection/sql.js'

const ASKED_EVERY_MS = 100
/** Rows of one answer. */
const ROWS_MAX = 1000
/** How long a number that is missing may still come: its transaction ends sooner, or never commits. */
const MISSING_MS = 30_000
/** Numbers that may be missing at once. */
const MISSING_MAX = 10_000
/** Numbers before the newest one that may be missing when a process begins to ask. */
const LOOKED_BACK = 1000

/** What a transaction tells other processes. */
export interface Told {
  readonly walletIds: ReadonlySet<string>
  /** Invoices of which matched deposits changed, and for each a wallet of theirs. */
  readonly invoices: ReadonlyMap<string, string>
  readonly owed: readonly OwedDelivery[]
  /** Owners of whom something was logged, and whose events are sent. */
  readonly logged: ReadonlySet<string>
}

interface LogRow {
  readonly no: number
  readonly writer: string
  readonly wallet_ids: readonly string[]
  /** JSON of `OwedDelivery[]`. */
  readonly owed: string
  readonly logged: readonly string[]
}

type Read = <T = Row>(fragment: Fragment) => Promise<readonly T[]>

/**
 * Tells listeners of this process what was committed: what this process did at once, what others did within moments, because each
 * transaction leaves a row for them. Rows have numbers in the order in which they were made, not committed, so a number that is
 * missing is asked for again until its transaction must have ended.
 */
export class ChangeLog implements ChangePort {
  /** By which this process knows its own rows. */
  readonly writer = randomUUID().replaceAll('-', '')
  private readonly onChanges = new Set<OnChange>()
  private readonly onOweds = new Set<OnOwed>()
  private readonly onLoggeds = new Set<OnLogged>()
  /** The greatest number that was read; null before the first. */
  private newest: number | null = null
  /** Numbers that were not there when a greater one was, and until when they may come. */
  private readonly missing = new Map<number, number>()
  private timer: NodeJS.Timeout | null = null
  private asking: Promise<void> | null = null
  private isClosed = false

  constructor(
    private readonly read: Read,
    /** Milliseconds of a clock that never jumps. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  onChange(listener: OnChange): () => void {
    this.onChanges.add(listener)
    this.askLater()
    return () => this.onChanges.delete(listener)
  }

  async onOwed(listener: OnOwed): Promise<() => void> {
    this.onOweds.add(listener)
    const end = () => this.onOweds.delete(listener)
    await this.ask().catch((error) => {
      // What is behind a number that is known is told later.
      if (this.newest !== null) return
      end()
      throw error
    })
    return end
  }

  onLogged(listener: OnLogged): () => void {
    this.onLoggeds.add(listener)
    this.askLater()
    return () => this.onLoggeds.delete(listener)
  }

  /** The number up to which this process needs no row any more: one behind it is still to be read, or may still come. */
  get heardUpTo(): number {
    return Math.min(this.newest ?? 0, ...[...this.missing.keys()].map((no) => no - 1))
  }

  /** A transaction of this process has committed. Its caller knows what became due. */
  tell({ walletIds, invoices, logged }: Told): void {
    const changed = { walletIds, invoiceIds: new Set(invoices.keys()) }
    if (walletIds.size + invoices.size > 0) for (const listener of this.onChanges) listener(changed)
    if (logged.size > 0) for (const listener of this.onLoggeds) listener(logged)
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.wait(null)
    await this.asking
  }

  private askLater(): void {
    if (this.isClosed || this.timer !== null) return
    // What could not be read now is read later.
    this.wait(setTimeout(() => void this.ask().catch(() => {}), ASKED_EVERY_MS))
  }

  private wait(timer: NodeJS.Timeout | null): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = timer?.unref() ?? null
  }

  /** Asks for what is new, behind a question that is under way. */
  private async ask(): Promise<void> {
    while (this.asking !== null) await this.asking
    if (this.isClosed) return
    const answered = this.readNew()
    this.asking = answered.catch(() => {})
    await this.asking
    this.asking = null
    this.wait(null)
    if (this.onChanges.size + this.onOweds.size + this.onLoggeds.size > 0) this.askLater()
    await answered
  }

  private async readNew(): Promise<void> {
    if (this.newest === null) return this.begin()
    for (;;) {
      const rows = await this.read<LogRow>(sql`
        SELECT no, writer, wallet_ids, owed, logged FROM change_log
        WHERE no > ${this.newest}::bigint OR no = ANY(${[...this.missing.keys()]}::bigint[]) ORDER BY no LIMIT ${ROWS_MAX}::bigint`)
      this.take(rows.map(({ no }) => no))
      this.tellAll(rows.filter(({ writer }) => writer !== this.writer))
      if (rows.length < ROWS_MAX) return
    }
  }

  /** Begins behind what was committed, which a listener that was just added can read, but for what is missing. */
  private async begin(): Promise<void> {
    const rows = await this.read<{ no: number }>(
      sql`SELECT no FROM change_log ORDER BY no DESC LIMIT ${LOOKED_BACK}::bigint`,
    )
    const numbers = rows.map(({ no }) => no).reverse()
    this.newest = (numbers[0] ?? 1) - 1
    this.take(numbers)
  }

  /** Notes which numbers have come, in order, and which are missing. */
  private take(numbers: readonly number[]): void {
    const now = this.now()
    for (const no of numbers) {
      this.missing.delete(no)
      const newest = this.newest ?? 0
      for (let other = Math.max(newest + 1, no - MISSING_MAX); other < no; other += 1) {
        this.missing.set(other, now + MISSING_MS)
      }
      this.newest = Math.max(newest, no)
    }
    for (const [no, until] of this.missing) {
      if (until > now && this.missing.size <= MISSING_MAX) break
      this.missing.delete(no)
    }
  }

  private tellAll(rows: readonly LogRow[]): void {
    const walletIds = new Set(rows.flatMap(({ wallet_ids }) => wallet_ids))
    this.tell({ walletIds, invoices: new Map(), owed: [], logged: new Set(rows.flatMap(({ logged }) => logged)) })
    const owed = rows.flatMap((row) => JSON.parse(row.owed) as readonly OwedDelivery[])
    if (owed.length > 0) for (const listener of this.onOweds) listener(owed)
  }
}

/**
 * The row of a transaction, for other processes, and none where it tells nothing. It has no column for invoices: their wallets stand for
 * them. `logged`: owners of whom something was logged. Answers those of them whose events are sent.
 */
export function logChange({ walletIds, invoices, owed, logged }: Told, writer: string, nowMs: number): Fragment {
  const wallets = [...new Set([...walletIds, ...invoices.values()])]
  return sql`
    INSERT INTO change_log (at, writer, wallet_ids, owed, logged)
    SELECT ${nowMs}::bigint, ${writer}::uuid, ${wallets}::text[], ${JSON.stringify(owed)}, sent.owners
    FROM (SELECT coalesce(array_agg(owner), '{}') AS owners FROM event_cursors WHERE owner = ANY(${[...logged]}::text[])) AS sent
    WHERE ${wallets.length + owed.length > 0} OR cardinality(sent.owners) > 0 RETURNING logged`
}
