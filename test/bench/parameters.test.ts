import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PARTS, readOptions } from '../../bench/parameters.js'

describe('the command line of the benchmarks', () => {
  test('runs all parts unless told otherwise', () => {
    assert.deepEqual([...readOptions([]).parts], [...PARTS])
    const { parts, hasOrdinary, parameters } = readOptions(['--only', 'reads,micro', '--seconds', '3', '--no-ordinary'])
    assert.deepEqual([...parts], ['reads', 'micro'])
    assert.deepEqual([hasOrdinary, parameters.seconds], [false, 3])
  })

  for (const argv of [['--only', 'everything'], ['--seconds', '0'], ['--rounds', '1.5'], ['--fast']]) {
    test(`rejects ${argv.join(' ')}`, () => {
      assert.throws(() => readOptions(argv), Error)
    })
  }
})
