import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../src/config.js'
import { createLog } from '../../src/log.js'
import { examine } from '../../src/service/doctor/doctor.js'
import type { Finding, Running } from '../../src/service/doctor/examination.js'
import { StorageUnavailable } from '../../src/store/refusals.js'
import { ManualClock } from '../support/manual-clock.js'
import { temporaryDirectory } from '../support/temporary-directory.js'

/** What the doctor finds of a running service whose store fails so when it is read. */
async function foundWith(failure: Error): Promise<readonly Finding[]> {
  const place = temporaryDirectory()
  const read = readSettings([], { BILLHOOK_DATA: place.path, BILLHOOK_GATEWAY_SECRET: '0123456789abcdef' })
  assert.ok('settings' in read, JSON.stringify(read))
  const fail = () => Promise.reject(failure)
  const store = { overview: { wallets: fail, owners: fail } }
  const running = { store, clockReading: () => null } as unknown as Running
  const findings: Finding[] = []
  const context = { settings: read.settings, clock: new ManualClock(), log: createLog('silent'), running }
  for await (const record of examine(context)) {
    if (record.type === 'item') findings.push(record.item as Finding)
  }
  place.remove()
  return findings
}

test('what needs a store that cannot be used is not blamed', async () => {
  const found = await foundWith(new StorageUnavailable(new Error('the database server has not answered')))
  const text = 'The store, which this needs, cannot be used now.'
  for (const name of ['settings', 'callbacks']) {
    assert.deepEqual(
      found.filter((finding) => finding.name === name),
      [{ name, verdict: 'skipped', text }],
    )
  }
})

test('any other failure of an examination is a finding', async () => {
  const found = await foundWith(new Error('a defect'))
  const settings = found.find(({ name }) => name === 'settings')
  assert.deepEqual([settings?.verdict, settings?.text], ['failed', 'It could not be examined: a defect.'])
})
