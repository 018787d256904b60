import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GatewayComplaints } from '../../../src/http/guards/gateway-complaints.js'
import { createLog } from '../../../src/log.js'
import { ManualScheduler } from '../../support/manual-scheduler.js'

function complaining() {
  const lines: Record<string, unknown>[] = []
  const counted: string[] = []
  const scheduler = new ManualScheduler()
  const complaints = new GatewayComplaints(
    createLog('info', { write: (line) => lines.push(JSON.parse(line)) }),
    scheduler,
    (kind, count) => counted.push(`${kind} ${count}`),
  )
  return { lines, counted, scheduler, complaints }
}

describe('what the gateway pushes in vain', () => {
  test('is told at once, with the request, and counted', () => {
    const { lines, counted, complaints } = complaining()
    complaints.rejected('event', { requestId: 'r1', eventId: 'e1', reason: 'amount is wrong' })
    assert.deepEqual(counted, ['event 1'])
    const [{ level, requestId, eventId, reason } = {}] = lines
    assert.deepEqual([level, requestId, eventId, reason], ['warn', 'r1', 'e1', 'amount is wrong'])
  })

  test('fills no log: then one line in ten seconds of each kind, which says how many more there were', () => {
    const { lines, counted, scheduler, complaints } = complaining()
    for (let i = 0; i < 100; i += 1) complaints.rejected('signature', { requestId: `r${i}` })
    complaints.rejected('body', { requestId: 'b' })
    assert.equal(lines.length, 2)
    assert.equal(counted.length, 101)
    scheduler.pass(10_000)
    assert.deepEqual(
      lines.slice(2).map(({ suppressed }) => suppressed),
      [99],
    )
    complaints.rejected('signature', { requestId: 'again' })
    assert.equal(lines.length, 3)
    scheduler.pass(10_000)
    assert.deepEqual(
      lines.slice(3).map(({ suppressed }) => suppressed),
      [1],
    )
    scheduler.pass(10_000)
    complaints.rejected('signature', { requestId: 'later' })
    assert.equal(lines.at(-1)?.['requestId'], 'later')
  })
})
