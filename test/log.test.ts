import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLog, type LogLevel, REDACTED_NAMES } from '../src/log.js'

function capture(level: LogLevel) {
  const lines: string[] = []
  return { lines, log: createLog(level, { write: (line) => lines.push(line) }) }
}

describe('the log', () => {
  test('is one JSON object a line, with level and time', () => {
    const { lines, log } = capture('info')
    log.info({ wallet: 'w1' }, 'claimed\nby a client')
    assert.equal(lines.length, 1)
    const line = lines[0] ?? ''
    assert.equal(line.indexOf('\n'), line.length - 1)
    const { time, ...rest } = JSON.parse(line)
    assert.deepEqual(rest, { level: 'info', wallet: 'w1', msg: 'claimed\nby a client' })
    assert.ok(Number.isSafeInteger(time))
  })

  test('holds nothing that a terminal obeys, and yet every text as it was', () => {
    const { lines, log } = capture('info')
    const obeyed = '\u001b]0;title\u0007\u009b31m\u0085\u202e\u2066\u2028'
    log.warn({ eventId: obeyed, err: new Error(obeyed) }, obeyed)
    log.child({ owner: obeyed }).info('child')
    for (const line of lines) assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Bidi_C}\u2028\u2029]/u)
    const { eventId, msg } = JSON.parse(lines[0] ?? '')
    assert.deepEqual([eventId, msg, JSON.parse(lines[1] ?? '').owner], [obeyed, obeyed, obeyed])
  })

  test('leaves out what is below its level', () => {
    const { lines, log } = capture('warn')
    log.info('no')
    log.warn('yes')
    assert.equal(lines.length, 1)
    const silent = capture('silent')
    silent.log.fatal('no')
    assert.equal(silent.lines.length, 0)
  })

  test('never holds credentials or signatures, on their own or inside what is logged', () => {
    const { lines, log } = capture('trace')
    for (const name of REDACTED_NAMES) {
      log.info({ [name]: 'hunter2' })
      log.info({ headers: { [name]: 'hunter2', accept: 'text/plain' } })
      log.info({ request: { headers: { [name]: 'hunter2' } } })
      log.child({ [name]: 'hunter2' }).info('child')
      log.error({ err: Object.assign(new Error('broken'), { [name]: 'hunter2', other: 1 }) })
    }
    assert.equal(lines.length, REDACTED_NAMES.length * 5)
    assert.deepEqual(
      lines.filter((line) => line.includes('hunter2')),
      [],
    )
    assert.equal(lines.filter((line) => line.includes('text/plain')).length, REDACTED_NAMES.length)
    assert.equal(lines.filter((line) => line.includes('broken')).length, REDACTED_NAMES.length)
  })

  test('redacting does not change what is logged', () => {
    const { log } = capture('trace')
    const configuration = { owner: 'o', secret: 'hunter2' }
    log.info(configuration)
    assert.equal(configuration.secret, 'hunter2')
  })
})
