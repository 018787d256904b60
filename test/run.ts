import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectRoot } from './support/project-root.js'
import { inSharedProcesses } from './support/shared-processes.js'
import { filesThatLacked, namesThatLacked, reportOf, type Skipped } from './support/skipped-tests.js'
import { isLeftOut, testFiles } from './support/test-files.js'
import { TEST_RUNNER } from './support/test-runner.js'

/*
 * Runs test files and says in the end what was skipped and why:
 *   npm test                                what needs nothing but Node and `npm ci`
 *   npm test -- dist/test/config.test.js    some files
 *   npm run test:all                        all, with --all
 * Behind `npm test`, --rest runs what that left out, and the files of which it skipped tests because something was not installed. Then
 * all must be there, but for what --may-lack names.
 */

const SKIPPED_FILE = join(projectRoot, 'dist/skipped-tests.jsonl')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    'may-lack': { type: 'string', default: '' },
  },
})

function chosenFiles(): readonly string[] {
  if (positionals.length > 0) return positionals
  if (values.all) return testFiles()
  if (!values.rest) return testFiles().filter((file) => !isLeftOut(file))
  return [...new Set([...filesThatLacked(skippedTests()), ...testFiles().filter((file) => isLeftOut(file))])]
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

const files = chosenFiles()
const notBuilt = files.filter((file) => !existsSync(join(projectRoot, file)) && isLeftOut(file))
if (notBuilt.length > 0) {
  process.stderr.write(`not part of npm test: ${notBuilt.join(' ')}\nnpm run test:all -- FILE... has what they need\n`)
  process.exit(1)
}
// Files that were asked for by name run as they are. What one lacks is asked of `npm test`, and afterwards everything must be there.
process.exitCode = await run(
  positionals.length > 0 ? files : inSharedProcesses(files, { namesWhatIsMissing: !values.rest }),
)
const skipped = skippedTests()
for (const line of reportOf(skipped)) process.stdout.write(`${line}\n`)
const missing = values.rest ? namesThatLacked(skipped, new Set(values['may-lack'].split(','))) : []
if (missing.length > 0) {
  process.stderr.write(`not installed, but needed: ${missing.join(', ')}\n`)
  process.exitCode = 1
}
