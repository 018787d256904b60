import { autocannonLoad } from './autocannon.js'
import type { LoadGenerator } from './load.js'
import { findWrk } from './wrk.js'

/** wrk where it is installed, else autocannon, which leaves less of the machine to the service. */
export function chooseLoadGenerator(): LoadGenerator {
  return findWrk() ?? autocannonLoad
}
