import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { LONG_FILES } from './long-files.js'
import { projectRoot } from './project-root.js'
import { type Company, companyOf, inSharedProcesses } from './shared-processes.js'
import { testFiles } from './test-files.js'

describe('a test file', () => {
  const sources: Readonly<Record<string, string>> = {
    'pure.test.js': `import { test } from 'node:test'\nimport { rule } from './rule.js'`,
    'rule.js': `import 'node:crypto'\nimport './circle.js'`,
    'circle.js': `import './rule.js'`,
    'starts.test.js': `import './helper.js'`,
    'helper.js': `import { spawn } from 'node:child_process'\nimport './rule.js'`,
    'stored.test.js': `import { open } from 'lmdb'`,
    'threads.test.js': `import 'node:worker_threads'`,
    'served.test.js': `const server = await import('uWebSockets.js')`,
    'database.test.js': `import pg from 'pg'`,
    'hooked.test.js': `import { afterEach } from 'node:test'\nafterEach(() => clean())`,
    'suite.test.js': `describe('a suite', () => {\n  afterEach(() => clean())\n})`,
    'lacking.test.js': `import { missingPrograms } from './support/programs.js'`,
  }
  const byPath = new Map(Object.entries(sources).map(([name, source]) => [resolve(projectRoot, name), source]))
  const cases: readonly (readonly [file: string, company: Company, otherwise?: Company])[] = [
    ['pure.test.js', 'pure'],
    ['starts.test.js', 'neighbours'],
    ['stored.test.js', 'neighbours'],
    ['threads.test.js', 'neighbours'],
    ['served.test.js', 'neighbours'],
    ['database.test.js', 'neighbours'],
    ['hooked.test.js', 'none'],
    ['suite.test.js', 'pure'],
    ['lacking.test.js', 'none', 'pure'],
    [join('dist/test', `${LONG_FILES[0]}.js`), 'none'],
  ]
  for (const [file, company, otherwise = company] of cases) {
    test(`like ${file} runs with: ${company}; when nobody asks what it lacks: ${otherwise}`, () => {
      const told = [true, false].map((namesWhatIsMissing) =>
        companyOf(file, (one) => byPath.get(one) ?? null, { namesWhatIsMissing }),
      )
      assert.deepEqual(told, [company, otherwise])
    })
  }
})

test('six files share two processes', () => {
  const six = testFiles()
    .filter((file) => file.startsWith(join('dist/test/domain/')))
    .slice(0, 6)
  assert.equal(six.length, 6)
  assert.equal(inSharedProcesses(six, { namesWhatIsMissing: true }).length, 2)
})
