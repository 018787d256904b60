import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { missingPrograms } from '../support/programs.js'
import { runBash } from '../support/shell.js'
import { command, inDirectory } from './served.js'

/** What is typed, and some of what is offered. */
const ROWS: readonly [typed: string, offered: readonly string[], not: readonly string[]][] = [
  ['billhook ', ['serve', 'export', 'wallets'], ['list']],
  ['billhook ex', ['export'], ['serve']],
  ['billhook wallets ', ['list', 'import'], ['serve']],
  ['billhook wallets list --', ['--data', '--json', '--owner'], ['--format']],
  ['billhook events ', ['list'], ['import']],
  ['billhook events list --', ['--after', '--limit', '--owner', '--url'], ['--status']],
  ['billhook order ', ['create', 'get', 'list', 'void', 'accept', 'watch'], ['import']],
  ['billhook order create --', ['--price', '--option', '--name', '--idempotency-key'], ['--amount']],
  ['billhook export ', ['invoices', 'deposits'], ['list']],
  ['billhook export --data /tmp in', ['invoices'], ['deposits']],
]

/** How each shell lists what it offers for a line, from the file with the completions. */
const ASK: Readonly<Record<'bash' | 'fish', (file: string, typed: string) => string>> = {
  bash: (file, typed) =>
    `source ${file}; read -ra COMP_WORDS <<<'${typed}'; [[ '${typed}' == *' ' ]] && COMP_WORDS+=(''); ` +
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash
    'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _billhook; printf "%s\\n" "${COMPREPLY[@]}"',
  fish: (file, typed) => `fish --no-config -c "source ${file}; complete -C '${typed}'" | cut -f1`,
}

describe('completions', () => {
  for (const shell of ['bash', 'fish'] as const) {
    test(
      `offer commands, flags and values in ${shell}`,
      { skip: missingPrograms(shell) },
      inDirectory(async (directory) => {
        const file = join(directory, shell)
        writeFileSync(file, (await command('completions', shell)).stdout)
        for (const [typed, offered, not] of ROWS) {
          const { stdout, stderr } = await runBash(['-c', ASK[shell](file, typed)], { timeoutMs: 20_000 })
          const words = stdout.split('\n')
          assert.equal(stderr, '')
          for (const word of offered) assert.ok(words.includes(word), `${typed}: ${word} is not in ${stdout}`)
          for (const word of not) assert.ok(!words.includes(word), `${typed}: ${word} is in ${stdout}`)
        }
      }),
    )
  }

  test(
    'offer commands and flags in zsh',
    { skip: missingPrograms('zsh') },
    inDirectory(async (directory) => {
      const file = join(directory, '_billhook')
      writeFileSync(file, (await command('completions', 'zsh')).stdout)
      for (const [typed, offered, not] of ROWS) {
        // A function in place of zsh's own prints what it is given; the rest runs as in a session.
        const script =
          `compdef() {}; _files() {}; _describe() { printf '%s\\n' "\${choices[@]}"; }; source ${file}; ` +
          `words=(\${(z):-"${typed}"}); [[ '${typed}' == *' ' ]] && words+=(''); CURRENT=\${#words}; _billhook`
        const { stdout, stderr } = await runBash(['-c', `zsh -f -c '${script.replaceAll("'", "'\\''")}'`], {
          timeoutMs: 20_000,
        })
        const words = stdout.split('\n').map((line) => line.split(':')[0])
        assert.equal(stderr, '')
        for (const word of offered) assert.ok(words.includes(word), `${typed}: ${word} is not in ${stdout}`)
        // zsh itself leaves out what does not begin with the word before the cursor.
        if (typed.endsWith(' ')) for (const word of not) assert.ok(!words.includes(word), `${typed}: ${word}`)
      }
    }),
  )

  test('for another shell are refused', async () => {
    const { code, stderr } = await command('completions', 'tcsh')
    assert.equal(code, 2)
    assert.match(stderr, /Allowed choices are bash, zsh, fish/)
  })
})
