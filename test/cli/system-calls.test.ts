import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { notTraceable } from '../support/programs.js'
import { runSh } from '../support/shell.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

const script = fileURLToPath(new URL('./system-calls-process.js', import.meta.url))

describe('a process that calls the system itself', { skip: notTraceable() }, () => {
  for (const [stream, redirect] of [
    ['standard error', '2>'],
    ['standard output', '>'],
  ] as const) {
    test(`ends although ${stream} is a file on a disk that cannot be flushed`, async () => {
      const place = temporaryDirectory()
      try {
        const file = join(place.path, 'file')
        const { code, stderr } = await runSh(
          [
            '-c',
            `exec strace -f -o /dev/null -P "$2" -e trace=fsync -e inject=fsync:error=EIO "$0" "$1" ${redirect}"$2"`,
            process.execPath,
            script,
            file,
          ],
          { timeoutMs: 20_000 },
        )
        assert.deepEqual([code, stderr], [0, ''])
      } finally {
        place.remove()
      }
    })
  }
})
