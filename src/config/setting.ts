import type { SettingGroup } from './groups.js'

/** Where a setting's value comes from and how people are told about it. */
export interface SettingAbout {
  /** The environment variable. */
  readonly environment: `BILLHOOK_${string}`
  /** The chapter of `--help` and docs/settings.md that it stands in. */
  readonly group: SettingGroup
  /** The flag of the same setting, where there is one. */
  readonly flag?: `--${string}`
  /** True when the flag takes no value: giving it means `on`. */
  readonly switch?: true
  /** One sentence for `--help` and docs/settings.md. */
  readonly sentence: string
  /** What a value must be, completing "must be …". */
  readonly expects: string
  readonly unit?:
    | 'seconds'
    | 'milliseconds'
    | 'threads'
    | 'digits'
    | 'deliveries'
    | 'per minute'
    | 'wallets'
    | 'attempts'
    | 'blocks'
    | 'days'
    | 'keys'
    | 'calls'
  /** The value when none is given, as it would stand in the environment. */
  readonly fallback?: string | ((machine: Machine) => string)
  /** How the value when none is given is told to people, where it is not `fallback` itself. */
  readonly fallbackText?: string
  /** True when a path will be appended to the value, or to each value of the list: trailing slashes are dropped. */
  readonly base?: true
  /** Never printed, neither in problems nor in logs. */
  readonly secret?: true
}

/** What defaults may depend on. */
export interface Machine {
  /** The number of threads that can run at once. */
  readonly cores: number
}

/** One setting: what is told about it, and how its text is read. */
export interface Setting<Value> {
  readonly about: SettingAbout
  /** The value that the text stands for; undefined when it stands for none. */
  readonly read: (text: string) => Value | undefined
  /** The value without a text and a default. Undefined: there has to be one, or the setting is optional. */
  readonly unset?: Value
}

/** A setting that may be absent. */
export interface OptionalSetting<Value> extends Setting<Value> {
  readonly isOptional: true
}

type AboutKind = Omit<SettingAbout, 'expects'>

export function optional<Value>(setting: Setting<Value>): OptionalSetting<Value> {
  return { ...setting, isOptional: true }
}

/** Text that passes the check. */
export function text(isValid: (text: string) => boolean, about: SettingAbout): Setting<string> {
  return {
    about,
    read: (given) => {
      const value = trimmed(given, about)
      return isValid(value) ? value : undefined
    },
  }
}

/** Text of so many characters. */
export function textOfLength(minimum: number, maximum: number, about: SettingAbout): Setting<string> {
  const isValid = (given: string) => {
    const { length } = [...given]
    return length >= minimum && length <= maximum
  }
  return text(isValid, about)
}

/** A list whose entries are separated by commas and pass the check; empty without a text. */
export function list(
  isValid: (entries: readonly string[]) => boolean,
  about: SettingAbout,
): Setting<readonly string[]> {
  const read = (given: string) => {
    const entries = given.split(',').map((entry) => trimmed(entry.trim(), about))
    return isValid(entries) ? entries : undefined
  }
  return { about, read, unset: [] }
}

/** An integer in decimal digits, from `minimum` to `maximum`. */
export function integer(minimum: number, maximum: number, about: AboutKind): Setting<number> {
  const read = (given: string) => {
    const value = /^(0|[1-9]\d*)$/.test(given) ? Number(given) : Number.NaN
    return value >= minimum && value <= maximum ? value : undefined
  }
  return { about: { ...about, expects: `an integer from ${minimum} to ${maximum}` }, read }
}

/** One of the values. */
export function choice<const Value extends string>(values: readonly Value[], about: AboutKind): Setting<Value> {
  const read = (given: string) => values.find((value) => value === given)
  return { about: { ...about, expects: `one of ${values.join(', ')}` }, read }
}

export function onOff(about: AboutKind): Setting<boolean> {
  const read = (given: string) => (given === 'on' ? true : given === 'off' ? false : undefined)
  return { about: { ...about, expects: 'on or off' }, read }
}

function trimmed(given: string, about: SettingAbout): string {
  return about.base === true ? given.replace(/\/+$/, '') : given
}
