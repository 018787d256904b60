import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../bench/equal-keys.js', import.meta.url))

test('a tiny run of equally active keys compares verification with and without key tables', () => {
  for (const engine of ['libsecp256k1', 'noble']) {
    const args = [script, '--tiny', '--keys', '1,300', '--engine', engine]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    const lines = stdout.trim().split('\n')
    assert.equal(lines.length, 2)
    for (const line of lines) assert.match(line, /µs with tables, [\d.]+ µs without, ratio [\d.]+$/)
  }
})
