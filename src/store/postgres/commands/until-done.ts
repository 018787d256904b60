import type { Database, Unit } from '../connection/database.js'

/** Performs a unit that answers null when it has only settled a piece of what it meets, and then goes on in another transaction. */
export async function untilDone<T>(database: Database, unit: Unit<T | null>): Promise<T> {
  for (;;) {
    const result = await database.write(unit)
    if (result !== null) return result
  }
}
