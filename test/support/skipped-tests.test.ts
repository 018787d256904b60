import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filesThatLacked, namesThatLacked, reportOf, type Skipped } from './skipped-tests.js'

const needs = (file: string, names: string) => `${file} needs ${names} (not installed)`
const SKIPPED: readonly Skipped[] = [
  { file: 'contract.js', name: 'signs', reason: needs('b.test.js', 'openssl') },
  { file: 'c.test.js', name: 'needs no tool', reason: 'needs Linux' },
  { file: 'contract.js', name: 'another engine does not', reason: '' },
  { file: 'contract.js', name: 'signs', reason: needs('a.test.js', 'openssl') },
  { file: 'b.test.js', name: 'walks', reason: needs('b.test.js', 'curl, openssl') },
  { file: 'd.test.js', name: 'compiles', reason: needs('d.test.js', 'javac') },
]

describe('skipped tests', () => {
  test('are told by reason, with the file that was run', () => {
    assert.deepEqual(reportOf(SKIPPED), [
      'skipped, needs Linux',
      '  c.test.js: needs no tool',
      'skipped, not installed: curl, openssl',
      '  b.test.js: walks',
      'skipped, not installed: javac',
      '  d.test.js: compiles',
      'skipped, not installed: openssl',
      '  b.test.js: signs',
      '  a.test.js: signs',
    ])
    assert.deepEqual(reportOf([]), [])
  })

  test('that lacked something are run again, each file once', () => {
    assert.deepEqual(filesThatLacked(SKIPPED), ['a.test.js', 'b.test.js', 'd.test.js'])
  })

  test('may lack only what is named', () => {
    assert.deepEqual(namesThatLacked(SKIPPED, new Set()), ['curl', 'javac', 'openssl'])
    assert.deepEqual(namesThatLacked(SKIPPED, new Set(['javac', 'curl'])), ['openssl'])
    assert.deepEqual(namesThatLacked(SKIPPED, new Set(['javac', 'curl', 'openssl'])), [])
  })
})
