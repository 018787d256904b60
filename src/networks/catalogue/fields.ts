import { isObject } from '../../base/json-object.js'

/** Longer values are cut off in the problems. */
const QUOTE_LENGTH_MAX = 80

/** `${NAME}` in a URL or a key. */
const VARIABLE = /\$\{([^}]*)\}/g
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Reads the fields of an object in a JSON file. What is wrong with one is added to the problems, with its JSON path; what is
 * returned for it then is of its type, and must not be used.
 */
export class Fields {
  private constructor(
    private readonly object: Readonly<Record<string, unknown>>,
    private readonly path: string,
    private readonly environment: Readonly<Record<string, string | undefined>>,
    private readonly problems: string[],
  ) {}

  /** Null, and a problem, for a value that is no object. */
  static of(
    value: unknown,
    path: string,
    environment: Readonly<Record<string, string | undefined>>,
    problems: string[],
  ): Fields | null {
    if (isObject(value)) return new Fields(value, path, environment, problems)
    problems.push(`${path} must be an object`)
    return null
  }

  has(name: string): boolean {
    return Object.hasOwn(this.object, name)
  }

  value(name: string): unknown {
    return this.has(name) ? this.object[name] : undefined
  }

  wrong(place: string, what: string): void {
    this.problems.push(`${this.path}.${place} ${what}`)
  }

  /** Every field that has another name is a problem: a mistyped one must not be passed over. */
  only(names: readonly string[]): void {
    for (const name of Object.keys(this.object)) {
      const place = /^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
      if (!names.includes(name)) this.problems.push(`${this.path}${place} is not a field that is known here`)
    }
  }

  nested(name: string): Fields | null {
    return Fields.of(this.value(name), `${this.path}.${name}`, this.environment, this.problems)
  }

  /** An object in a list. */
  item(name: string, index: number): Fields | null {
    const list = this.value(name)
    const value: unknown = Array.isArray(list) ? list[index] : undefined
    return Fields.of(value, `${this.path}.${name}[${index}]`, this.environment, this.problems)
  }

  text(name: string, isValid: (text: string) => boolean, what: string): string {
    const value = this.value(name)
    if (typeof value === 'string' && isValid(value)) return value
    this.refuse(name, what, value)
    return ''
  }

  oneOf<const T extends string>(name: string, values: readonly T[]): T | null {
    const value = this.value(name)
    const found = values.find((one) => one === value)
    if (found === undefined) this.refuse(name, `one of ${values.join(', ')}`, value)
    return found ?? null
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.has(name) ? this.value(name) : fallback
    if (typeof value !== 'boolean') this.refuse(name, 'true or false', value)
    return value === true
  }

  whole(name: string, minimum: number, maximum: number, fallback?: number): number {
    const value = this.has(name) ? this.value(name) : fallback
    if (isWhole(value, minimum, maximum)) return value
    this.refuse(name, `an integer from ${minimum} to ${maximum}`, value)
    return minimum
  }

  wordOrWhole<const T extends string>(name: string, words: readonly T[], minimum: number, maximum: number): T | number {
    const value = this.value(name)
    const word = words.find((one) => one === value)
    if (word !== undefined) return word
    if (isWhole(value, minimum, maximum)) return value
    const quoted = words.map((one) => JSON.stringify(one)).join(', ')
    this.refuse(name, `${quoted} or an integer from ${minimum} to ${maximum}`, value)
    return minimum
  }

  /** A text whose `${NAME}` are replaced by environment variables. It is in no problem. */
  secret(name: string, isValid: (text: string) => boolean, what: string): string {
    return this.secretAt(name, this.value(name), isValid, what)
  }

  /** The same of an item of a list. */
  secretOf(name: string, index: number, isValid: (text: string) => boolean, what: string): string {
    const list = this.value(name)
    return this.secretAt(`${name}[${index}]`, Array.isArray(list) ? list[index] : undefined, isValid, what)
  }

  private secretAt(place: string, value: unknown, isValid: (text: string) => boolean, what: string): string {
    if (typeof value !== 'string') {
      this.wrong(place, `must be ${what}`)
      return ''
    }
    let isWhole = true
    const filled = value.replace(VARIABLE, (_, name: string) => {
      const found = VARIABLE_NAME.test(name) ? this.environment[name] : undefined
      if (found !== undefined && found !== '') return found
      isWhole = false
      this.wrong(place, `names the environment variable ${JSON.stringify(name)}, which is not set`)
      return ''
    })
    if (isWhole && !isValid(filled)) this.wrong(place, `must be ${what}`)
    return filled
  }

  private refuse(name: string, what: string, value: unknown): void {
    if (value === undefined) this.wrong(name, `is missing: it must be ${what}`)
    else this.wrong(name, `must be ${what}, not ${quoted(value)}`)
  }
}

function isWhole(value: unknown, minimum: number, maximum: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > QUOTE_LENGTH_MAX ? `${text.slice(0, QUOTE_LENGTH_MAX)}…` : text
}
