/** A text, a number, true, false or null. Integers that a double cannot hold are exact. */
export type Scalar = string | number | bigint | boolean | null

/** Takes the items of a list one by one, as they are read. What it throws ends the reading. */
export interface Sink<T, R> {
  /** An item, `undefined` when it is of another JSON type than its shape. */
  take(item: T, index: number): void
  /** At the end of the list: what is kept of it. */
  end(): R
}

/**
 * Says what of a JSON text is read: everything else is skipped, and not kept. What has another JSON type than its shape is
 * `undefined`, and null is null for every shape.
 */
export interface Shape<T> {
  readonly takesScalar: boolean
  readonly fields: FieldTable | null
  readonly items: ItemsOf | null
  /** Never there: it tells TypeScript what is read. */
  readonly value?: T
}

/** What a shape reads. */
export type ValueOf<S> = S extends Shape<infer T> ? T : never

interface ItemsOf {
  readonly item: Shape<unknown>
  readonly begin: () => Sink<unknown, unknown>
}

/** A field that is read. */
export interface Field {
  readonly name: string
  readonly bytes: Uint8Array
  readonly shape: Shape<unknown>
}

/** The fields of an object that are read, found by their bytes, so that the names of others never become texts. */
export class FieldTable {
  private readonly byLength: (Field[] | undefined)[] = []

  constructor(fields: readonly Field[]) {
    for (const field of fields) {
      const { length } = field.bytes
      this.byLength[length] = [...(this.byLength[length] ?? []), field]
    }
  }

  /** The field that is named by these bytes of a text; null for any other. */
  find(text: Uint8Array, start: number, end: number): Field | null {
    const candidates = this.byLength[end - start]
    if (candidates === undefined) return null
    for (const field of candidates) {
      const { bytes } = field
      let same = 0
      while (same < bytes.length && bytes[same] === text[start + same]) same += 1
      if (same === bytes.length) return field
    }
    return null
  }
}

/** A scalar; `undefined` also for a text longer than `SCALAR_BYTES_MAX`. */
export const scalar: Shape<Scalar | undefined> = { takesScalar: true, fields: null, items: null }

/** An object with these fields, of which each that is missing is `undefined`. The last of several of one name counts. */
export function fields<S extends Readonly<Record<string, Shape<unknown>>>>(
  shapes: S,
): Shape<{ readonly [Name in keyof S]: ValueOf<S[Name]> | undefined } | null | undefined> {
  const table = Object.entries(shapes).map(([name, shape]) => ({ name, bytes: Buffer.from(name), shape }))
  return { takesScalar: false, fields: new FieldTable(table), items: null }
}

/** A list whose items go to a sink. Each list has a sink of its own. */
export function items<T, R>(item: Shape<T>, begin: () => Sink<T, R>): Shape<R | null | undefined> {
  return { takesScalar: false, fields: null, items: { item, begin: begin as ItemsOf['begin'] } }
}

/** A short list that is kept; `undefined` when it has more items than `max`. */
export function list<T>(item: Shape<T>, max: number): Shape<readonly T[] | null | undefined> {
  return items(item, () => {
    const kept: T[] = []
    let length = 0
    return {
      take(each) {
        length += 1
        if (length <= max) kept.push(each)
      },
      end: () => (length > max ? undefined : kept),
    }
  })
}

/** What one of two shapes reads, by the JSON type of the value. Both read scalars, objects, or lists: the first one does. */
export function either<A, B>(a: Shape<A>, b: Shape<B>): Shape<A | B> {
  return {
    takesScalar: a.takesScalar || b.takesScalar,
    fields: a.fields ?? b.fields,
    items: a.items ?? b.items,
  }
}

/** A shape that is defined later, for values that contain themselves. */
export function lazily<T>(shape: () => Shape<T>): Shape<T> {
  return {
    get takesScalar() {
      return shape().takesScalar
    },
    get fields() {
      return shape().fields
    },
    get items() {
      return shape().items
    },
  }
}
