import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { LONG_FILES } from './long-files.js'
import { projectRoot } from './project-root.js'
import { mayShare } from './shared-processes.js'

describe('a test file shares a process with others', () => {
  const imports: Readonly<Record<string, readonly string[]>> = {
    'pure.test.js': ['node:test', './rule.js'],
    'rule.js': ['node:crypto', './circle.js'],
    'circle.js': ['./rule.js'],
    'starts.test.js': ['node:test', './helper.js'],
    'helper.js': ['./rule.js', 'node:child_process'],
    'stored.test.js': ['lmdb'],
    'threads.test.js': ['node:worker_threads'],
    'served.test.js': ['uWebSockets.js'],
    'database.test.js': ['pg'],
  }
  const byPath = new Map(Object.entries(imports).map(([name, found]) => [resolve(projectRoot, name), found]))
  const cases: readonly (readonly [file: string, expected: boolean])[] = [
    ['pure.test.js', true],
    ['starts.test.js', false],
    ['stored.test.js', false],
    ['threads.test.js', false],
    ['served.test.js', false],
    ['database.test.js', false],
    [join('dist/test', `${LONG_FILES[0]}.js`), false],
  ]
  for (const [file, expected] of cases) {
    test(`${expected ? 'if it is' : 'but not if it is'} ${file}`, () => {
      assert.equal(
        mayShare(file, (one) => byPath.get(one) ?? []),
        expected,
      )
    })
  }
})
