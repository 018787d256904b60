import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { describe, type TestContext, test } from 'node:test'
import { endChild, untilLine } from './child-process.js'

const FOREVER = 'setInterval(() => {}, 1000);'
/** Only for what is never ready. */
const SHORT_MS = 50

function started(t: TestContext, program: string, stdio: 'stdout' | 'stderr' | 'both' = 'both'): ChildProcess {
  const pipeIf = (is: boolean) => (is ? 'pipe' : 'ignore')
  const child = spawn(process.execPath, ['--eval', program], {
    stdio: ['ignore', pipeIf(stdio !== 'stderr'), pipeIf(stdio !== 'stdout')],
  })
  t.after(() => endChild(child))
  return child
}

const readyAt = (line: string) => /^ready at (\d+)$/.exec(line)?.[1]

describe('a child process that gets ready', () => {
  for (const stream of ['stdout', 'stderr'] as const) {
    test(`is heard on ${stream}, and goes on when nobody listens any more`, async (t) => {
      const talk = `process.${stream}.write('starting\\nready at 7\\n' + 'x\\n'.repeat(200_000), () => process.exit(3))`
      const child = started(t, talk, stream)
      const ended = new Promise((resolve) => child.once('exit', resolve))
      assert.equal(await untilLine(child, readyAt), '7')
      assert.equal(await ended, 3)
    })
  }

  test('and ends before is an error with all that it said', async (t) => {
    const child = started(t, "console.log('one'); console.error('two'); process.exitCode = 4")
    await assert.rejects(untilLine(child, readyAt), /--eval ended with 4 before it was ready\none\ntwo\n/)
  })

  test('and never is is an error too, and is killed', async (t) => {
    const child = started(t, `console.log('one'); ${FOREVER}`)
    const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
    await assert.rejects(untilLine(child, readyAt, SHORT_MS), /was not ready within 50 ms/)
    assert.equal(await ended, 'SIGKILL')
  })

  test('but cannot be started is an error at once', async () => {
    const child = spawn('/nowhere/program', [], { stdio: ['ignore', 'pipe', 'pipe'] })
    await assert.rejects(untilLine(child, readyAt), { code: 'ENOENT' })
    assert.deepEqual(await endChild(child), { code: -2, signal: null })
  })
})

describe('the end of a child process', () => {
  test('is awaited, once or twice', async (t) => {
    const child = started(t, FOREVER)
    const ending = { code: null, signal: 'SIGTERM' }
    assert.deepEqual(await Promise.all([endChild(child, 'SIGTERM'), endChild(child, 'SIGTERM')]), [ending, ending])
    assert.deepEqual(await endChild(child), ending)
  })

  test('that does not come is an error, and the child is killed', async (t) => {
    const child = started(t, `process.on('SIGTERM', () => {}); console.log('ready at 7'); ${FOREVER}`)
    await untilLine(child, readyAt)
    await assert.rejects(endChild(child, 'SIGTERM', SHORT_MS), /did not end within 50 ms after SIGTERM/)
    assert.deepEqual(await endChild(child), { code: null, signal: 'SIGKILL' })
  })
})
