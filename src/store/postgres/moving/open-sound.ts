import type { DatabaseAddress } from '../../../base/database-address.js'
import { OperatorError } from '../../../operator-error.js'
import { sql } from '../connection/sql.js'
import { ASK_PLACE, assertPlace, type Place } from '../schema/place.js'
import { type Kind, SCHEMA_VERSION, unfinished } from '../schema/prepare.js'
import { Snapshot } from './snapshot.js'

/**
 * Opens what a database holds at this moment. Throws `OperatorError` when it holds nothing of ours, data of another version or between two
 * versions, or only a part.
 */
export async function openSound(
  address: DatabaseAddress,
): Promise<{ readonly snapshot: Snapshot; readonly kind: Kind }> {
  const snapshot = await Snapshot.open(address)
  try {
    return { snapshot, kind: await soundKindOf(snapshot, address.shown) }
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/** The kind of what a database holds. Throws as `openSound` does. */
export async function soundKindOf(snapshot: Snapshot, name: string): Promise<Kind> {
  const place = await snapshot.one<Place>(ASK_PLACE)
  if (place !== undefined) assertPlace(place)
  const row = place?.isOurs
    ? await snapshot.one<{ version: number; kind: Kind }>(sql`SELECT version, kind FROM billhook`)
    : undefined
  if (row === undefined) throw new OperatorError(`the database ${name} holds no data`)
  if (row.version !== SCHEMA_VERSION) {
    throw new OperatorError(
      `the database ${name} has version ${row.version} of the data, and this program reads version ${SCHEMA_VERSION}: ` +
        (row.version < SCHEMA_VERSION ? 'start the service on it first' : 'use the newer program'),
    )
  }
  if ((await snapshot.one(sql`SELECT 1 AS begun FROM matching`)) !== undefined) {
    throw new OperatorError(
      `the database ${name} is not wholly brought to version ${SCHEMA_VERSION} of the data: start the service on it first`,
    )
  }
  const move = await snapshot.one<{ source: string }>(sql`SELECT source FROM moves`)
  if (move !== undefined) throw unfinished(`the database ${name}`, move.source)
  return row.kind
}
