/** A process that diverts its standard error, then writes there as libraries and native code do. */
import { pbkdf2 } from 'node:crypto'
import { mkdirSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
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

const [, , directory = '', behaviour] = process.argv
const stream = stderrStream()
const log = createLog('info', stream)
// With the machine's timers, a process that is slow to end would sometimes read what it is to leave behind.
const scheduler = new ManualScheduler()
// Two, so that one waits while the other ends.
slowPool()
slowPool()
log.info('before')
await divertNativeErrors({ directory, log, stream, scheduler })
log.info('after')
// biome-ignore lint/suspicious/noConsole: a library would.
console.error('from %s', 'a library')
const STDERR = 2
writeSync(STDERR, 'Write error: no line feed')
const file = join(directory, 'native-errors.log')
switch (behaviour) {
  case 'read':
    scheduler.pass(READ_WITHIN_MS)
    break
  case 'killed':
    scheduler.pass(READ_WITHIN_MS)
    process.kill(process.pid, 'SIGKILL')
    break
  case 'cannot read':
    renameSync(file, `${file}.away`)
    mkdirSync(file)
    scheduler.pass(READ_WITHIN_MS)
    break
  case 'reads three times':
    for (let times = 0; times < 3; times += 1) {
      scheduler.pass(READ_WITHIN_MS)
      await flushLog(log)
      if (times === 1) writeSync(STDERR, 'and more')
      // What a failure leads to comes by then.
      await new Promise(setImmediate)
    }
}
await flushLog(log)
await new Promise(setImmediate)
process.exit(0)
