import { CarriedBytes } from './carried-bytes.js'
import type { Field, Shape, Sink } from './json-shape.js'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endOfText,
  hasEscape,
  isEndOfWord,
  isSpace,
  isStartOfWord,
  LETTER_N,
  MalformedJson,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
  textOf,
  wordOf,
} from './json-tokens.js'
import { SkippedJson } from './skipped-json.js'

/** The longest text, number or name that is kept, in bytes; a longer one is skipped. */
export const SCALAR_BYTES_MAX = 256 * 1024

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** What may come next. */
enum Expected {
  Value,
  /** The first item of a list, or its end. */
  ValueOrEnd,
  Key,
  /** The first name of an object, or its end. */
  KeyOrEnd,
  Colon,
  /** A comma, or the end of the object or list. */
  CommaOrEnd,
  /** The rest of a word, that is a number or literal, which is skipped. */
  SkippedWord,
  /** The rest of a text that is skipped. */
  SkippedText,
  /** The rest of an object or list that is skipped. */
  SkippedContainer,
  /** Nothing but white space. */
  Nothing,
}

/** An object or a list that is being read. */
interface Frame {
  readonly shape: Shape<unknown>
  /** The fields read so far; null for a list. */
  readonly target: Record<string, unknown> | null
  readonly sink: Sink<unknown, unknown> | null
  index: number
  /** The field whose value comes next; null for one that is not read. */
  field: Field | null
}

/**
 * Reads JSON as it comes, in pieces of any length, and keeps only what a shape asks for. So memory depends on what is
 * kept and not on how long the text is, and a text that goes on for ever costs time alone.
 */
export class JsonScanner<T> {
  private expected = Expected.Value
  /** Open objects and lists around the innermost one. */
  private readonly outer: Frame[] = []
  private frame: Frame | null = null
  private result: unknown
  private readonly skipped = new SkippedJson()
  /** Whether the skipped text is a name. */
  private isKey = false
  /** The beginning of something that is kept and not complete yet. */
  private readonly carried = new CarriedBytes()
  private isAtStart = true

  constructor(private readonly shape: Shape<T>) {}

  /** Reads on. Throws `MalformedJson`, and what a sink throws. */
  push(piece: Uint8Array): void {
    const bytes = this.carried.joinedWith(piece)
    let start = 0
    if (this.isAtStart) {
      const marked = BYTE_ORDER_MARK.every((byte, i) => i >= bytes.length || bytes[i] === byte)
      if (marked && bytes.length < BYTE_ORDER_MARK.length) {
        this.carried.carry(bytes, 0)
        return
      }
      this.isAtStart = false
      if (marked) start = BYTE_ORDER_MARK.length
    }
    this.carried.carry(bytes, this.scan(bytes, start))
  }

  /** At the end of the text: what was read. Throws `MalformedJson` when the text is not complete. */
  end(): T {
    // A number ends with what follows it.
    this.push(Buffer.of(SPACE))
    if (this.expected !== Expected.Nothing || !this.carried.isEmpty) throw new MalformedJson('the text ends too early')
    return this.result as T
  }

  /** Returns where something begins that is kept and not complete, or the length. */
  private scan(bytes: Buffer, start: number): number {
    const { length } = bytes
    let i = start
    while (i < length) {
      switch (this.expected) {
        case Expected.SkippedContainer:
          i = this.skipped.container(bytes, i)
          if (!this.skipped.isInContainer) this.deliver(undefined)
          continue
        case Expected.SkippedText:
          i = this.skipped.text(bytes, i)
          if (this.skipped.isInText) return length
          if (this.isKey) this.expected = Expected.Colon
          else this.deliver(undefined)
          continue
        case Expected.SkippedWord:
          while (i < length && !isEndOfWord(bytes[i] as number)) i += 1
          if (i < length) this.deliver(undefined)
          continue
      }
      const byte = bytes[i] as number
      if (isSpace(byte)) {
        i += 1
        continue
      }
      switch (this.expected) {
        case Expected.Value:
        case Expected.ValueOrEnd: {
          if (byte === CLOSE_LIST && this.expected === Expected.ValueOrEnd) {
            i += 1
            this.close()
            break
          }
          const next = this.value(bytes, i, byte)
          if (next === INCOMPLETE) return i
          i = next
          break
        }
        case Expected.Key:
        case Expected.KeyOrEnd: {
          if (byte === CLOSE_OBJECT && this.expected === Expected.KeyOrEnd) {
            i += 1
            this.close()
            break
          }
          if (byte !== QUOTE) throw new MalformedJson('a name is missing')
          const next = this.key(bytes, i)
          if (next === INCOMPLETE) return i
          i = next
          break
        }
        case Expected.Colon:
          if (byte !== COLON) throw new MalformedJson('a colon is missing')
          i += 1
          this.expected = Expected.Value
          break
        case Expected.CommaOrEnd: {
          i += 1
          const isObject = this.frame?.target !== null
          if (byte === COMMA) this.expected = isObject ? Expected.Key : Expected.Value
          else if (byte === (isObject ? CLOSE_OBJECT : CLOSE_LIST)) this.close()
          else throw new MalformedJson('a comma is missing')
          break
        }
        case Expected.Nothing:
          throw new MalformedJson('something follows the value')
      }
    }
    return length
  }

