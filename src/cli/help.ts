import { describeSettings, type SettingDescription } from '../config/describe.js'

const INTRODUCTION = `Usage: billhook <command> [flags]

Commands:
  serve        Run the service until SIGTERM or SIGINT.
  reconcile    Compare blocks of a watched network with the recorded deposits, while no service runs on the data:
                 --network <SEP or TRX-NILE> --from <height> --to <height>
                 --apply    Repair the differences.
                 --forget   At the end, forget which blocks were read: the service then starts at its configured block.
               With --ledger alone: compare everything that the followed ledger lists, and apply what was missed.
               Ends with 0 when nothing is different in the end, 1 when differences are left, 2 when the command or the
               settings are wrong, 3 when the end was not reached; the last line says how to continue.

Flags:
  --help       Print this text.
  --version    Print the version.

Settings of both, as environment variables or flags (a flag wins; an empty variable counts as unset):
`

/** Up to 112 characters, so that a line with its indentation fits 120 columns. */
const WRAP = /\S.{0,111}(?=\s|$)/g

/** The text of `billhook --help`: commands, flags and every setting. Ends without a line feed. */
export function helpText(): string {
  const chapters = describeSettings().map(({ title, settings }) => `\n${title}\n${settings.map(settingText).join('')}`)
  return INTRODUCTION + chapters.join('\n')
}

function settingText(setting: SettingDescription): string {
  const names = [setting.environment, ...(setting.flag === undefined ? [] : [setting.flag])].join(', ')
  const lines = [setting.sentence, `Value: ${setting.expects}`, `Default: ${setting.fallback}`].flatMap(wrapped)
  return `\n  ${names}${lines.map((line) => `\n      ${line}`).join('')}`
}

/** The text in lines that fit a terminal, broken at blanks. */
function wrapped(text: string): readonly string[] {
  return text.match(WRAP) ?? []
}
