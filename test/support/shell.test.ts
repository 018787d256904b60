import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSh } from './shell.js'

test('a shell that cannot be started is an error, and no empty answer', async () => {
  const options = { timeoutMs: 10_000, environment: { PATH: '' } }
  await assert.rejects(runSh(['-c', 'echo'], options), { code: 'ENOENT' })
})
