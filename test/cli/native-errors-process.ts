/** A process that diverts its standard error, then writes there as libraries and native code do. */
import { pbkdf2 } from 'node:crypto'
import { writeSync } from 'node:fs'
import { divertNativeErrors } from '../../src/cli/native-errors.js'
import { createLog, flushLog, stderrStream } from '../../src/log.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

/** Takes the only thread of the pool (`UV_THREADPOOL_SIZE`) for some milliseconds. */
const HASH_ROUNDS = 10_000

/** The diverted text is read at least this often. */
const READ_WITHIN_MS = 1000

/** Lets every write of the log wait, so that one to the wrong descriptor comes after the descriptor is replaced. */
function slowPool(): void {
  pbkdf2('', '', HASH_ROUNDS, 64, 'sha512', slowPool)
}

const stream = stderrStream()
const log = createLog('info', stream)
// With the machine's timers, a process that is slow to end would sometimes read what it is to leave behind.
const scheduler = new ManualScheduler()
// Two, so that one waits while the other ends.
slowPool()
slowPool()
log.info('before')
await divertNativeErrors({ directory: process.argv[2] ?? '', log, stream, scheduler })
log.info('after')
// biome-ignore lint/suspicious/noConsole: a library would.
console.error('from %s', 'a library')
const STDERR = 2
writeSync(STDERR, 'Write error: no line feed')
if (process.argv[3] === 'read') scheduler.pass(READ_WITHIN_MS)
if (process.argv[3] === 'killed') {
  scheduler.pass(READ_WITHIN_MS)
  process.kill(process.pid, 'SIGKILL')
}
await flushLog(log)
process.exit(0)
