import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectRoot } from './support/project-root.js'
import { filesThatLacked, namesThatLacked, reportOf, type Skipped } from './support/skipped-tests.js'
import { TEST_RUNNER } from './support/test-runner.js'

/*
 * Runs test files, or all of them, and says in the end what was skipped and why:
 *   npm test -- dist/test/config.test.js
 * With --lacking it runs the files of which the run before skipped tests because something was not installed. Then all must be there,
 * but for what --may-lack names.
 */

const SKIPPED_FILE = join(projectRoot, 'dist/skipped-tests.jsonl')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lacking: { type: 'boolean', default: false }, 'may-lack': { type: 'string', default: '' } },
})

function allFiles(): readonly string[] {
  return readdirSync(join(projectRoot, 'dist/test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join('dist/test', name))
}

function skippedTests(): readonly Skipped[] {
  return readFileSync(SKIPPED_FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

async function run(files: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...TEST_RUNNER, '--skipped', SKIPPED_FILE, ...files], {
    cwd: projectRoot,
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  return code ?? 1
}

const lacking = values.lacking ? filesThatLacked(skippedTests()) : null
const files = lacking ?? (positionals.length > 0 ? positionals : allFiles())
process.exitCode = files.length === 0 ? 0 : await run(files)
const skipped = files.length === 0 ? [] : skippedTests()
for (const line of reportOf(skipped)) process.stdout.write(`${line}\n`)
const missing = lacking === null ? [] : namesThatLacked(skipped, new Set(values['may-lack'].split(',')))
if (missing.length > 0) {
  process.stderr.write(`not installed, but needed: ${missing.join(', ')}\n`)
  process.exitCode = 1
}
