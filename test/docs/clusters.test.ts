import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SESSION_SETTINGS } from '../../src/store/postgres/connection/session.js'
import { projectRoot } from '../support/project-root.js'

test('docs/clusters.md has the settings of a session, and of a role behind a pooler', () => {
  const text = readFileSync(join(projectRoot, 'docs/clusters.md'), 'utf8')
  const of = (form: RegExp) => Object.fromEntries([...text.matchAll(form)].map(([, name, value]) => [name, value]))
  assert.deepEqual(of(/^ {4}(\w+) = (\w+)$/gm), SESSION_SETTINGS)
  assert.deepEqual(of(/^ {4}ALTER ROLE billhook SET (\w+) = '(\w+)';$/gm), SESSION_SETTINGS)
})
