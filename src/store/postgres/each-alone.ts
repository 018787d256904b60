import type { Settled } from '../commands.js'
import { type Asking, answeredLater, type RunEach } from '../rules/asking.js'
import type { Database } from './connection/database.js'
import type { Work } from './connection/work.js'

/** Runs rules one after the other. */
export function eachAlone(database: Database): RunEach<Work> {
  return async <T>(rules: readonly ((work: Work) => Asking<T>)[]) => {
    const fates: Settled<T>[] = []
    for (const rule of rules) {
      const written = database.writeRequested((work) => answeredLater(rule(work)))
      fates.push(...(await Promise.allSettled([written])))
    }
    return fates
  }
}
