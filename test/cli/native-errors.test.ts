import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { notTraceable } from '../support/programs.js'
import { runSh } from '../support/shell.js'
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

test('what was read but not yet in the log when the process died is told at the next start', { skip }, async () => {
  const place = temporaryDirectory()
  try {
    const { signal } = await startChild(SCRIPT, [place.path, 'killed'], { UV_THREADPOOL_SIZE: '1' }).ended
    assert.equal(signal, 'SIGKILL')
    assert.equal((await linesOf(place.path))[1]?.['text'], 'Write error: no line feed')
  } finally {
    place.remove()
  }
})

test('of a long text the beginning is told, and the file is emptied', { skip }, async () => {
  const place = temporaryDirectory()
  try {
    writeFileSync(join(place.path, 'native-errors.log'), 'é'.repeat(1_000_000))
    const text = String((await linesOf(place.path))[1]?.['text'])
    assert.match(text, /^é{4000}…$/)
    assert.equal((await linesOf(place.path))[1]?.['text'], 'Write error: no line feed')
  } finally {
    place.remove()
  }
})

test('a file that cannot be read does not end the process', { skip }, async () => {
  const place = temporaryDirectory()
  try {
    assert.deepEqual(
      (await linesOf(place.path, 'cannot read')).map(({ msg }) => msg),
      ['before', 'after', 'a library says'],
    )
  } finally {
    place.remove()
  }
})

test('a text is told once where the disk does not let it be removed from the file', {
  skip: notTraceable(),
}, async () => {
  const place = temporaryDirectory()
  try {
    const { code, stderr } = await runSh(
      [
        '-c',
        `exec strace -f -o /dev/null -e trace=ftruncate -e inject=ftruncate:error=EROFS "$0" "$@"`,
        process.execPath,
      ].concat(fileURLToPath(SCRIPT), place.path, 'reads three times'),
      { environment: { UV_THREADPOOL_SIZE: '1' }, timeoutMs: 60_000 },
    )
    assert.equal(code, 0, stderr)
    const told = stderr.split('\n').filter((line) => line.includes('native code says'))
    assert.deepEqual(
      told.map((line) => JSON.parse(line).text),
      ['Write error: no line feed', 'and more'],
    )
  } finally {
    place.remove()
  }
})
