import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LINES_WAITING_BYTES_MAX, LineStream } from '../../src/base/line-stream.js'
import { ManualScheduler } from '../support/manual-scheduler.js'

const FD = 7
/** The longest pause between two attempts. */
const LONGEST_PAUSE_MS = 1000
const LINE = `${'x'.repeat(999)}\n`
/** How many of these lines may wait. */
const WAITING_LINES = Math.floor(LINES_WAITING_BYTES_MAX / LINE.length)

/** How a write ends: all is taken, so many bytes are, or none because of this error. */
type Answer = 'all' | number | { readonly code: string }

/** A stream whose writes the test ends. Without `isLog` nothing tells of lost lines. */
function started({ isLog = true } = {}) {
  const scheduler = new ManualScheduler()
  const failures: string[] = []
  const fds: number[] = []
  const taken: Buffer[] = []
  let present: ((answer: Answer) => void) | null = null
  const stream = new LineStream({
    fd: FD,
    scheduler,
    ...(isLog ? { aboutLost: (lost: number, failure: Error | null) => `${lost} lost: ${failure?.message}\n` } : {}),
    onFailed: ({ message }) => failures.push(message),
    write: (fd, bytes, done) => {
      fds.push(fd)
      present = (answer) => {
        if (typeof answer === 'object') {
          done(Object.assign(new Error(answer.code), answer), 0)
          return
        }
        const length = answer === 'all' ? bytes.length : answer
        taken.push(bytes.subarray(0, length))
        done(null, length)
      }
    },
  })
  const end = (answer: Answer) => {
    const ending = present ?? assert.fail('nothing is being written')
    present = null
    ending(answer)
  }
  return {
    stream,
    scheduler,
    failures,
    fds,
    end,
    /** Takes everything that there is to write. */
    takeAll: () => {
      while (present !== null) end('all')
    },
    isWriting: () => present !== null,
    file: () => Buffer.concat(taken).toString(),
  }
}

