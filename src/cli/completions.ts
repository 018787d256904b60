import { Argument, type Command } from 'commander'
import type { BillhookCommand } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** What a shell can complete behind a command: subcommands, flags, and the values of its arguments. */
interface Choices {
  /** The words that lead to the command, without the program's name. */
  readonly path: string
  readonly words: readonly string[]
  readonly describe: ReadonlyMap<string, string>
  /** Flags whose value is a file or a directory. */
  readonly takesFiles: boolean
}

export function completionsCommand(program: BillhookCommand): void {
  program
    .add('completions', 'Print what completes commands and flags in a shell.')
    .addArgument(new Argument('<shell>', 'The shell.').choices(SHELLS))
    .addHelpText(
      'after',
      `
For this session:  source <(billhook completions bash)
For all:           billhook completions bash > /usr/share/bash-completion/completions/billhook
                   billhook completions zsh > /usr/share/zsh/site-functions/_billhook
                   billhook completions fish > /usr/share/fish/vendor_completions.d/billhook.fish`,
    )
    .runs(async ({ args, context }) => {
      context.out(completionsFor((args[0] ?? 'bash') as Shell, program))
      return EXIT_SUCCESS
    })
}

function completionsFor(shell: Shell, program: Command): string {
  const all = choicesOf(program, '')
  return { bash, zsh, fish }[shell](all)
}

/** The command and all below it. */
function choicesOf(command: Command, path: string): readonly Choices[] {
  const describe = new Map<string, string>()
  for (const below of command.commands) describe.set(below.name(), below.description())
  for (const option of command.options) describe.set(option.long ?? '', option.description)
  describe.set('--help', 'Print this text.')
  for (const { argChoices, description } of command.registeredArguments) {
    for (const choice of argChoices ?? []) describe.set(choice, description)
  }
  const takesFiles = command.registeredArguments.some(({ argChoices }) => argChoices === undefined)
  const own: Choices = { path, words: [...describe.keys()], describe, takesFiles }
  return [own, ...command.commands.flatMap((below) => choicesOf(below, `${path} ${below.name()}`.trim()))]
}

/** The words before the cursor that are commands select the choices; after a flag with a value, files are offered too. */
function bash(all: readonly Choices[]): string {
  const cases = all.map(
    ({ path, words, takesFiles }) =>
      `    ${quoted(path)}) words=${quoted(words.join(' '))}; files=${takesFiles ? 1 : 0} ;;`,
  )
  return `# bash completion for billhook
_billhook() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' word words='' files=0
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${knownPaths(all)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=()
  if [[ $COMP_CWORD -gt 1 && \${COMP_WORDS[COMP_CWORD-1]} == --* && $cur != -* ]]; then files=1; fi
  while IFS='' read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$cur")
  if ((files)); then
    while IFS='' read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
  fi
}
complete -F _billhook billhook`
}

function zsh(all: readonly Choices[]): string {
  const cases = all.map(({ path, describe, takesFiles }) => {
    const pairs = [...describe].map(([word, text]) => quoted(`${word.replace(/:/g, '\\:')}:${text}`))
    return `    ${quoted(path)}) choices=(${pairs.join(' ')}); files=${takesFiles ? 1 : 0} ;;`
  })
  return `#compdef billhook
_billhook() {
  local path_='' word files=0
  local -a words_ choices
  words_=("\${(@)words[2,CURRENT-1]}")
  for word in "\${words_[@]}"; do
    case "\${path_:+$path_ }$word" in
      ${knownPaths(all)}) path_="\${path_:+$path_ }$word" ;;
    esac
  done
  choices=()
  case "$path_" in
${cases.join('\n')}
  esac
  _describe billhook choices
  if ((files)) || [[ \${words_[-1]} == --* ]]; then _files; fi
}
compdef _billhook billhook`
}

function fish(all: readonly Choices[]): string {
  const commands = all.flatMap(({ path, describe, takesFiles }) => {
    const when = quoted(`__billhook_at ${quotedTwice(path)}`)
    const lines = [...describe].map(([word, text]) =>
      word.startsWith('--')
        ? `complete -c billhook -n ${when} -l ${quoted(word.slice(2))} -d ${quoted(text)}`
        : `complete -c billhook -n ${when} -f -a ${quoted(word)} -d ${quoted(text)}`,
    )
    return takesFiles ? [...lines, `complete -c billhook -n ${when} -F`] : lines
  })
  return `# fish completion for billhook
complete -c billhook -f
function __billhook_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    switch "$next"
      case ${all
        .filter(({ path }) => path !== '')
        .map(({ path }) => quoted(path))
        .join(' ')}
        set path "$next"
    end
  end
  test "$path" = "$argv[1]"
end
${commands.join('\n')}`
}

function knownPaths(all: readonly Choices[]): string {
  return all
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join('|')
}

/** A word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A word inside a quoted one. Paths consist of letters and blanks. */
function quotedTwice(text: string): string {
  return `"${text}"`
}
