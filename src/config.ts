import { availableParallelism } from 'node:os'
import { combinationProblems } from './config/combinations.js'
import { settingEntries, settingsSchema } from './config/schema.js'
import { fileVariableOf, readSecretFiles } from './config/secret-files.js'
import { isServiceLink } from './config/service-links.js'
import { type Machine, type OptionalSetting, type Setting, type SettingAbout, variableOf } from './config/setting.js'
import { suggestion } from './config/suggestion.js'
import type { NetworkEntry } from './networks/catalogue/entry.js'
import { readNetworksFile } from './networks/catalogue/file.js'

type Schema = typeof settingsSchema
type OptionalName = {
  [Name in keyof Schema]: Schema[Name] extends OptionalSetting<unknown> ? Name : never
}[keyof Schema]
type ValueOf<Kind> = Kind extends Setting<infer Value> ? Value : never

/** The settings of one run, frozen. A setting that is not configured is absent, or an empty list. */
export type Settings = {
  readonly [Name in Exclude<keyof Schema, OptionalName>]: ValueOf<Schema[Name]>
} & { readonly [Name in OptionalName]?: ValueOf<Schema[Name]> } & {
  /** The networks of the file that `networks` names. */
  readonly networkEntries: readonly NetworkEntry[]
  /** The variables that Kubernetes set for Services and that are therefore ignored. */
  readonly serviceLinks: readonly string[]
}

/** The settings, or every problem found, one printable line each, without secrets. */
export type SettingsOutcome = { readonly settings: Settings } | { readonly problems: readonly string[] }

export type Environment = Readonly<Record<string, string | undefined>>

/** A value as the operator gave it, with the name of the flag or variable, so that a problem can repeat both. */
interface Given {
  readonly name: string
  readonly text: string
}

const ENVIRONMENT_PREFIX = 'BILLHOOK_'

/** The variables of settings whose value is secret. */
const SECRETS: readonly string[] = settingEntries.flatMap(([name, { about }]) =>
  about.secret === true ? [variableOf(name, about)] : [],
)

/** Maximum length of a rejected value in its problem line. */
const QUOTE_LIMIT_CHARACTERS = 80

/**
 * The settings that `flags` (`--port` → `8080`) and `environment` give. A flag wins over the environment; an empty environment
 * variable counts as unset. A secret may stand in a file that `<variable>_FILE` names. `commandProblems`, found on the command
 * line, come first among the problems.
 */
export function readSettings(
  flags: Iterable<readonly [flag: string, value: string]>,
  variables: Environment,
  commandProblems: readonly string[] = [],
  machine: Machine = { cores: availableParallelism() },
): SettingsOutcome {
  const flagValues = new Map(flags)
  const serviceLinks = serviceLinksIn(variables)
  const own = Object.fromEntries(Object.entries(variables).filter(([name]) => !serviceLinks.includes(name)))
  const problems = [...commandProblems, ...unknownVariables(own)]
  const environment = { ...own, ...Object.fromEntries(readSecretFiles(SECRETS, own, problems)) }

  const values: Record<string, unknown> = {}
  for (const [name, { about, read, unset }] of settingEntries) {
    const given = find(name, about, flagValues, environment)
    const fallback = typeof about.fallback === 'function' ? about.fallback(machine) : about.fallback
    const text = given?.text ?? fallback
    const value = text === undefined ? unset : read(text)
    if (value !== undefined) values[name] = Object.freeze(value)
    else if (given !== undefined) problems.push(malformed(given, about))
  }

  const file = values['networks']
  values['serviceLinks'] = serviceLinks
  values['networkEntries'] = typeof file === 'string' ? readNetworksFile(file, variables, problems) : []

  const given = (name: keyof Schema) => find(name, settingsSchema[name].about, flagValues, environment)?.name
  problems.push(...combinationProblems({ values, given }))

  if (problems.length > 0) return { problems }
  assertComplete(values)
  return { settings: Object.freeze(values) }
}

/** Every value was read by its own setting, so only a default that its setting rejects can be missing. */
function assertComplete(values: Readonly<Record<string, unknown>>): asserts values is Settings {
  for (const [name, setting] of settingEntries) {
    if (values[name] === undefined && !('isOptional' in setting)) throw new Error(`The setting ${name} has no value.`)
  }
}

function serviceLinksIn(variables: Environment): readonly string[] {
  return Object.entries(variables)
    .filter(([name, text]) => name.startsWith(ENVIRONMENT_PREFIX) && isSet(text) && isServiceLink(name, text))
    .map(([name]) => name)
    .sort()
}

function unknownVariables(environment: Environment): string[] {
  const known = new Set([
    ...settingEntries.map(([name, { about }]) => variableOf(name, about)),
    ...SECRETS.map(fileVariableOf),
  ])
  return Object.keys(environment)
    .filter((name) => name.startsWith(ENVIRONMENT_PREFIX) && isSet(environment[name]) && !known.has(name))
    .sort()
    .map((name) => `${name} is not a setting; ${suggestion(name, [...known])}`)
}

function find(
  name: string,
  about: SettingAbout,
  flags: ReadonlyMap<string, string>,
  environment: Environment,
): Given | undefined {
  const flagged = about.flag === undefined ? undefined : flags.get(about.flag)
  if (about.flag !== undefined && flagged !== undefined) return { name: about.flag, text: flagged }
  const variable = variableOf(name, about)
  const text = environment[variable]
  return isSet(text) ? { name: variable, text } : undefined
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}

function malformed(given: Given, about: SettingAbout): string {
  if (about.secret === true) return `${given.name} must be ${about.expects}.`
  return `${given.name} must be ${about.expects}, not ${quote(given.text)}.`
}

/** A value as one line of printable text, shortened, and without the password that a URL may hold. */
function quote(text: string): string {
  const shown = text.replace(/\/\/[^/]*@/g, '//…@')
  const short = shown.length > QUOTE_LIMIT_CHARACTERS ? `${shown.slice(0, QUOTE_LIMIT_CHARACTERS)}…` : shown
  return JSON.stringify(short)
}
