import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endChild, untilLine } from '../support/child-process.js'
import { runSh } from '../support/shell.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
const skip = process.platform === 'linux' ? false : 'only Linux has a device that is always full'
const FULL = 'standard output cannot be written: no space left on device (ENOSPC)'

/** How `billhook` ends when what takes its output is full. */
function toFullDisk(...argv: readonly string[]): ReturnType<typeof runSh> {
  return runSh(['-c', 'exec "$0" "$@" >/dev/full', process.execPath, main, ...argv], { timeoutMs: 30_000 })
}

describe('when the disk that takes its output is full', { skip }, () => {
  for (const argv of [
    ['--help'],
    ['--version'],
    ['serve', '--help'],
    ['invoice', 'create', '--help'],
    ['completions', 'bash'],
  ]) {
    test(`billhook ${argv.join(' ')} ends with 1 and one line that says so`, async () => {
      const { code, stderr } = await toFullDisk(...argv)
      assert.deepEqual([code, stderr], [1, `billhook: ${FULL}\n`])
    })
  }

  test('billhook serve starts all the same, and the log says so', { timeout: 60_000 }, async () => {
    const place = temporaryDirectory()
    const service = spawn(process.execPath, [main, 'serve', '--sandbox', '--port', '0', '--data', place.path], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    })
    try {
      const { level, msg } = await untilLine(service, (line) => (line.includes(FULL) ? JSON.parse(line) : undefined))
      assert.deepEqual([level, msg], ['warn', FULL])
      assert.deepEqual(await endChild(service, 'SIGTERM'), { code: 0, signal: null })
    } finally {
      await endChild(service)
      place.remove()
    }
  })
})

test('a command whose errors nobody can read ends as it would otherwise', { skip, timeout: 60_000 }, async () => {
  const { code } = await runSh(['-c', 'exec "$0" "$1" frobnicate 2>/dev/full', process.execPath, main], {
    timeoutMs: 30_000,
  })
  assert.equal(code, 2)
})

test('errors that are read late are all there', { timeout: 60_000 }, async () => {
  const place = temporaryDirectory()
  const file = join(place.path, 'records.ndjson')
  const count = 5000
  writeFileSync(file, 'garbage\n'.repeat(count))
  mkdirSync(join(place.path, 'data'))
  const argv = ['import', file, '--data', join(place.path, 'data')]
  const child = spawn(process.execPath, [main, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    // Its last line on standard output: what is left is its end.
    await untilLine(child, (line) => (line.includes(`${count} refused`) ? line : undefined))
    const errors = await text(child.stderr)
    assert.equal(errors.split('\n').filter((line) => line.endsWith('it is no JSON')).length, count)
  } finally {
    await endChild(child)
    place.remove()
  }
})
