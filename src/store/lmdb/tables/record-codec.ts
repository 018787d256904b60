import { Packr } from 'msgpackr'

/**
 * Records are msgpack arrays: a version, then the fields in a fixed order. No field names are stored and no structure is
 * shared between records, so a record can be read without any other. What is read back is checked like what is written.
 */
const packr = new Packr({ useRecords: false, copyBuffers: true })

/** A stored record is not what this code wrote: a damaged file or a defect. */
export class CorruptRecord extends Error {
  override readonly name = 'CorruptRecord'
}

export type Field = string | number | boolean | null | Uint8Array

export interface RecordCodec<T> {
  encode(record: T): Buffer
  decode(bytes: Uint8Array): T
}

/** Reads the fields of a record in order and checks the type of each. */
export class FieldReader {
  private position = 1

  constructor(
    private readonly table: string,
    private readonly fields: readonly unknown[],
  ) {}

  text(): string {
    const value = this.next()
    return typeof value === 'string' ? value : this.wrong('a text')
  }

  textOrNull(): string | null {
    const value = this.next()
    return value === null || typeof value === 'string' ? value : this.wrong('a text or null')
  }

  integer(): number {
    const value = this.next()
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : this.wrong('an integer')
  }

  integerOrNull(): number | null {
    const value = this.next()
    return value === null || (typeof value === 'number' && Number.isSafeInteger(value))
      ? value
      : this.wrong('an integer or null')
  }

  flag(): boolean {
    const value = this.next()
    return typeof value === 'boolean' ? value : this.wrong('a flag')
  }

  bytes(): Uint8Array {
    const value = this.next()
    return value instanceof Uint8Array ? value : this.wrong('bytes')
  }

  bytesOrNull(): Uint8Array | null {
    const value = this.next()
    return value === null || value instanceof Uint8Array ? value : this.wrong('bytes or null')
  }

  /** One of a closed set of texts. */
  oneOf<T extends string>(values: readonly T[]): T {
    const value = this.next()
    return values.includes(value as T) ? (value as T) : this.wrong(`one of ${values.join(', ')}`)
  }

  oneOfOrNull<T extends string>(values: readonly T[]): T | null {
    const value = this.next()
    return value === null || values.includes(value as T) ? (value as T | null) : this.wrong('one of a set or null')
  }

  end(): void {
    if (this.position !== this.fields.length) this.wrong('the end')
  }

  private next(): unknown {
    const value = this.fields[this.position]
    this.position += 1
    return value
  }

  private wrong(expected: string): never {
    throw new CorruptRecord(`a record of ${this.table} has no ${expected} in field ${this.position - 1}`)
  }
}

/** `older` reads records of earlier versions, by version: they are rewritten when they change, not all at once. */
export function recordCodec<T>(
  table: string,
  version: number,
  fieldsOf: (record: T) => readonly Field[],
  read: (fields: FieldReader) => T,
  older: Readonly<Record<number, (fields: FieldReader) => T>> = {},
): RecordCodec<T> {
  return {
    encode: (record) => packr.pack([version, ...fieldsOf(record)]) as Buffer,
    decode: (bytes) => {
      const fields = unpack(table, bytes)
      const found: unknown = Array.isArray(fields) ? fields[0] : undefined
      const readFound = found === version ? read : typeof found === 'number' ? older[found] : undefined
      if (!Array.isArray(fields) || readFound === undefined) {
        throw new CorruptRecord(`a record of ${table} is not of version ${version}`)
      }
      const reader = new FieldReader(table, fields)
      const record = readFound(reader)
      reader.end()
      return record
    },
  }
}

function unpack(table: string, bytes: Uint8Array): unknown {
  try {
    return packr.unpack(bytes)
  } catch (cause) {
    throw new CorruptRecord(`a record of ${table} cannot be read`, { cause })
  }
}
