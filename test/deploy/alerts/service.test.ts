import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertRules } from '../../support/prometheus-rules.js'
import { busyPlays } from './busy-plays.js'
import { databasePlays } from './database-plays.js'
import { diskPlays } from './disk-plays.js'
import { ledgerPlays } from './ledger-plays.js'
import { networkPlays } from './network-plays.js'
import { playAll } from './play.js'
import { ratePlays } from './rate-plays.js'
import { servicePlays } from './service-plays.js'

playAll('the service', servicePlays)
playAll('rates', ratePlays)

test('every alert fires in one of the states that tests play', () => {
  const all = [servicePlays, busyPlays, diskPlays, databasePlays(null), networkPlays, ledgerPlays, ratePlays]
  const fired = new Set(all.flatMap((plays) => Object.values(plays)).flatMap(({ alerts }) => alerts))
  assert.deepEqual([...fired].sort(), [...new Set(alertRules().map(({ name }) => name))].sort())
})
