import { settingEntries } from './schema.js'
import type { SettingAbout } from './setting.js'
import { suggestion } from './suggestion.js'

/** Values by flag, as they would stand in the environment. */
export type FlagValues = ReadonlyMap<string, string>

/** The flags that every command takes. */
const KNOWN_FLAGS: readonly string[] = [
  '--help',
  '--version',
  ...settingEntries.flatMap(([, { about }]) => about.flag ?? []),
]

/** The value that a switch such as `--sandbox` stands for. */
const SWITCHED_ON = 'on'

/**
 * Reads `--flag value`, `--flag=value` and `--switch` from what follows the command. What it cannot read is described
 * in `problems`, one line each, and skipped, so that every problem of a command line is reported at once. A flag given
 * twice counts as given last, so that a wrapper script can be overruled.
 */
export function readFlags(argv: readonly string[], problems: string[], otherFlags: readonly string[]): FlagValues {
  const values = new Map<string, string>()
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? ''
    if (!argument.startsWith('-')) {
      problems.push(`Unexpected argument ${JSON.stringify(argument)}.`)
      continue
    }
    const equals = argument.indexOf('=')
    const flag = equals < 0 ? argument : argument.slice(0, equals)
    const inline = equals < 0 ? undefined : argument.slice(equals + 1)
    const about = aboutFlag(flag)
    if (about === undefined) {
      problems.push(`${JSON.stringify(flag)} is not a flag; ${suggestion(flag, [...KNOWN_FLAGS, ...otherFlags])}`)
    } else if (about.switch === true) {
      if (inline === undefined) values.set(flag, SWITCHED_ON)
      else problems.push(`${flag} takes no value.`)
    } else if (inline !== undefined) {
      values.set(flag, inline)
    } else {
      const next = argv[at + 1]
      if (next === undefined || next.startsWith('--')) {
        problems.push(`${flag} needs a value.`)
      } else {
        values.set(flag, next)
        at++
      }
    }
  }
  return values
}

function aboutFlag(flag: string): SettingAbout | undefined {
  return settingEntries.find(([, { about }]) => about.flag === flag)?.[1].about
}
