import type { DatabaseAddress } from '../../../base/database-address.js'
import { OperatorError } from '../../../operator-error.js'
import { positionToGoOn } from '../../moving/begun.js'
import type { MovePosition, MoveSource, MoveTarget, Placed } from '../../moving/ports.js'
import type { MovedKind, MovedPayment, MovedRecords } from '../../moving/records.js'
import { StorageUnavailable } from '../../refusals.js'
import type { CheckProgress, CheckResult, Violation } from '../../upkeep.js'
import { Database, type DatabaseOptions } from '../connection/database.js'
import { Fragment, sql, type Value } from '../connection/sql.js'
import type { Work } from '../connection/work.js'
import { type InvoiceColumns, selectInvoices, toRow } from '../invoices/invoice-rows.js'
import { type Kind, prepareSchema } from '../schema/prepare.js'
import { assertKeepsSessions } from '../schema/sessions.js'
import { checkSnapshot } from '../upkeep/check.js'
import { completeMove } from './complete.js'
import { type PostgresMovedKind, placed } from './moved-kind.js'
import { POSTGRES_KINDS } from './moved-kinds.js'
import { openSound } from './open-sound.js'
import { Snapshot } from './snapshot.js'

/** The tables of which each row is a record. */
const COUNTED = [
  ...['identities', 'addresses', 'wallets', 'api_keys', 'invoices', 'deposits', 'blocks', 'answered_events'],
  ...['orders', 'notes'],
  ...['ledger_progress', 'ledger_taken', 'ledger_set_aside', 'webhooks', 'deliveries', 'owner_events', 'event_heads'],
  ...['idempotency_keys', 'signed_creations', 'audit'],
]

/** Opens the data of a database to move it elsewhere. It is only read. */
export async function openPostgresSource(address: DatabaseAddress): Promise<MoveSource & { readonly kind: Kind }> {
  const { snapshot, kind } = await openSound(address)
  await snapshot.close()
  return Object.assign(new PostgresReading(address), { kind })
}

/** Opens a database to fill it; makes its tables. */
export async function openPostgresTarget(options: DatabaseOptions, kind: Kind): Promise<MoveTarget> {
  const database = new Database(options)
  try {
    await assertKeepsSessions(options.address)
    await prepareSchema(database, { kind, mayBegin: true, isMove: true })
    return new PostgresFilling(options.address, database)
  } catch (error) {
    await database.close()
    if (!(error instanceof StorageUnavailable)) throw error
    const { cause } = error
    const why = cause instanceof Error ? cause.message || cause.name : String(cause)
    throw new OperatorError(`the database ${options.address.shown} cannot be used: ${why}`)
  }
}

async function withSnapshot<T>(address: DatabaseAddress, use: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const snapshot = await Snapshot.open(address)
  try {
    return await use(snapshot)
  } finally {
    await snapshot.close()
  }
}

/** Reads one database. */
class PostgresReading implements MoveSource {
  /** What had been written when it was asked first. */
  private written: string | null = null

  constructor(protected readonly address: DatabaseAddress) {}

  get name(): string {
    return this.address.shown
  }

  count(): Promise<number> {
    const counts = COUNTED.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')
    return withSnapshot(this.address, async (snapshot) => {
      const row = await snapshot.one<{ total: number }>(new Fragment([`SELECT ${counts} AS total`], []))
      return row?.total ?? 0
    })
  }

  async *read<K extends MovedKind>(kind: K, behind: string | null): AsyncGenerator<readonly Placed<MovedRecords[K]>[]> {
    const { select, toRecord }: PostgresMovedKind<K> = POSTGRES_KINDS[kind]
    const place = behind === null ? null : (JSON.parse(behind) as readonly Value[])
    for await (const rows of this.batches<never>(select(place))) yield rows.map((row) => placed(toRecord(row)))
  }

  async *payments(): AsyncGenerator<readonly MovedPayment[]> {
    const select = selectInvoices(sql`true`, sql`ORDER BY i.id`)
    for await (const rows of this.batches<InvoiceColumns>(select)) {
      yield rows.map(toRow).map(({ id, received }) => ({ storeId: id, received }))
    }
  }

