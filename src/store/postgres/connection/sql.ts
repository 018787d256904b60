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
  /** Of each value: the type of the elements to which its array is cast (`::text[]`); null where it is cast to no array. */
  readonly elementTypes: readonly (string | null)[]
}

/** The texts of the program are few, so their names are kept. */
const names = new Map<string, string>()
const NAME_LENGTH = 24

export function compile(fragment: Fragment): Statement {
  const values: Value[] = []
  const elementTypes: (string | null)[] = []
  const text = textOf(fragment, values, elementTypes)
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH)
    names.set(text, name)
  }
  return { name, text, values, elementTypes }
}

function textOf(fragment: Fragment, values: Value[], elementTypes: (string | null)[]): string {
  let text = fragment.strings[0] ?? ''
  for (let i = 0; i < fragment.values.length; i += 1) {
    const value = fragment.values[i] ?? null
    const behind = fragment.strings[i + 1] ?? ''
    if (value instanceof Fragment) {
      text += textOf(value, values, elementTypes)
    } else {
      values.push(value)
      elementTypes.push(elementTypeIn(behind))
      text += `$${values.length}`
    }
    text += behind
  }
  return text
}

const ARRAY_CAST = /^::([a-z]+)\[\]/
/** By what stands behind a value. The texts of the program are few. */
const elementTypes = new Map<string, string | null>()

/** The type of the elements of the array to which what stands before a piece of SQL is cast. */
function elementTypeIn(behind: string): string | null {
  let type = elementTypes.get(behind)
  if (type === undefined) {
    type = ARRAY_CAST.exec(behind)?.[1] ?? null
    elementTypes.set(behind, type)
  }
  return type
}
