import { describeSettings } from '../../src/config/describe.js'
import { describeCommands } from '../../test/docs/commands.js'

/** The page billhook(1), in the macros of man(7): every command and every setting, as `--help` has them. */
export function manPage(version: string, date: string): string {
  const commands = describeCommands().flatMap(({ usage, summary, inputs, explanation }) => [
    entry(usage, [summary, explanation].filter((text) => text !== '').join(' ')),
    ...(inputs.length === 0 ? [] : ['.RS']),
    ...inputs.map(({ term, description }) => entry(term, description)),
    ...(inputs.length === 0 ? [] : ['.RE']),
  ])
  const settings = describeSettings().flatMap(({ title, settings }) => [
    `.SS ${quoted(title)}`,
    ...settings.map(({ environment, flag, sentence, expects, fallback }) =>
      entry(
        flag === undefined ? environment : `${environment}, ${flag}`,
        `${sentence} Value: ${expects}. Default: ${fallback}.`,
      ),
    ),
  ])
  const files = [
    entry('/etc/billhook/billhook.env', 'The settings of the service under systemd.'),
    entry('/etc/billhook/gateway-secret', 'The secret with which the ledger gateway signs. Only root reads it.'),
    entry('/var/lib/billhook', 'The data directory. Only root and the service enter it.'),
  ]
  return [
    `.TH BILLHOOK 1 ${quoted(date)} ${quoted(`billhook ${version}`)} "User Commands"`,
    '.SH NAME',
    'billhook \\- self-hosted payment service',
    '.SH SYNOPSIS',
    '.B billhook',
    text('<command> [flags]'),
    '.SH DESCRIPTION',
    text('Creates invoices payable to wallets over a signed API, watches their payment, and notifies merchants.'),
    '.SH COMMANDS',
    ...commands,
    '.SH ENVIRONMENT',
    text(
      'Settings are environment variables, and some are also flags. A flag wins; an empty variable counts as unset.',
    ),
    ...settings,
    '.SH FILES',
    text('Of the Debian package:'),
    ...files,
    '.SH EXIT STATUS',
    text('0: done. 1: failed. 2: the command or the settings are wrong. Some commands have more, as told there.'),
    '.SH SEE ALSO',
    text('/usr/share/doc/billhook/docs/operating.md'),
    '',
  ].join('\n')
}

function entry(term: string, description: string): string {
  return `.TP\n.B ${quoted(term)}\n${text(description)}`
}

/** Text of a line of its own: nothing in it is read as a macro or an escape. */
function text(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1')
}

/** Text as one argument of a macro. */
function quoted(words: string): string {
  return `"${text(words).replaceAll('"', '\\(dq')}"`
}
