import { Packr } from 'msgpackr'
import { BoundedMap } from '../../../base/bounded-map.js'
import { BrokenData } from '../../damage.js'

/**
 * Records are msgpack arrays: a version, then the fields in a fixed order. No field names are stored and no structure is
 * shared between records, so a record can be read without any other. Each field is checked when it is read.
 */
const packr = new Packr({ useRecords: false, copyBuffers: true })

/** A stored record is not what this code wrote: a damaged file or a defect. */
export class CorruptRecord extends BrokenData {
  override readonly name = 'CorruptRecord'
}

/** How a field is stored: as one value, or as several in a row. */
export interface FieldKind<T> {
  write(field: T, to: unknown[]): void
  read(from: ValueReader): T
}

/** The kinds of a record's fields, in their stored order. A name of a type of its own is stored as what it is. */
export type Shape<T> = { readonly [K in keyof T]-?: FieldKind<Stored<T[K]>> }
type Stored<V> = V extends number ? number : V extends Uint8Array ? Uint8Array : V

export interface RecordCodec<T> {
  encode(record: T): Buffer
  decode(bytes: Uint8Array): T
}

/** Reads the values of a record in order. */
class ValueReader {
  private position = 1

  constructor(
    private readonly table: string,
    private readonly values: readonly unknown[],
  ) {}

  next<T>({ expected, is }: ValueKind<T>): T {
    const value = this.values[this.position]
    if (!is(value)) return this.wrong(expected)
    this.position += 1
    return value
  }

  end(): void {
    if (this.position !== this.values.length) this.wrong('the end')
  }

  private wrong(expected: string): never {
    throw new CorruptRecord(`a record of ${this.table} has no ${expected} in field ${this.position}`)
  }
}

/** A field of one value. */
class ValueKind<T> implements FieldKind<T> {
  constructor(
    readonly expected: string,
    readonly is: (value: unknown) => value is T,
  ) {}

  write(field: T, to: unknown[]): void {
    to.push(field)
  }

  read(from: ValueReader): T {
    return from.next(this)
  }
}

export const text = new ValueKind('text', (value) => typeof value === 'string')
export const integer = new ValueKind('integer', (value): value is number => Number.isSafeInteger(value))
export const flag = new ValueKind('flag', (value) => typeof value === 'boolean')
export const bytes = new ValueKind('bytes', (value) => value instanceof Uint8Array)

/** One of a closed set of texts. */
export function oneOf<T extends string>(values: readonly T[]): ValueKind<T> {
  return new ValueKind(`one of ${values.join(', ')}`, (value): value is T => values.includes(value as T))
}

/** A text of a form. */
export function textThat<T extends string>(what: string, is: (value: string) => value is T): ValueKind<T> {
  return new ValueKind(what, (value): value is T => typeof value === 'string' && is(value))
}

export function orNull<T>({ expected, is }: ValueKind<T>): ValueKind<T | null> {
  return new ValueKind(`${expected} or null`, (value): value is T | null => value === null || is(value))
}

/** A field that is stored as something else. */
export function storedAs<T, S>(kind: FieldKind<S>, toStored: (field: T) => S, from: (stored: S) => T): FieldKind<T> {
  return {
    write: (field, to) => kind.write(toStored(field), to),
    read: (values) => from(kind.read(values)),
  }
}

/** A list: its length, then its items. */
export function listOf<T>(item: FieldKind<T>): FieldKind<readonly T[]> {
  return {
    write: (items, to) => {
      integer.write(items.length, to)
      for (const one of items) item.write(one, to)
    },
    read: (from) => Array.from({ length: integer.read(from) }, () => item.read(from)),
  }
}

/** Several fields, one behind the other. */
export function fieldsOf<T extends object>(shape: Shape<T>): FieldKind<T> {
  const fields = Object.entries<FieldKind<unknown>>(shape).map(([name, kind]) => ({ name, kind }))
  return {
    write: (record, to) => {
      for (const { name, kind } of fields) kind.write(record[name as keyof T], to)
    },
    read: (from) => {
      const record: Record<string, unknown> = {}
      for (const { name, kind } of fields) record[name] = kind.read(from)
      // The shape has a kind for each field of the type.
      return record as T
    },
  }
}

/** `older` reads records of earlier versions, by version: they are rewritten when they change, not all at once. */
export function recordCodec<T extends object>(
  table: string,
  version: number,
  shape: Shape<T>,
  older: Readonly<Record<number, FieldKind<T>['read']>> = {},
): RecordCodec<T> {
  const present = fieldsOf<T>(shape)
  return {
    encode: (record) => {
      const values: unknown[] = [version]
      present.write(record, values)
      return packr.pack(values) as Buffer
    },
    decode: (packed) => {
      const values = unpack(table, packed)
      const found: unknown = Array.isArray(values) ? values[0] : undefined
      const read = found === version ? present.read : typeof found === 'number' ? older[found] : undefined
      if (!Array.isArray(values) || read === undefined) {
        throw new CorruptRecord(`a record of ${table} is not of version ${version}`)
      }
      const reader = new ValueReader(table, values)
      const record = read(reader)
      reader.end()
      return record
    },
  }
}

function unpack(table: string, packed: Uint8Array): unknown {
  try {
    return packr.unpack(packed)
  } catch (cause) {
    throw new CorruptRecord(`a record of ${table} cannot be read`, { cause })
  }
}

/** Records that are kept. Beyond that, the least recently used are decoded again. */
const RECORDS_MAX = 32_768

/**
 * Decodes records that are read again and again. While the bytes of a record are the same it answers the same object, so it
 * is right even after writes. Records are shared and must not be changed.
 */
export class RecordMemo<T> {
  private readonly known = new BoundedMap<string, { readonly bytes: Buffer; readonly record: T }>(RECORDS_MAX)

  constructor(private readonly codec: RecordCodec<T>) {}

  /**
   * The record called `name`, whose `bytes` were just read. They may lie in the binding's own buffer, which is longer than
   * its `length` says, and are copied when they are kept.
   */
  decode(name: string, bytes: Buffer): T {
    const { length } = bytes
    const known = this.known.get(name)
    if (known?.bytes.length === length && known.bytes.compare(bytes, 0, length) === 0) return known.record
    const record = this.codec.decode(bytes)
    this.known.set(name, { bytes: Buffer.from(bytes.subarray(0, length)), record })
    return record
  }
}
