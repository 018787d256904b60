import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { watchNetworks } from '../../src/metrics/network-series.js'
import { emptyRecord, stateOf } from '../../src/networks/watcher-state.js'
import { parseExposition } from '../support/exposition.js'
import { ManualClock } from '../support/manual-clock.js'

test('what is set aside is counted by network, from 0 on where a network is watched', async () => {
  const registry = new Registry()
  const clock = new ManualClock()
  const watcher = (network: string, blocksSetAside: number) => ({
    state: () => ({ ...stateOf(emptyRecord(network, clock.now()), clock), blocksSetAside }),
    endpoints: () => [],
  })
  let aside: ReadonlyMap<string, number> = new Map()
  const watchers = [watcher('SEP', 0), watcher('POL', 2)]
  watchNetworks(registry, { watchers, follower: null, depositsAside: () => aside })
  const values = async (name: string) => {
    const shown = parseExposition(await registry.metrics())
    return ['SEP', 'POL', 'TRX-NILE'].map((network) => shown.value(name, { network }))
  }
  assert.deepEqual(await values('billhook_blocks_set_aside'), [0, 2, undefined])
  assert.deepEqual(await values('billhook_deposits_set_aside'), [0, 0, undefined])
  aside = new Map([
    ['POL', 3],
    ['TRX-NILE', 1],
  ])
  assert.deepEqual(await values('billhook_deposits_set_aside'), [0, 3, 1])
})
