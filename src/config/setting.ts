/** The source of a setting's value, and its description. */
export interface SettingAbout {
  /** The environment variable, if it does not follow from the name of the setting. */
  readonly variable?: `BILLHOOK_${string}`
  /** The flag of the same setting, if there is one. */
  readonly flag?: `--${string}`
  /** True if the flag takes no value and means `on`. */
  readonly switch?: true
  /** One sentence for `--help` and docs/settings.md. */
  readonly sentence: string
  /** What a value must be, completing "must be …". */
  readonly expects: string
  readonly unit?: string
  /** The default value, in the form of the environment variable. */
  readonly fallback?: string | ((machine: Machine) => string)
  /** The description of the default, if it is not `fallback` itself. */
  readonly fallbackText?: string
  /** True if paths will be appended to the value, or to each value of the list: trailing slashes are dropped. */
  readonly base?: true
  /** Never printed, neither in problems nor in logs. */
  readonly secret?: true
}

/** The environment variable of a setting: `BILLHOOK_SEP_URLS` for `sepUrls`, unless the setting names another. */
export function variableOf(name: string, { variable }: SettingAbout): string {
  return variable ?? `BILLHOOK_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
}

/** What defaults may depend on. */
export interface Machine {
  /** The number of threads that can run at once. */
  readonly cores: number
}

/** One setting: its description, and how its text is parsed. */
export interface Setting<Value> {
  readonly about: SettingAbout
  /** Parses the text; returns undefined if it is malformed. */
  readonly read: (text: string) => Value | undefined
  /** The value if there is neither a text nor a default. Undefined if there is a default, or the setting is optional. */
  readonly unset?: Value
}

/** A setting that may be absent. */
export interface OptionalSetting<Value> extends Setting<Value> {
  readonly isOptional: true
}

const PORT_LIMIT = 65_535

type AboutKind = Omit<SettingAbout, 'expects'>

/** Text that passes the check. */
export function text(isValid: (text: string) => boolean, about: SettingAbout): Setting<string> {
  const read = (given: string) => {
    const value = trimmed(given, about)
    return isValid(value) ? value : undefined
  }
  return { about, read }
}

/** Text of `minimum` to `maximum` characters. */
function textOfLength(minimum: number, maximum: number, about: SettingAbout): Setting<string> {
  const isValid = (given: string) => {
    const { length } = [...given]
    return length >= minimum && length <= maximum
  }
  return text(isValid, about)
}

/** A comma-separated list that passes the check; empty without a text. */
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

/** The number of a port; 0 is for a free one. */
export function port(about: AboutKind): Setting<number> {
  return integer(0, PORT_LIMIT, about)
}

/** An integer that counts something, or measures it in a unit. */
export function quantity(
  minimum: number,
  maximum: number,
  unit: string,
  about: Omit<AboutKind, 'unit'>,
): Setting<number> {
  return integer(minimum, maximum, { ...about, unit })
}

/** A percentage from 0 to `maximum` with at most so many decimal places. The value is in the smallest part that they express. */
export function percentage(maximum: number, decimals: number, about: Omit<AboutKind, 'unit'>): Setting<number> {
  const form = new RegExp(`^(0|[1-9]\\d*)(?:\\.(\\d{1,${decimals}}))?$`)
  const read = (given: string) => {
    const [, whole, fraction = ''] = form.exec(given) ?? []
    // By digits: a product of decimal fractions would not be an integer.
    const value = whole === undefined ? Number.NaN : Number(whole + fraction.padEnd(decimals, '0'))
    return value <= maximum * 10 ** decimals ? value : undefined
  }
  const expects = `a number from 0 to ${maximum} with at most ${decimals} decimal places`
  return { about: { ...about, unit: 'percent', expects }, read }
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

/** The kinds of settings that may be absent. */
export const optional = {
  text: optionally(text),
  textOfLength: optionally(textOfLength),
  port: optionally(port),
  quantity: optionally(quantity),
}

function optionally<Rules extends readonly unknown[], Value>(kind: (...rules: Rules) => Setting<Value>) {
  return (...rules: Rules): OptionalSetting<Value> => ({ ...kind(...rules), isOptional: true })
}

function trimmed(given: string, about: SettingAbout): string {
  return about.base === true ? given.replace(/\/+$/, '') : given
}
