import { availableParallelism } from 'node:os'
import Type from 'typebox'
import Value from 'typebox/value'
import { type FlagValues, readFlags } from './config/flags.js'
import { type Machine, type SettingAbout, settingEntries, settingsSchema } from './config/schema.js'

type SettingValues = Type.Static<typeof settingsSchema>

/** The settings of one run, frozen. An absent one is not configured; a list is empty when not configured. */
export type Settings = {
  readonly [Name in keyof SettingValues]: SettingValues[Name] extends (infer Entry)[]
    ? readonly Entry[]
    : SettingValues[Name]
}

/** The settings, or else every problem found, one line each, fit to be printed: no line holds a secret. */
export type SettingsOutcome = { readonly settings: Settings } | { readonly problems: readonly string[] }

export type Environment = Readonly<Record<string, string | undefined>>

/** A value as the operator gave it, and under which name, so that a problem can repeat both. */
interface Given {
  readonly name: string
  readonly text: string
}

const ENVIRONMENT_PREFIX = 'BILLHOOK_'

/** A refused value is repeated in its problem line up to here. */
const QUOTE_LIMIT_CHARACTERS = 80

/**
 * Reads the settings from the flags in `argv` (what follows the command) and from `environment`. A flag wins over the
 * environment; an empty environment variable counts as unset.
 */
export function readSettings(
  argv: readonly string[],
  environment: Environment,
  machine: Machine = { cores: availableParallelism() },
): SettingsOutcome {
  const problems: string[] = []
  const flags = readFlags(argv, problems)
  problems.push(...unknownVariables(environment))

  const values: Record<string, unknown> = {}
  for (const [key, schema] of settingEntries) {
    const given = find(schema.about, flags, environment)
    const text = given?.text ?? fallback(schema.about, machine)
    const value = text === undefined ? unset(schema) : decode(schema, text, schema.about.base === true)
    if (value === undefined) continue
    if (Value.Check(schema, value)) values[key] = Object.freeze(value)
    else if (given !== undefined) problems.push(malformed(given, schema.about))
  }

  const ledger = find(settingsSchema.properties.ledgerUrls.about, flags, environment)
  if (values.sandbox === true && ledger !== undefined) {
    problems.push(
      `${ledger.name} names a real ledger, which the sandbox never uses: unset it or switch the sandbox off.`,
    )
  }

  const onboarding = find(settingsSchema.properties.onboardingName.about, flags, environment)
  if (values.sandbox === true && onboarding !== undefined) {
    problems.push(
      `${onboarding.name} is for a real ledger; the sandbox has its own: unset it or switch the sandbox off.`,
    )
  }
  if (values.strict === true && values.sandbox !== true && onboarding === undefined) {
    const { onboardingName, strict } = settingsSchema.properties
    problems.push(
      `${strict.about.environment} needs ${onboardingName.about.environment}, the ledger's onboarding name.`,
    )
  }

  problems.push(...followingProblems(values, ledger !== undefined, onboarding !== undefined))

  if (problems.length > 0) return { problems }
  if (!Value.Check(settingsSchema, values)) throw new Error('The settings passed their checks singly but not together.')
  return { settings: Object.freeze(values) }
}

/** What following the ledger needs besides. */
function followingProblems(
  { sandbox, ledgerStoreUrl, ledgerFollow }: Readonly<Record<string, unknown>>,
  hasReadApi: boolean,
  hasOnboardingName: boolean,
): string[] {
  const { ledgerUrls, onboardingName, ledgerStoreUrl: store, ledgerFollow: follow } = settingsSchema.properties
  const entries: readonly string[] = Array.isArray(ledgerFollow) ? ledgerFollow : []
  const problems: string[] = []
  const need = (one: { about: SettingAbout }, other: { about: SettingAbout }) =>
    problems.push(`${one.about.environment} needs ${other.about.environment}.`)
  if (ledgerStoreUrl !== undefined && sandbox === true) {
    problems.push(`${store.about.environment} names a real ledger: unset it or switch the sandbox off.`)
  }
  if (ledgerStoreUrl !== undefined && !hasReadApi) need(store, ledgerUrls)
  if (ledgerStoreUrl !== undefined && entries.length === 0) need(store, follow)
  if (ledgerStoreUrl === undefined && entries.length > 0) need(follow, store)
  if (entries.some((entry) => entry.startsWith('onboard=')) && !hasOnboardingName) need(follow, onboardingName)
  return problems
}

function unknownVariables(environment: Environment): string[] {
  const known = new Set<string>(settingEntries.map(([, schema]) => schema.about.environment))
  return Object.keys(environment)
    .filter((name) => name.startsWith(ENVIRONMENT_PREFIX) && isSet(environment[name]) && !known.has(name))
    .sort()
    .map((name) => `${name} is not a setting; see billhook --help.`)
}

function find(about: SettingAbout, flags: FlagValues, environment: Environment): Given | undefined {
  const flagged = about.flag === undefined ? undefined : flags.get(about.flag)
  if (about.flag !== undefined && flagged !== undefined) return { name: about.flag, text: flagged }
  const text = environment[about.environment]
  return isSet(text) ? { name: about.environment, text } : undefined
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}

function fallback(about: SettingAbout, machine: Machine): string | undefined {
  return typeof about.fallback === 'function' ? about.fallback(machine) : about.fallback
}

/** The value of a setting that is not given and has no default. */
function unset(schema: Type.TSchema): unknown {
  return Type.IsArray(schema) ? [] : undefined
}

/** Turns text into the JSON type of the schema, and leaves it as text where it cannot, for the check to refuse it. */
function decode(schema: Type.TSchema, text: string, base: boolean): unknown {
  const entry = (given: string) => (base ? given.replace(/\/+$/, '') : given)
  if (Type.IsInteger(schema)) return /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text
  if (Type.IsBoolean(schema)) return text === 'on' ? true : text === 'off' ? false : text
  if (Type.IsArray(schema)) return text.split(',').map((given) => entry(given.trim()))
  return entry(text)
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
