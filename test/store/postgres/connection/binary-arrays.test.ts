import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { binaryArray } from '../../../../src/store/postgres/connection/binary-arrays.js'
import { mostHeld } from '../../../support/live-memory.js'

// What the server reads of them: `values.test.ts`.

test('an array is written as the format says', () => {
  const written = binaryArray(['é', null], 'text')
  assert.equal(
    written?.toString('hex'),
    `${'00000001'}${'00000000'}${'00000019'}${'00000002'}${'00000001'}00000002c3a9ffffffff`,
  )
  assert.equal(binaryArray([], 'uuid')?.toString('hex'), `${'00000000'}${'00000000'}${'00000b86'}`)
})

test('what is no array of a type that is written in binary is left to the text', () => {
  assert.equal(binaryArray([1n], 'numeric'), null)
  assert.equal(binaryArray([{}, 'a'] as never, 'text'), null)
  assert.equal(binaryArray([['a']], 'text'), null)
  for (const type of ['boolean', 'bytea', 'bigint', 'smallint', 'text', 'uuid']) {
    assert.notEqual(binaryArray([null], type), null)
    assert.equal(binaryArray([null, [] as never], type), null, type)
  }
})

test('a large array leaves no memory behind', async () => {
  // Collects what is not held any more.
  const held = async () => {
    await mostHeld(() => setTimeout(200))
    return process.memoryUsage().arrayBuffers
  }
  const before = await held()
  for (const last of ['x', []]) binaryArray(['x'.repeat(20_000_000), last], 'text')
  const bytes = (await held()) - before
  assert.ok(bytes < 1_000_000, `${bytes} bytes are held`)
})