  /** Reads or begins a value. Returns where to go on, or `INCOMPLETE`. */
  private value(bytes: Buffer, i: number, byte: number): number {
    const shape = this.shapeOfNext()
    switch (byte) {
      case OPEN_OBJECT:
        if (shape === null || shape.fields === null) return this.beginSkipping(i)
        this.open({ shape, target: {}, sink: null, index: 0, field: null })
        this.expected = Expected.KeyOrEnd
        return i + 1
      case OPEN_LIST:
        if (shape === null || shape.items === null) return this.beginSkipping(i)
        this.open({ shape, target: null, sink: shape.items.begin(), index: 0, field: null })
        this.expected = Expected.ValueOrEnd
        return i + 1
      case QUOTE: {
        if (shape === null || !shape.takesScalar) return this.beginText(i, false)
        const end = endOfText(bytes, i + 1)
        if (end === -1) return bytes.length - i > SCALAR_BYTES_MAX ? this.beginText(i, false) : INCOMPLETE
        this.deliver(end - i > SCALAR_BYTES_MAX ? undefined : textOf(bytes, i, end))
        return end + 1
      }
      default:
        return this.word(bytes, i, byte, shape)
    }
  }

  private word(bytes: Buffer, i: number, byte: number, shape: Shape<unknown> | null): number {
    if (!isStartOfWord(byte)) throw new MalformedJson('a value is missing')
    if (shape === null || !(shape.takesScalar || byte === LETTER_N)) {
      this.expected = Expected.SkippedWord
      return i
    }
    let end = i
    while (end < bytes.length && !isEndOfWord(bytes[end] as number)) end += 1
    if (end - i > SCALAR_BYTES_MAX) {
      this.expected = Expected.SkippedWord
      return end
    }
    if (end === bytes.length) return INCOMPLETE
    const read = wordOf(bytes.toString('latin1', i, end))
    this.deliver(shape.takesScalar || read === null ? read : undefined)
    return end
  }

  private key(bytes: Buffer, i: number): number {
    const end = endOfText(bytes, i + 1)
    const frame = this.frame as Frame
    if (end === -1) {
      if (bytes.length - i <= SCALAR_BYTES_MAX) return INCOMPLETE
      frame.field = null
      return this.beginText(i, true)
    }
    const table = frame.shape.fields
    frame.field = table?.find(bytes, i + 1, end) ?? null
    // Names with escapes are rare, and never found by their bytes.
    if (frame.field === null && hasEscape(bytes, i + 1, end)) {
      const name = Buffer.from(textOf(bytes, i, end))
      frame.field = table?.find(name, 0, name.length) ?? null
    }
    if (bytes[end + 1] !== COLON) {
      this.expected = Expected.Colon
      return end + 1
    }
    this.expected = Expected.Value
    return end + 2
  }

  /** The shape of the value that comes next; null for one that is not read. */
  private shapeOfNext(): Shape<unknown> | null {
    const { frame } = this
    if (frame === null) return this.shape
    return frame.target === null ? (frame.shape.items?.item ?? null) : (frame.field?.shape ?? null)
  }

  /** Takes a complete value. */
  private deliver(value: unknown): void {
    const { frame } = this
    if (frame === null) {
      this.result = value
      this.expected = Expected.Nothing
      return
    }
    if (frame.target === null) {
      frame.sink?.take(value, frame.index)
      frame.index += 1
    } else if (frame.field !== null) frame.target[frame.field.name] = value
    this.expected = Expected.CommaOrEnd
  }

  private open(frame: Frame): void {
    if (this.frame !== null) this.outer.push(this.frame)
    this.frame = frame
  }

  private close(): void {
    const { target, sink } = this.frame as Frame
    this.frame = this.outer.pop() ?? null
    this.deliver(target ?? sink?.end())
  }

  private beginSkipping(i: number): number {
    this.expected = Expected.SkippedContainer
    return i
  }

  private beginText(i: number, isKey: boolean): number {
    this.expected = Expected.SkippedText
    this.skipped.beginText()
    this.isKey = isKey
    return i + 1
  }
}

/** Where a value begins that is not complete in this piece. */
const INCOMPLETE = -1
