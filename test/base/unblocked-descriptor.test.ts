import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { noTerminal } from '../cli/terminal.js'
import { endChild, untilLine } from '../support/child-process.js'
import { noStuckPipe, stuckPipe } from '../support/stuck-pipe.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const script = fileURLToPath(new URL('./unblocked-descriptor-process.js', import.meta.url))
/** Of a process that could not write everything, and ended by itself. */
const UNREAD = 3
const POLL_MS = 20

/** Starts the process with these descriptors, and has it ended with the test. */
function start(t: TestContext, stdio: ('pipe' | 'ignore' | number)[], ...argv: readonly string[]) {
  const child = spawn(process.execPath, [script, ...argv], { stdio })
  t.after(() => endChild(child))
  return child
}

describe('lines that nobody reads do not hold up the end of their process', { timeout: 120_000 }, () => {
  test('in a pipe', { skip: noStuckPipe }, async (t) => {
    const pipe = stuckPipe()
    t.after(() => pipe.remove())
    const fd = pipe.open()
    const child = start(t, ['ignore', 'ignore', fd])
    closeSync(fd)
    assert.deepEqual(await once(child, 'exit'), [UNREAD, null])
  })

  test('in a pipe that another program has as well, and leaves so that writes wait', {
    skip: noStuckPipe,
  }, async (t) => {
    const pipe = stuckPipe()
    t.after(() => pipe.remove())
    const fd = pipe.open()
    // At its end Node leaves its standard error as it was at its start.
    const other = spawn(process.execPath, ['-e', 'process.send(""); process.once("message", () => process.exit())'], {
      stdio: ['ignore', 'ignore', fd, 'ipc'],
    })
    t.after(() => endChild(other))
    await once(other, 'message')
    const child = start(t, ['pipe', 'pipe', fd], 'when told')
    closeSync(fd)
    await untilLine(child, (line) => line)
    other.send('')
    await once(other, 'exit')
    child.stdin?.write('\n')
    assert.deepEqual(await once(child, 'exit'), [UNREAD, null])
  })

  test('in a socket', { skip: process.platform === 'win32' ? 'pipes are others there' : false }, async (t) => {
    // What Node calls a pipe.
    assert.deepEqual(await once(start(t, ['ignore', 'ignore', 'pipe']), 'exit'), [UNREAD, null])
  })

  test('on a terminal', { skip: noTerminal }, async (t) => {
    const place = temporaryDirectory()
    t.after(() => place.remove())
    const file = join(place.path, 'code')
    const command = `'${process.execPath}' '${script}'; echo $? >'${file}'`
    // Its output is a pipe that is not read.
    const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => endChild(terminal))
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await pause(POLL_MS)
    assert.equal(readFileSync(file, 'utf8'), `${UNREAD}\n`)
  })
})
