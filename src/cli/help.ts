import { describeSettings, type SettingDescription } from '../config/describe.js'
import type { BillhookCommand } from './billhook-command.js'

/** Up to 112 characters, so that a line with its indentation fits 120 columns. */
const WRAP = /\S.{0,111}(?=\s|$)/g

const EXAMPLES = `
Examples:
  billhook serve --sandbox                 Try it: a simulated ledger and simulated networks.
  billhook serve --data /var/lib/billhook  Run it; the other settings come from the environment.
  billhook status --data /var/lib/billhook Ask it how it is.

Each command has a --help of its own. Exit codes: 0 done, 1 failed, 2 wrong command line or settings.
Documentation: docs/operating.md, docs/settings.md.
`

const SETTINGS = `
Settings, as environment variables or flags (a flag wins; an empty variable counts as unset). Their values and
defaults: billhook serve --help.
`

const SETTINGS_IN_FULL = `
Settings, as environment variables or flags (a flag wins; an empty variable counts as unset):
`

/** The settings of the service, with their values and defaults. */
export const SERVE_HELP = SETTINGS_IN_FULL + chapters(settingInFull)

/** Adds the examples, and every setting with its sentence, to the help that was asked for. */
export function completeHelp(program: BillhookCommand): void {
  program.addHelpText('after', ({ error }) => (error ? '' : EXAMPLES + SETTINGS + chapters(settingInShort)))
}

function chapters(settingText: (setting: SettingDescription) => string): string {
  return describeSettings()
    .map(({ title, settings }) => `\n${title}\n${settings.map(settingText).join('')}`)
    .join('\n')
}

function settingInShort(setting: SettingDescription): string {
  return `\n  ${namesOf(setting)}${indented([setting.sentence])}`
}

function settingInFull(setting: SettingDescription): string {
  return `\n  ${namesOf(setting)}${indented([setting.sentence, `Value: ${setting.expects}`, `Default: ${setting.fallback}`])}`
}

function namesOf({ environment, fileVariable, flag }: SettingDescription): string {
  return [environment, fileVariable, flag].filter((name) => name !== undefined).join(', ')
}

function indented(texts: readonly string[]): string {
  return texts
    .flatMap(wrapped)
    .map((line) => `\n      ${line}`)
    .join('')
}

/** The text in lines that fit a terminal, broken at blanks. */
function wrapped(text: string): readonly string[] {
  return text.match(WRAP) ?? []
}
