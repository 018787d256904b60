import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDirectory } from '../support/temporary-directory.js'
import { startChild } from './child.js'

const SCRIPT = new URL('./native-errors-process.js', import.meta.url)
const skip = process.platform === 'linux' ? false : 'standard error is diverted on Linux only'

async function linesOf(...argv: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { code, stderr } = await startChild(SCRIPT, argv, { UV_THREADPOOL_SIZE: '1' }).ended
  assert.equal(code, 0, stderr)
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('what libraries and native code write to standard error goes into the log', { skip }, async () => {
  const place = temporaryDirectory()
  try {
    const lines = await linesOf(place.path, 'read')
    assert.deepEqual(
      lines.map(({ msg, text }) => [msg, text]),
      [
        ['before', undefined],
        ['after', undefined],
        ['a library says', 'from a library'],
        ['native code says', 'Write error: no line feed'],
      ],
    )
  } finally {
    place.remove()
  }
})

test('what a process wrote there while it ended is told at the next start, once', { skip }, async () => {
  const place = temporaryDirectory()
  try {
    assert.equal((await linesOf(place.path)).length, 3)
    const [, left] = await linesOf(place.path, 'read')
    assert.deepEqual([left?.['level'], left?.['text']], ['error', 'Write error: no line feed'])
    assert.equal((await linesOf(place.path))[1]?.['msg'], 'after')
  } finally {
    place.remove()
  }
})
