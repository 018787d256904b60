import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { endChild } from './child-process.js'
import { temporaryDirectory } from './temporary-directory.js'

/** For a file that does not end by itself. */
const FILE_LIMIT_MS = 2_000

/** Runs a test file with the reporter; answers how the run ended, and what was skipped. */
async function reported(t: TestContext, text: string, limitMs = 60_000, directory = temporaryDirectory()) {
  t.after(() => directory.remove())
  const [file, output] = ['one.test.mjs', 'skipped'].map((name) => join(directory.path, name)) as [string, string]
  writeFileSync(file, `import { describe, test } from 'node:test'\n${text}`)
  const reporter = new URL('./skip-reporter.js', import.meta.url).href
  const flags = [`--test-timeout=${limitMs}`, `--test-reporter=${reporter}`, `--test-reporter-destination=${output}`]
  const { NODE_TEST_CONTEXT, ...env } = process.env
  const child = spawn(process.execPath, ['--test', ...flags, file], { stdio: 'ignore', env })
  t.after(() => endChild(child))
  const [code] = await once(child, 'exit')
  const lines = readFileSync(output, 'utf8').split('\n').slice(0, -1)
  return { code, skipped: lines.map((line) => JSON.parse(line)).map(({ name, reason }) => [name, reason]) }
}

describe('a run of tests', { timeout: 60_000 }, () => {
  test('notes what is skipped, and why', async (t) => {
    const { code, skipped } = await reported(
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

  test('ends although a failed test left a process behind', async (t) => {
    const directory = temporaryDirectory()
    const pidFile = join(directory.path, 'pid')
    t.after(() => process.kill(Number(readFileSync(pidFile, 'utf8'))))
    const { code } = await reported(
      t,
      `import { spawn } from 'node:child_process'
      import { writeFileSync } from 'node:fs'
      test('fails', () => {
        const { pid } = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
        writeFileSync(${JSON.stringify(pidFile)}, String(pid))
        throw new Error('before it was ended')
      })`,
      FILE_LIMIT_MS,
      directory,
    )
    assert.equal(code, 1)
  })
})
