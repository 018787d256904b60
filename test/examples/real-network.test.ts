import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChild } from '../cli/child.js'
import { anvilAbsence } from '../support/anvil.js'

const script = new URL('../../examples/real-network.js', import.meta.url)

test('the demonstration on a real node goes as it says, ends everything it started, and ends with 0', {
  skip: anvilAbsence,
  timeout: 120_000,
}, async () => {
  const { PATH = '' } = process.env
  const { code, stdout, stderr } = await startChild(script, [], { PATH }).ended
  assert.equal(stderr, '')
  assert.ok(stdout.endsWith('\nEverything was as expected.\n'), stdout)
  assert.equal(code, 0)
  const titles = [...stdout.matchAll(/^== (\d+)\. /gm)].map(([, number]) => number)
  assert.deepEqual(titles, ['1', '2', '3', '4', '5', '6', '7', '8', '9'])
})
