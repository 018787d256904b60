import { CLOSE_LIST, CLOSE_OBJECT, endOfText, isEscapedAt, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-tokens.js'

/** A text, object or list that is skipped, in pieces of any length. It is not checked to be JSON beyond its texts and brackets. */
export class SkippedJson {
  /** Open brackets. */
  private depth = 0
  private isText = false
  /** Whether the next byte of the text is escaped. */
  private isEscaped = false

  /** Whether a text is open. */
  get isInText(): boolean {
    return this.isText
  }

  /** Whether an object or a list is open. */
  get isInContainer(): boolean {
    return this.depth > 0
  }

  /** Behind its quote. */
  beginText(): void {
    this.isText = true
  }

  /** Skips an object or list, from its bracket on, or on in it. Answers where to go on: behind its end, or behind the piece. */
  container(bytes: Buffer, start: number): number {
    let i = start
    while (i < bytes.length) {
      if (this.isText) {
        i = this.text(bytes, i)
        continue
      }
      switch (bytes[i]) {
        case QUOTE:
          this.isText = true
          break
        case OPEN_LIST:
        case OPEN_OBJECT:
          this.depth += 1
          break
        case CLOSE_LIST:
        case CLOSE_OBJECT:
          this.depth -= 1
          if (this.depth === 0) return i + 1
      }
      i += 1
    }
    return i
  }

  /** Skips the rest of a text. Afterwards `isInText` is true when it goes on in the next piece. */
  text(bytes: Buffer, start: number): number {
    // The piece before ended within an escape.
    const from = this.isEscaped ? start + 1 : start
    this.isEscaped = false
    const end = endOfText(bytes, from)
    if (end !== -1) {
      this.isText = false
      return end + 1
    }
    this.isEscaped = isEscapedAt(bytes, bytes.length, from)
    return bytes.length
  }
}
