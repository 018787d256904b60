import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ProgressLine, StatusLine } from '../../src/cli/progress-line.js'
import { ManualClock } from '../support/manual-clock.js'

const CLEAR = '\r\u001b[K'

/** What a line writes for the progress of a check, at each pause, to a terminal of so many columns. */
function drawn(columns: number | null): readonly string[] {
  const clock = new ManualClock()
  const written: string[] = []
  const line = new ProgressLine({ clock, write: (text) => written.push(text), columns: () => columns, unit: 'rows' })
  for (const done of [217_000, 434_000, 868_103]) {
    clock.advance(10_000)
    line.show(done, 868_103, 'looking for rows')
  }
  line.clear()
  return written
}

describe('a line of progress', () => {
  test('is a bar that the terminal has room for', () => {
    assert.deepEqual(drawn(120), [
      `${CLEAR}[#######.......................] 24 % (217000 of 868103 rows, about 31 s left), looking for rows`,
      `${CLEAR}[##############................] 49 % (434000 of 868103 rows, about 21 s left), looking for rows`,
      `${CLEAR}[##############################] 100 % (868103 of 868103 rows), looking for rows`,
      CLEAR,
    ])
    assert.equal(drawn(80)[0], `${CLEAR}[##.........] 24 % (217000 of 868103 rows, about 31 s left), looking for rows`)
  })

  test('never reaches the next line of a terminal, however narrow it is, with ^C behind it too', () => {
    for (let columns = 1; columns <= 130; columns += 1) {
      for (const text of drawn(columns)) {
        const shown = text.slice(CLEAR.length)
        assert.ok(shown.length <= Math.max(0, columns - 3), `${columns} columns: ${shown}`)
      }
    }
    assert.equal(drawn(40)[0], `${CLEAR}24 % (217000 of 868103 rows, about 31`)
  })

  test('is a line now and then, without a character that moves, where there is no terminal', () => {
    assert.deepEqual(drawn(null), [
      '24 % (217000 of 868103 rows, about 31 s left), looking for rows\n',
      '49 % (434000 of 868103 rows, about 21 s left), looking for rows\n',
      '100 % (868103 of 868103 rows), looking for rows\n',
    ])
  })

  test('follows the terminal when its size changes', () => {
    let columns: number | null = 40
    const written: string[] = []
    const line = new StatusLine({ write: (text) => written.push(text), columns: () => columns })
    line.show('a'.repeat(60))
    columns = 20
    line.show('b'.repeat(60))
    columns = null
    line.show('c'.repeat(60))
    line.clear()
    assert.deepEqual(written, [`${CLEAR}${'a'.repeat(37)}`, `${CLEAR}${'b'.repeat(17)}`, CLEAR])
  })
})
