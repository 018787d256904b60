import type { Given } from './billhook-command.js'

type Options = Given['options']

/** Adds a problem for each flag that is missing. */
export function needFlags(command: string, names: readonly string[], options: Options, problems: string[]): void {
  for (const name of names) {
    if (options[camelCase(name)] === undefined) problems.push(`${command} needs --${name}.`)
  }
}

/** Adds a problem unless the flag is absent or a whole number within the bounds. */
export function checkWholeNumber(
  name: string,
  [minimum, maximum]: readonly [number, number],
  options: Options,
  problems: string[],
): void {
  const text = options[camelCase(name)]
  if (text === undefined) return
  const value = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum && value <= maximum)) {
    problems.push(`--${name} must be an integer from ${minimum} to ${maximum}, not ${JSON.stringify(text)}.`)
  }
}

/** The number of a flag that was checked, or the default. */
export function wholeNumber(name: string, fallback: number, options: Options): number {
  const text = options[camelCase(name)]
  return text === undefined ? fallback : Number(text)
}

/** The text of a flag, if it was given. */
export function text(name: string, options: Options): string | undefined {
  const value = options[camelCase(name)]
  return typeof value === 'string' ? value : undefined
}

/** The texts of a flag that may be given several times. */
export function texts(name: string, options: Options): readonly string[] {
  const values = options[camelCase(name)]
  return Array.isArray(values) ? values : []
}

/** The flags that were given as parameters of a query, by their names in camel case. */
export function queryOf(names: readonly string[], options: Options): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = text(name, options)
      return value === undefined ? [] : [[camelCase(name), value] as const]
    }),
  )
}

/** Collects the values of a flag that may be given several times. */
export function collected(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value]
}

/** Adds a problem for each value of a flag that is no `key=value`, and for each key that is given twice. */
export function checkPairs(name: string, options: Options, problems: string[]): void {
  const keys = new Set<string>()
  for (const value of texts(name, options)) {
    const pair = pairOf(value)
    if (pair === null) problems.push(`--${name} must be key=value, not ${JSON.stringify(value)}.`)
    else if (keys.has(pair[0])) problems.push(`--${name} names ${JSON.stringify(pair[0])} twice.`)
    else keys.add(pair[0])
  }
}

/** The pairs of a flag that was checked; undefined if it was not given. A key such as `__proto__` is data. */
export function pairs(name: string, options: Options): Readonly<Record<string, string>> | undefined {
  const values = texts(name, options)
  if (values.length === 0) return undefined
  return Object.fromEntries(values.map(pairOf).filter((pair) => pair !== null))
}

function pairOf(text: string): readonly [string, string] | null {
  const at = text.indexOf('=')
  return at === -1 ? null : [text.slice(0, at), text.slice(at + 1)]
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
