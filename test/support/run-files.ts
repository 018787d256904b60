import { createWriteStream } from 'node:fs'
import { run } from 'node:test'
import { dot, spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { longestFirst } from './long-files.js'
import { inSharedProcesses } from './shared-processes.js'
import skips from './skip-reporter.js'

/*
 * Runs test files as `node --test` does, but the longest first, so that no core is idle in the end:
 *   node --import ./dist/test/support/name-what-hangs.js dist/test/support/run-files.js FILE...
 * With --skipped it notes what was skipped in a file, as lines of JSON; with --shared files share processes.
 */

/** Much of a test is waiting, so four files at once take less time on two cores, and no more memory than there is. */
const AT_ONCE = '4'
const FILE_LIMIT_SECONDS = '600'
/** How long what tests have started may outlive the last of them. */
const LEFT_BEHIND_MS = 5_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    reporter: { type: 'string', default: 'spec' },
    skipped: { type: 'string' },
    shared: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: AT_ONCE },
    'file-limit': { type: 'string', default: FILE_LIMIT_SECONDS },
  },
})
const files = values.shared ? inSharedProcesses(positionals, { namesWhatIsMissing: false }) : positionals
const events = run({
  files: longestFirst(files),
  concurrency: Number(values['at-once']),
  timeout: Number(values['file-limit']) * 1000,
})
events.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1
})
// A program that a failed test left behind may hold the output of its file, for whose end the runner would wait for ever.
events.once('end', () => setTimeout(() => process.exit(), LEFT_BEHIND_MS).unref())
// Dots say nothing of it.
if (values.reporter === 'dot') events.on('test:stderr', ({ message }) => process.stderr.write(message))
if (values.skipped !== undefined) events.compose(skips).pipe(createWriteStream(values.skipped))
events.compose(values.reporter === 'dot' ? dot : new spec()).pipe(process.stdout)
