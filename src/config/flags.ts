import { settingEntries } from './schema.js'
import { suggestion } from './suggestion.js'

/** Whether a flag takes a value, by its name. */
export type Flags = Readonly<Record<string, 'value' | 'switch'>>

/** Values by flag, as they would stand in the environment. */
export type FlagValues = ReadonlyMap<string, string>

/** Flags of every command that are answered before the others are read. */
const ANSWERED_FIRST: readonly string[] = ['--help', '--version']

const SETTING_FLAGS: Flags = Object.fromEntries(
  settingEntries.flatMap(([, { about }]) =>
    about.flag === undefined ? [] : [[about.flag, about.switch === true ? 'switch' : 'value']],
  ),
)

/** The value that a switch such as `--sandbox` stands for. */
const SWITCHED_ON = 'on'

/**
 * Reads `--flag value`, `--flag=value` and `--switch` from what follows the command: the flags of settings and the command's
 * own. What it cannot read it describes in `problems`, one line each, and skips, so that every problem of a command line
 * is reported at once. A flag given twice counts as given last, so that a wrapper script can be overruled.
 * (`node:util.parseArgs` takes the next flag for a missing value, and stops at the first problem.)
 */
export function readFlags(argv: readonly string[], problems: string[], commandFlags: Flags = {}): FlagValues {
  const known: Flags = { ...SETTING_FLAGS, ...commandFlags }
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
    const kind = Object.hasOwn(known, flag) ? known[flag] : undefined
    if (kind === undefined) {
      const names = [...ANSWERED_FIRST, ...Object.keys(known)]
      problems.push(`${JSON.stringify(flag)} is not a flag; ${suggestion(flag, names)}`)
    } else if (kind === 'switch') {
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