  /** Every transaction that writes leaves a row, so a service or a command in between is noticed. */
  async assertUnserved(): Promise<void> {
    const row = await withSnapshot(this.address, (snapshot) =>
      snapshot.one<{ is_served: boolean; written: string }>(sql`
        SELECT EXISTS (SELECT 1 FROM leases WHERE expires_at > (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS is_served,
          (SELECT count(*) || ' ' || coalesce(max(at), 0) FROM committed) AS written`),
    )
    if (row === undefined || row.is_served) throw new OperatorError(`a service runs on ${this.name}: stop it first`)
    this.written ??= row.written
    if (this.written !== row.written) {
      throw new OperatorError(
        `${this.name} was written to while it was moved: run the command again, with an empty target`,
      )
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  private async *batches<T>(select: Fragment): AsyncGenerator<readonly T[]> {
    const snapshot = await Snapshot.open(this.address)
    try {
      yield* snapshot.batches<T>(select)
    } finally {
      await snapshot.close()
    }
  }
}

interface PositionColumns {
  readonly source: string
  readonly kind: MovedKind | null
  readonly place: string | null
  readonly done: number
}

/** Fills one database. */
class PostgresFilling extends PostgresReading implements MoveTarget {
  private position: MovePosition | null = null

  constructor(
    address: DatabaseAddress,
    private readonly database: Database,
  ) {
    super(address)
  }

  async begin(first: MovePosition): Promise<MovePosition> {
    await this.assertUnserved()
    this.position = await this.database.write(async (work) => {
      work.lock(sql`SELECT version FROM billhook FOR UPDATE`)
      const row = await work.row<PositionColumns>(sql`SELECT source, kind, place, done FROM moves`)
      if (row !== undefined) {
        const { source, ...place } = row
        return positionToGoOn(this.name, 'database', { from: source, ...place }, first)
      }
      await this.assertEmpty(work)
      // What a catalogue said is written again by the move.
      work.write(sql`DELETE FROM networks`)
      work.write(sql`
        INSERT INTO moves (singleton, source, kind, place, done)
        VALUES (true, ${first.from}, ${first.kind}, ${first.place}, ${first.done}::bigint)`)
      return first
    })
    return this.position
  }

  write<K extends MovedKind>(kind: K, records: readonly MovedRecords[K][], position: MovePosition): Promise<void> {
    return this.advance(position, (work) => POSTGRES_KINDS[kind].write(work, records))
  }

  complete(position: MovePosition): Promise<void> {
    return this.advance(position, completeMove)
  }

  async *check(onViolation: (violation: Violation) => void): AsyncGenerator<CheckProgress, CheckResult> {
    const snapshot = await Snapshot.open(this.address)
    try {
      return yield* checkSnapshot(snapshot, onViolation)
    } finally {
      await snapshot.close()
    }
  }

  async finish(): Promise<void> {
    await this.database.write(async (work) => work.write(sql`DELETE FROM moves`))
  }

  override close(): Promise<void> {
    return this.database.close()
  }

  /** Writes together with the position, which only this process may have written since it began. */
  private async advance(position: MovePosition, write: (work: Work) => void): Promise<void> {
    const known = this.position
    if (known === null) throw new Error('a move that has not begun writes')
    await this.database.write(async (work) => {
      const moved = await work.wrote(sql`
        UPDATE moves SET kind = ${position.kind}, place = ${position.place}, done = ${position.done}::bigint
        WHERE kind IS NOT DISTINCT FROM ${known.kind} AND done = ${known.done}::bigint`)
      if (moved === 0) throw new OperatorError(`another command fills ${this.name}`)
      write(work)
    })
    this.position = position
  }

  private async assertEmpty(work: Work): Promise<void> {
    const any = COUNTED.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(' OR ')
    const row = await work.row<{ is_used: boolean }>(new Fragment([`SELECT ${any} AS is_used`], []))
    if (row?.is_used === true) throw new OperatorError(`${this.name} holds other data: name an empty database`)
  }
}
