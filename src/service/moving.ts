import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../base/database-address.js'
import type { Clock } from '../clock.js'
import type { Settings } from '../config.js'
import { createPooledRandom, IdGenerator } from '../crypto/id.js'
import { OperatorError } from '../operator-error.js'
import { isSandboxDirectory } from '../sandbox/sandbox-directory.js'
import { type MoveControl, moveAll } from '../store/moving/move.js'
import type { MoveSource, MoveTarget } from '../store/moving/ports.js'
import { keepsOwnData } from './open-store.js'

/** A place of data, as a command names it. */
type Place =
  | { readonly engine: 'lmdb'; readonly directory: string }
  | { readonly engine: 'postgres'; readonly address: DatabaseAddress }

/** The database of `BILLHOOK_STORE`, whose password a command line would show to everybody on the machine. */
const CONFIGURED = 'postgres:'
const LMDB = 'lmdb:'

export interface Move {
  /** `lmdb:DIR`, `postgres://…`, or `postgres:` for the database of `BILLHOOK_STORE`. */
  readonly from: string
  readonly to: string
}

/**
 * Moves all data from one engine to another, or goes on with a move that was cut off, and compares both. Answers the number of
 * records. Throws `OperatorError` for a place that cannot be read or filled, `MoveDiffers` for a record that is not the same, and
 * `StartStopped` when it was stopped.
 */
export async function moveData(
  { from, to }: Move,
  settings: Pick<Settings, 'store'>,
  clock: Clock,
  control: MoveControl,
): Promise<number> {
  const [fromPlace, toPlace] = [placeOf(from, settings), placeOf(to, settings)]
  const source = await openSource(fromPlace, clock)
  try {
    const target = await openTarget(toPlace, clock)
    try {
      return await moveAll(source, target, control)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function placeOf(text: string, { store }: Pick<Settings, 'store'>): Place {
  if (text.startsWith(LMDB) && text.length > LMDB.length) {
    return { engine: 'lmdb', directory: resolve(text.slice(LMDB.length)) }
  }
  if (text === CONFIGURED && keepsOwnData({ store })) {
    throw new OperatorError('postgres: stands for the database of BILLHOOK_STORE, which names none')
  }
  const address = parseDatabaseAddress(text === CONFIGURED ? store : text)
  if (address === undefined)
    throw new OperatorError('a store is lmdb:DIR, postgres://…, or postgres: for that of BILLHOOK_STORE')
  return { engine: 'postgres', address }
}

/** The ledger of a sandbox is in a journal of its service, so the rest of it alone is worth nothing elsewhere. */
const NO_SANDBOX = 'a sandbox cannot be moved: its simulated ledger would stay behind'

async function openSource(place: Place, clock: Clock): Promise<MoveSource> {
  if (place.engine === 'lmdb') {
    if (isSandboxDirectory(place.directory)) throw new OperatorError(NO_SANDBOX)
    const { openLmdbSource } = await import('../store/lmdb/moving/lmdb-move.js')
    return await openLmdbSource(place.directory, clock)
  }
  const { openPostgresSource } = await import('../store/postgres/moving/postgres-move.js')
  const source = await openPostgresSource(place.address)
  if (source.kind === 'sandbox') throw new OperatorError(NO_SANDBOX)
  return source
}

async function openTarget(place: Place, clock: Clock): Promise<MoveTarget> {
  if (place.engine === 'lmdb') {
    if (isSandboxDirectory(place.directory)) throw new OperatorError(NO_SANDBOX)
    mkdirSync(place.directory, { recursive: true, mode: 0o700 })
    const { openLmdbTarget } = await import('../store/lmdb/moving/lmdb-move.js')
    return await openLmdbTarget(place.directory, clock)
  }
  const ids = new IdGenerator(createPooledRandom())
  const { openPostgresTarget } = await import('../store/postgres/moving/postgres-move.js')
  return await openPostgresTarget({ address: place.address, newId: ids.next.bind(ids) }, 'real')
}
