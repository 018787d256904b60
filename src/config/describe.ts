import { settingEntries } from './schema.js'

/** A setting as people are told about it, in `--help` and in docs/settings.md. */
export interface SettingDescription {
  readonly environment: string
  /** With the place of its value, as in `--port <value>`. */
  readonly flag: string | undefined
  /** What a value must be, unit included. */
  readonly expects: string
  /** The default, or what happens without one. */
  readonly fallback: string
  readonly sentence: string
}

/** Every setting, in the order of the schema. */
export function describeSettings(): readonly SettingDescription[] {
  return settingEntries.map(([name, { about }]) => {
    const fallback = about.fallbackText ?? about.fallback
    if (typeof fallback !== 'string') throw new Error(`The setting ${name} does not say what its default is.`)
    return {
      environment: about.environment,
      flag: about.switch === true || about.flag === undefined ? about.flag : `${about.flag} <value>`,
      expects: about.unit === undefined ? about.expects : `${about.expects} (${about.unit})`,
      fallback,
      sentence: about.sentence,
    }
  })
}
