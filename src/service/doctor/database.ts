import { parseDatabaseAddress } from '../../base/database-address.js'
import { differenceText, OFFSET_MAX_MS } from '../../domain/clock-offset.js'
import { StorageUnavailable } from '../../store/refusals.js'
import { type Examination, type Finding, failed, ok, skipped, warning } from './examination.js'

/** A creation takes four round trips, so it takes longer than 20 ms above this. */
const SLOW_ROUND_TRIP_MS = 5

/** The database that has the state: that it answers, how far away it is, and what the loss of its machine would lose. */
export const examineDatabase: Examination = async ({ settings: { store, sandbox } }) => {
  const address = store === 'lmdb' ? undefined : parseDatabaseAddress(store)
  if (address === undefined) return []
  const { examineDatabase: look } = await import('../../store/postgres/upkeep/examine.js')
  const seen = await look(address).catch((error: unknown) => {
    if (error instanceof StorageUnavailable) return error
    throw error
  })
  if (seen instanceof StorageUnavailable) {
    const { cause } = seen
    const why = cause instanceof Error ? cause.message || cause.name : String(cause)
    return [failed('database', `${address.shown} cannot be used: ${why}.`, 'Start it, or correct BILLHOOK_STORE.')]
  }
  const { version, roundTripMs, aheadMs, lossy, replicas } = seen
  const text = `${address.shown} is version ${version}. A round trip takes ${roundTripMs.toFixed(1)} ms.`
  const distance =
    roundTripMs > SLOW_ROUND_TRIP_MS
      ? warning('database', text, 'A creation takes four of them: run the service nearer to it.')
      : ok('database', text)
  const isOff = Math.abs(aheadMs) > OFFSET_MAX_MS
  const clock = isOff
    ? [warning('database clock', `It is ${differenceText(aheadMs)} this machine's.`, 'Keep both right with NTP.')]
    : []
  return [distance, ...clock, ...lossy.map(isLossy), replica(replicas, sandbox)]
}

function isLossy(name: string): Finding {
  return failed('database', `${name} is off, so it could lose what was answered.`, `Set ${name} to on.`)
}

function replica(replicas: string | null, isSandbox: boolean): Finding {
  if (replicas === null) return skipped('replica', 'The database has no such setting as synchronous_standby_names.')
  if (replicas !== '') return ok('replica', `A commit waits for ${replicas} (synchronous_standby_names).`)
  const text = 'No commit waits for a replica.'
  if (isSandbox) return ok('replica', text)
  return warning('replica', text, 'The loss of its machine loses what was answered last: see docs/clusters.md.')
}
