import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RegisteredKeys } from '../../src/auth/registered-keys.js'

const LIMIT = 16_384

test('registered keys are known by their spelling and bounded: beyond 16384 all are looked up anew', () => {
  const keys = new RegisteredKeys()
  const key = Buffer.alloc(33, 2)
  keys.add('02ab', key)
  assert.equal(keys.find('02ab'), key)
  assert.equal(keys.find('02AB'), undefined)
  for (let n = 0; n < LIMIT; n++) keys.add(`key ${n}`, key)
  assert.equal(keys.find('02ab'), undefined)
  assert.equal(keys.find(`key ${LIMIT - 1}`), key)
})
