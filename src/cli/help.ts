import { describeSettings } from '../config/describe.js'

const INTRODUCTION = `Usage: billhook <command> [flags]

Commands:
  serve    Run the service until SIGTERM or SIGINT.

Flags:
  --help       Print this text.
  --version    Print the version.

Settings of serve, as environment variables or flags (a flag wins; an empty variable counts as unset):
`

/** The text of `billhook --help`: commands, flags and every setting. Ends without a line feed. */
export function helpText(): string {
  return INTRODUCTION + describeSettings().map(settingText).join('')
}

function settingText(setting: ReturnType<typeof describeSettings>[number]): string {
  const names = [setting.environment, ...(setting.flag === undefined ? [] : [setting.flag])].join(', ')
  return `
  ${names}
      ${setting.sentence}
      Value: ${setting.expects}
      Default: ${setting.fallback}`
}
