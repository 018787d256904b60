import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
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

  test('billhook serve ends with 1, and the log says so', async () => {
    const place = temporaryDirectory()
    try {
      const { code, stderr } = await toFullDisk('serve', '--sandbox', '--port', '0', '--data', place.path)
      const { level, msg } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
      assert.deepEqual([code, level, msg], [1, 'fatal', FULL])
    } finally {
      place.remove()
    }
  })
})
