import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { endChild } from './child-process.js'
import { LONG_FILES, longestFirst } from './long-files.js'
import { projectRoot } from './project-root.js'
import { temporaryDirectory } from './temporary-directory.js'
import { TEST_RUNNER } from './test-runner.js'

interface Settings {
  /** For a file that does not end by itself. */
  readonly fileLimitSeconds?: number
  readonly hangsAfterMs?: number
  readonly idleAfterMs?: number
}

/** Runs a test file; answers how the run ended, what it said, and what was skipped. */
async function ranFile(
  t: TestContext,
  program: string,
  { fileLimitSeconds = 60, hangsAfterMs = 60_000, idleAfterMs = 60_000 }: Settings = {},
) {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  const [file, output] = ['one.test.mjs', 'skipped'].map((name) => join(directory.path, name)) as [string, string]
  writeFileSync(file, `import { describe, test } from 'node:test'\n${program}`)
  const { NODE_TEST_CONTEXT, ...env } = process.env
  const flags = ['--file-limit', String(fileLimitSeconds), '--skipped', output]
  const child = spawn(process.execPath, [...TEST_RUNNER, ...flags, file], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...env,
      BILLHOOK_TEST_HANGS_AFTER_MS: String(hangsAfterMs),
      BILLHOOK_TEST_IDLE_AFTER_MS: String(idleAfterMs),
    },
  })
  t.after(() => endChild(child))
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const lines = readFileSync(output, 'utf8').split('\n').slice(0, -1)
  return { code, said, skipped: lines.map((line) => JSON.parse(line)).map(({ name, reason }) => [name, reason]) }
}

describe('a run of test files', { timeout: 60_000 }, () => {
  test('notes what is skipped, and why', async (t) => {
    const { code, skipped } = await ranFile(
      t,
      `test('runs', () => {})
      test('is skipped', { skip: true }, () => {})
      describe('a suite', () => {
        test('needs a tool', { skip: 'no tool' }, () => {})
        test('finds out', (t) => t.skip('no right'))
      })
      describe('needs another', { skip: 'no other tool' }, () => { test('x', () => {}) })`,
    )
    assert.equal(code, 0)
    const expected = [
      ['is skipped', ''],
      ['needs a tool', 'no tool'],
      ['finds out', 'no right'],
      ['needs another', 'no other tool'],
    ]
    assert.deepEqual(skipped, expected)
  })

  test('fails, and names the test, when one fails', async (t) => {
    const { code, said } = await ranFile(
      t,
      "test('works', () => {})\ntest('does not work', () => { throw new Error('no') })",
    )
    assert.equal(code, 1)
    assert.match(said, /✖ does not work/)
  })

  test('ends although a failed test left a process behind', async (t) => {
    const pids = temporaryDirectory()
    const pidFile = join(pids.path, 'pid')
    t.after(() => {
      process.kill(Number(readFileSync(pidFile, 'utf8')))
      pids.remove()
    })
    const { code } = await ranFile(
      t,
      `import { spawn } from 'node:child_process'
      import { writeFileSync } from 'node:fs'
      test('fails', () => {
        const { pid } = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
        writeFileSync(${JSON.stringify(pidFile)}, String(pid))
        throw new Error('before it was ended')
      })`,
      { fileLimitSeconds: 2 },
    )
    assert.equal(code, 1)
  })

  test('names the tests that hang, of several at once too, and no other', async (t) => {
    const { code, said } = await ranFile(
      t,
      `test('ends before', () => {})
      describe('at once', { concurrency: true }, () => {
        test('hangs', () => new Promise(() => setInterval(() => {}, 1000)))
        test('ends', () => {})
        test('hangs too', () => new Promise(() => {}))
      })`,
      { hangsAfterMs: 1000 },
    )
    assert.equal(code, 1)
    assert.match(said, /one\.test\.mjs has not ended within 1 s because of: hangs, hangs too\n/)
  })

  test('does not wait long for a file whose tests have ended, but not what they started', async (t) => {
    const { code, said } = await ranFile(
      t,
      "test('leaves a timer', () => { setInterval(() => {}, 1000) })\ntest('ends', () => {})",
      { idleAfterMs: 500 },
    )
    assert.equal(code, 1)
    assert.match(said, /one\.test\.mjs has not ended within 0\.5 s because of: something that its tests have started\n/)
  })

  test('starts the longest files first, however they are named', () => {
    const [first = '', second = ''] = LONG_FILES.map((name) => `dist/test/${name}.js`)
    const shared = 'dist/test/shared/1/pure-01.js'
    const files = ['dist/test/a.test.js', second, join(projectRoot, first), 'dist/test/b.test.js', shared]
    assert.deepEqual(longestFirst(files), [files[2], second, shared, files[0], files[3]])
  })

  test('knows no long file that is not there', () => {
    assert.deepEqual(
      LONG_FILES.filter((name) => !existsSync(join(projectRoot, 'test', `${name}.ts`))),
      [],
    )
  })
})
