import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { projectRoot } from '../../support/project-root.js'

test('docs/openapi.json passes the linter without a warning', () => {
  const linter = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'))
  const given = ['lint', 'docs/openapi.json', '--extends=recommended-strict', '--format=json']
  const { status, stdout, stderr } = spawnSync(process.execPath, [linter, ...given], {
    cwd: projectRoot,
    encoding: 'utf8',
    // Nothing is reported to its maker, and nothing asked of it.
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
  })
  const { totals, problems } = JSON.parse(stdout)
  assert.deepEqual(problems, [], stderr)
  assert.deepEqual({ status, ...totals }, { status: 0, errors: 0, warnings: 0, ignored: 0 })
})