describe('a stream of lines', () => {
  test('writes the first line at once, and what comes meanwhile together', () => {
    const run = started()
    for (const line of ['a\n', 'b\n', 'c\n']) run.stream.write(line)
    run.end('all')
    assert.equal(run.file(), 'a\n')
    run.end('all')
    assert.deepEqual([run.file(), run.isWriting(), run.fds], ['a\nb\nc\n', false, [FD, FD]])
  })

  test('goes on with the rest of a write that was taken in part, also in the midst of a character', () => {
    const run = started()
    run.stream.write('äöü\n')
    for (const bytes of [3, 2]) run.end(bytes)
    run.takeAll()
    assert.equal(run.file(), 'äöü\n')
  })

  test('waits for a reader that is slow, with ever longer pauses, and loses nothing within the bound', () => {
    const run = started()
    for (let n = 0; n < WAITING_LINES; n += 1) run.stream.write(LINE)
    const pauses: number[] = []
    for (let attempts = 0; attempts < 10; attempts += 1) {
      run.end({ code: 'EAGAIN' })
      let pausedMs = 0
      while (!run.isWriting()) {
        run.scheduler.pass(1)
        pausedMs += 1
      }
      pauses.push(pausedMs)
    }
    assert.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 320, 640, LONGEST_PAUSE_MS, LONGEST_PAUSE_MS])
    run.takeAll()
    assert.deepEqual([run.file().length, run.stream.lost, run.failures], [WAITING_LINES * LINE.length, 0, []])
    run.stream.write(LINE)
    run.end({ code: 'EAGAIN' })
    run.scheduler.pass(pauses[0] ?? 0)
    assert.ok(run.isWriting(), 'a slow reader is not one that has stopped')
  })

  test('keeps no more than the bound for a reader that has stopped, and one line stands in the place of the others', () => {
    const run = started()
    run.stream.write('first\n')
    for (let n = 0; n < WAITING_LINES + 5; n += 1) run.stream.write(LINE)
    run.end({ code: 'EAGAIN' })
    // It would fit, but not in the right place.
    run.stream.write('short\n')
    assert.equal(run.stream.lost, 6)
    run.scheduler.pass(LONGEST_PAUSE_MS)
    run.takeAll()
    run.stream.write('last\n')
    run.takeAll()
    assert.equal(run.file(), `first\n${LINE.repeat(WAITING_LINES)}6 lost: undefined\nlast\n`)
  })

  for (const code of ['ENOSPC', 'EIO', 'EROFS', 'EPIPE', 'EBADF']) {
    test(`loses lines for ${code}, and says how many when the descriptor takes lines again, without any new one`, () => {
      const run = started()
      for (const line of ['a\n', 'b\n', 'c\n']) run.stream.write(line)
      run.end({ code })
      run.stream.write('d\n')
      assert.deepEqual([run.stream.lost, run.failures], [4, [code]])
      run.scheduler.pass(LONGEST_PAUSE_MS)
      run.end({ code })
      run.stream.write('e\n')
      run.scheduler.pass(LONGEST_PAUSE_MS)
      run.takeAll()
      run.stream.write('f\n')
      run.takeAll()
      assert.equal(run.file(), `5 lost: ${code}\nf\n`)
      assert.deepEqual([run.stream.lost, run.failures], [5, [code]])
      run.stream.write('g\n')
      run.end({ code })
      assert.deepEqual(run.failures, [code, code])
    })
  }

  test('finishes a line that the disk has taken in part when it was full', () => {
    const run = started()
    run.stream.write('begins\n')
    run.stream.write('and\n')
    run.end('all')
    run.stream.write('lost\n')
    run.end(2)
    run.end({ code: 'ENOSPC' })
    run.scheduler.pass(LONGEST_PAUSE_MS)
    run.takeAll()
    assert.deepEqual([run.file(), run.stream.lost], ['begins\nand\n1 lost: ENOSPC\n', 1])
  })

  test('finishes the line about lost ones, too, and tells of those that came after it', () => {
    const run = started()
    run.stream.write('a\n')
    run.end({ code: 'ENOSPC' })
    run.scheduler.pass(LONGEST_PAUSE_MS)
    run.stream.write('b\n')
    run.end(3)
    run.end({ code: 'ENOSPC' })
    run.scheduler.pass(LONGEST_PAUSE_MS)
    run.takeAll()
    assert.deepEqual([run.file(), run.stream.lost], ['1 lost: ENOSPC\n1 lost: ENOSPC\n', 2])
  })

  test('without a line about them takes new lines as soon as lost ones are behind it', () => {
    const run = started({ isLog: false })
    run.stream.write('a\n')
    run.end({ code: 'ENOSPC' })
    run.stream.write('b\n')
    run.scheduler.pass(LONGEST_PAUSE_MS)
    run.takeAll()
    assert.deepEqual([run.file(), run.stream.lost, run.failures], ['b\n', 1, ['ENOSPC']])
  })

  test('is flushed when everything is written, and not before', () => {
    const run = started()
    const heard: string[] = []
    run.stream.flush((failure) => heard.push(failure?.message ?? 'written'))
    assert.deepEqual(heard, ['written'])
    run.stream.write('a\n')
    run.stream.write('b\n')
    run.stream.flush((failure) => heard.push(failure?.message ?? 'written'))
    run.end('all')
    assert.equal(heard.length, 1)
    run.end('all')
    assert.deepEqual(heard, ['written', 'written'])
  })

  test('tries at once when it is flushed, and says when that fails', () => {
    const run = started()
    const heard: string[] = []
    run.stream.write('a\n')
    run.end({ code: 'EAGAIN' })
    run.stream.flush((failure) => heard.push(failure?.message ?? 'written'))
    assert.ok(run.isWriting())
    run.end({ code: 'ENOSPC' })
    assert.deepEqual(heard, ['ENOSPC'])
    // One pause, not that of before as well.
    assert.equal(run.scheduler.pending, 1)
  })

  test('moves to another descriptor, behind the write that is under way', async () => {
    const run = started()
    run.stream.write('a\n')
    let hasMoved = false
    const moved = run.stream.moveTo(9).then(() => {
      hasMoved = true
    })
    run.stream.write('b\n')
    await Promise.resolve()
    assert.equal(hasMoved, false)
    run.end('all')
    await moved
    run.takeAll()
    assert.deepEqual([run.fds, run.stream.descriptor], [[FD, 9], 9])
    await run.stream.moveTo(10)
  })
})
