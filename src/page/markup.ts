const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What a template may contain. */
export type Piece = string | Markup | readonly Markup[] | null

/** HTML whose text is escaped. Only the template tag, `join` and `constant` make it. */
export class Markup {
  private constructor(private readonly html: string) {}

  toString(): string {
    return this.html
  }

  static from(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
    return new Markup(String.raw({ raw: strings }, ...pieces.map(htmlOf)))
  }

  /** Text that is HTML or a script already: constants of this folder, never data. */
  static constant(text: string): Markup {
    return new Markup(text)
  }

  static join(pieces: readonly Piece[]): Markup {
    return new Markup(pieces.map(htmlOf).join(''))
  }
}

/**
 * The template tag of every page. It escapes each interpolated string, for content as well as for quoted attributes; no
 * data can bypass it. Markup is inserted as it is, a list is joined, and null leaves its place empty.
 */
export const markup = Markup.from

function htmlOf(piece: Piece): string {
  if (typeof piece === 'string') return piece.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
  if (piece === null) return ''
  return piece instanceof Markup ? piece.toString() : piece.join('')
}
