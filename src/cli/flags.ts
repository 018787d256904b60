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

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
