import { createHash } from 'node:crypto'

/** What a statement may be given. An array becomes an array of PostgreSQL, so its statement casts it. */
export type Value = string | number | bigint | boolean | null | Uint8Array | readonly Value[]

/** A piece of SQL with its values. It becomes text when it is sent, so pieces can be put together in any order. */
export class Fragment {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly (Value | Fragment)[],
  ) {}
}

/** Makes a piece of SQL. Values become parameters, pieces become part of the text; no text is ever made of a value. */
export function sql(strings: TemplateStringsArray, ...values: readonly (Value | Fragment)[]): Fragment {
  return new Fragment(strings, values)
}

/** A statement as the driver takes it. */
export interface Statement {
  /** By which a session keeps it prepared. PostgreSQL cuts names of more than 63 bytes. */
  readonly name: string
  readonly text: string
  readonly values: readonly Value[]
}

/** The texts of the program are few, so their names are kept. */
const names = new Map<string, string>()
const NAME_LENGTH = 24

export function compile(fragment: Fragment): Statement {
  const values: Value[] = []
  const text = textOf(fragment, values)
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH)
    names.set(text, name)
  }
  return { name, text, values }
}

function textOf(fragment: Fragment, values: Value[]): string {
  let text = fragment.strings[0] ?? ''
  for (const [i, value] of fragment.values.entries()) {
    if (value instanceof Fragment) {
      text += textOf(value, values)
    } else {
      values.push(value)
      text += `$${values.length}`
    }
    text += fragment.strings[i + 1] ?? ''
  }
  return text
}
