/** A process that writes more to standard error than waits for a reader, when it is told to, and ends. Nothing else is loaded. */
import { once } from 'node:events'
import { LINES_WAITING_BYTES_MAX, LineStream } from '../../src/base/line-stream.js'
import { unblocked } from '../../src/base/unblocked-descriptor.js'
import { systemScheduler } from '../../src/scheduler.js'

const STDERR = 2
const LINE = `${'x'.repeat(999)}\n`
const FLUSH_TIMEOUT_MS = 500
const EXIT_UNREAD = 3

const stream = new LineStream({ fd: unblocked(STDERR), scheduler: systemScheduler })
if (process.argv[2] === 'when told') {
  process.stdout.write('started\n')
  await once(process.stdin, 'data')
}
for (let bytes = 0; bytes < 2 * LINES_WAITING_BYTES_MAX; bytes += LINE.length) stream.write(LINE)
stream.flush(() => process.exit(0))
setTimeout(() => process.exit(stream.lost > 0 ? EXIT_UNREAD : 1), FLUSH_TIMEOUT_MS)
