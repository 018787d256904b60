import { settingChapters } from './schema.js'
import { fileVariableOf } from './secret-files.js'
import { type Setting, type SettingAbout, variableOf } from './setting.js'

/** A setting as described in `--help` and docs/settings.md. */
export interface SettingDescription {
  readonly environment: string
  /** The environment variable that names a file with the value; undefined unless the setting is a secret. */
  readonly fileVariable: string | undefined
  /** With a placeholder for its value, as in `--port <value>`. */
  readonly flag: string | undefined
  /** What a value must be, unit included. */
  readonly expects: string
  /** The default, or the effect of having none. */
  readonly fallback: string
  readonly sentence: string
}

/** Every setting, chapter by chapter, in the order of the schema. */
export function describeSettings() {
  return Object.entries(settingChapters).map(([title, chapter]) => ({
    title,
    settings: Object.entries<Setting<unknown>>(chapter).map(([name, { about }]) => describe(name, about)),
  }))
}

function describe(name: string, about: SettingAbout): SettingDescription {
  const fallback = about.fallbackText ?? about.fallback
  if (typeof fallback !== 'string') throw new Error(`The setting ${name} does not say what its default is.`)
  const environment = variableOf(name, about)
  return {
    environment,
    fileVariable: about.secret === true ? fileVariableOf(environment) : undefined,
    flag: about.switch === true || about.flag === undefined ? about.flag : `${about.flag} <value>`,
    expects: about.unit === undefined ? about.expects : `${about.expects} (${about.unit})`,
    fallback,
    sentence: about.sentence,
  }
}
