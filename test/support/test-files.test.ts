import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { projectRoot } from './project-root.js'
import { excludedSources, isLeftOut } from './test-files.js'

describe('what npm test leaves to npm run test:all', () => {
  const excluded = ['test/proxies', 'test/page/live.test.ts']
  const cases: readonly (readonly [file: string, expected: boolean])[] = [
    ['dist/test/proxies/events.test.js', true],
    ['dist/test/proxies/deeper/events.test.js', true],
    ['dist/test/page/live.test.js', true],
    [join(projectRoot, 'dist/test/page/live.test.js'), true],
    ['dist/test/page/qr.test.js', false],
    ['dist/test/proxies-of-others.test.js', false],
  ]
  for (const [file, expected] of cases) {
    test(`${expected ? 'is' : 'is not'} ${file}`, () => assert.equal(isLeftOut(file, excluded), expected))
  }

  test('is there', () => {
    const missing = excludedSources().filter((path) => !existsSync(join(projectRoot, path)))
    assert.deepEqual(missing, [])
    assert.ok(isLeftOut('dist/test/page/live.test.js'))
  })
})
