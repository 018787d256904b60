import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outage, PROBE_PAUSE_MS, SUSPECTED_MS } from '../../../../src/store/postgres/connection/outage.js'
import { StorageUnavailable } from '../../../../src/store/refusals.js'
import { ManualScheduler } from '../../../support/manual-scheduler.js'

const HANGS = new StorageUnavailable(new Error('it hangs'))

/** An outage whose probes the test answers. */
class Play {
  readonly scheduler = new ManualScheduler()
  readonly probes: { readonly onReadable: () => void; readonly pass: () => void; readonly fail: () => void }[] = []
  readonly outage = new Outage(
    (onReadable) =>
      new Promise((resolve, reject) => {
        this.probes.push({ onReadable, pass: resolve, fail: () => reject(new Error('no answer')) })
      }),
    this.scheduler,
  )

  get newest() {
    return this.probes.at(-1) ?? assert.fail('nothing was probed')
  }

  /** What is refused now. */
  get refused(): string {
    const isRefused = (ask: () => void) => {
      try {
        ask()
      } catch (error) {
        assert.equal(error, HANGS)
        return true
      }
      return false
    }
    const { outage } = this
    return [isRefused(() => outage.assertReadable()) && 'reads', isRefused(() => outage.assertWritable()) && 'writes']
      .filter(Boolean)
      .join(' ')
  }

  /** Lets what was answered come through. */
  settle(): Promise<void> {
    return new Promise(setImmediate)
  }
}

test('while nothing is answered all is refused, until a probe is answered: reads first, then writes', async () => {
  const play = new Play()
  assert.equal(play.refused, '')
  play.outage.begin(HANGS)
  play.outage.begin(HANGS)
  assert.equal(play.refused, 'reads writes')
  play.newest.fail()
  await play.settle()
  assert.equal(play.probes.length, 1)
  play.scheduler.pass(PROBE_PAUSE_MS)
  await play.settle()
  assert.equal(play.probes.length, 2)
  play.newest.onReadable()
  assert.equal(play.refused, 'writes')
  play.newest.pass()
  await play.settle()
  assert.equal(play.refused, '')
  assert.equal(play.scheduler.pending, 0)
})

test('one write that waited in vain keeps nobody away while a probe is answered', async () => {
  const play = new Play()
  play.outage.suspectWrites(HANGS)
  play.scheduler.pass(SUSPECTED_MS - 1)
  play.newest.pass()
  await play.settle()
  play.scheduler.pass(SUSPECTED_MS)
  assert.equal(play.refused, '')
  assert.equal(play.probes.length, 1)
})

test('one write that waited in vain keeps writes away, and no reads, once a probe waits, too', async () => {
  const play = new Play()
  play.outage.suspectWrites(HANGS)
  play.newest.onReadable()
  assert.equal(play.refused, '')
  play.scheduler.pass(SUSPECTED_MS)
  assert.equal(play.refused, 'writes')
  play.newest.fail()
  await play.settle()
  assert.equal(play.refused, 'writes')
  play.scheduler.pass(PROBE_PAUSE_MS)
  await play.settle()
  play.newest.pass()
  await play.settle()
  assert.equal(play.refused, '')
})

test('a probe that is refused confirms no suspicion', async () => {
  const play = new Play()
  play.outage.suspectWrites(HANGS)
  play.newest.fail()
  await play.settle()
  play.scheduler.pass(10 * SUSPECTED_MS)
  assert.deepEqual([play.refused, play.probes.length, play.scheduler.pending], ['', 1, 0])
  play.outage.suspectWrites(HANGS)
  assert.equal(play.probes.length, 2, 'the next one that waits in vain has it probed again')
  play.newest.pass()
})

test('what falls silent while a write is suspected keeps all away', async () => {
  const play = new Play()
  play.outage.suspectWrites(HANGS)
  play.outage.begin(HANGS)
  assert.deepEqual([play.refused, play.probes.length], ['reads writes', 1])
  play.newest.fail()
  await play.settle()
  assert.equal(play.refused, 'reads writes')
  play.outage.close()
})

test('an outage that is closed has nothing probed any more', async () => {
  const play = new Play()
  play.outage.begin(HANGS)
  play.newest.fail()
  await play.settle()
  play.outage.close()
  await play.settle()
  assert.deepEqual([play.probes.length, play.scheduler.pending], [1, 0])
  play.outage.begin(HANGS)
  play.outage.suspectWrites(HANGS)
  assert.deepEqual([play.probes.length, play.scheduler.pending], [1, 0])
})
