import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import pino from 'pino'
import { requestLog } from '../src/http/request-log.js'
import { LogThrottle } from '../src/log-throttle.js'

test('one of many lines goes through in each interval, and says how many did not', (t) => {
  let now = 5
  t.mock.method(performance, 'now', () => now)
  const throttle = new LogThrottle(1000)
  const at = (ms: number) => {
    now = ms
    return throttle.next()
  }
  assert.deepEqual([at(5), at(6), at(1004), at(1005), at(1006), at(2005), at(9000)], [0, null, null, 2, null, 1, 0])
})

test('refusals of one kind are throttled in the log, other kinds and defects beside them', (t) => {
  t.mock.method(performance, 'now', () => 0)
  const lines: { readonly msg: string; readonly err: { readonly name: string } }[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(chunk))
      done()
    },
  })
  const { onError } = requestLog(pino({}, stream), [])
  const head = { requestId: 'r', method: 'POST', path: '/' } as Parameters<typeof onError>[1]
  class Other extends Error {
    override name = 'Other'
  }
  for (let n = 0; n < 10; n += 1) {
    onError(new Error('full'), head, false)
    onError(new Other('busy'), head, false)
  }
  onError(new Error('a defect'), head, true)
  onError(new Error('a defect'), head, true)
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['request refused for now', 'request refused for now', 'request failed', 'request failed'],
  )
})
