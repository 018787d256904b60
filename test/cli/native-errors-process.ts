/** A process that diverts its standard error, then writes there as libraries and native code do. */
import { writeSync } from 'node:fs'
import { divertNativeErrors } from '../../src/cli/native-errors.js'
import { createLog, flushLog, stderrStream } from '../../src/log.js'
import { systemScheduler } from '../../src/scheduler.js'

const stream = stderrStream()
const log = createLog('info', stream)
log.info('before')
await divertNativeErrors({ directory: process.argv[2] ?? '', log, stream, scheduler: systemScheduler })
log.info('after')
// biome-ignore lint/suspicious/noConsole: a library would.
console.error('from %s', 'a library')
const STDERR = 2
writeSync(STDERR, 'Write error: no line feed')
if (process.argv[3] === 'wait') await new Promise((resolve) => setTimeout(resolve, 2500))
await flushLog(log)
process.exit(0)
