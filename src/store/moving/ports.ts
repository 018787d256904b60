import type { Upkeep } from '../upkeep.js'
import type { MovedKind, MovedPayment, MovedRecords } from './records.js'

/** A record, and the place at which a reading goes on behind it. The engine that made the place understands it. */
export interface Placed<T> {
  readonly record: T
  readonly place: string
}

/** All data of an engine, to be read as records, while nobody serves from it. */
export interface MoveSource {
  /** Its name for people, without a password. */
  readonly name: string
  /** Records of all kinds; about as many as will be read. */
  count(): Promise<number>
  /** Records of a kind behind a place, or all, in the order of the kind. */
  read<K extends MovedKind>(kind: K, behind: string | null): AsyncIterable<readonly Placed<MovedRecords[K]>[]>
  /** What each invoice received, in the order of the invoices. */
  payments(): AsyncIterable<readonly MovedPayment[]>
  /** Throws `OperatorError` when a service serves from it. */
  assertUnserved(): Promise<void>
  close(): Promise<void>
}

/** How far a move has come: the records that were written up to here are durable. */
export interface MovePosition {
  /** The source, by its name. */
  readonly from: string
  /** The kind that is written; null when all of them are. */
  readonly kind: MovedKind | null
  /** The last record of the kind that was written, by its place in the source. */
  readonly place: string | null
  /** Records that were written, of all kinds. */
  readonly done: number
}

/**
 * An engine that takes all data of another. From `begin` to `finish` nothing else opens it. Each writing of records also writes
 * the position, in one transaction, so a record is never written twice and a move that was cut off goes on behind its last one.
 */
export interface MoveTarget extends MoveSource {
  /**
   * Where a move goes on that was begun before; a new one begins at `first`. Throws `OperatorError` when the target has data, or is
   * being filled from another source.
   */
  begin(first: MovePosition): Promise<MovePosition>
  /** Writes records of the kind of the position that they lead to. Throws when another process has written meanwhile. */
  write<K extends MovedKind>(kind: K, records: readonly MovedRecords[K][], position: MovePosition): Promise<void>
  /** Called after the last record. Derives what writing the records has not: sums, ends of logs, last numbers. */
  complete(position: MovePosition): Promise<void>
  /** Checks the data as `billhook check` does, and pauses at each report of progress. */
  check: Upkeep['check']
  /** Opens it for services. */
  finish(): Promise<void>
}
