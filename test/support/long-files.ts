import { join, relative, resolve } from 'node:path'
import { projectRoot } from './project-root.js'

/** The test files of each step of `.ci/run` that take longest, the longest first. The order of the others costs little. */
export const LONG_FILES: readonly string[] = [
  'bench/tiny-run',
  'bench/tiny-postgres-run',
  'bench/orders-run',
  'store/lmdb/lmdb-store.test',
  'simulation/simulation.test',
  'store/postgres/other-ports.test',
  'cli/move.test',
  'store/postgres/postgres-store.test',
  'app/browser/attacks-processes.test',
  'app/browser/attacks.test',
  'app/browser/beginning.test',
  'app/browser/till-day.test',
  'nodes/implementations.test',
  'nodes/histories.test',
  'page/appearance/appearance.test',
  'service/stuck-output.test',
  'simulation/postgres.test',
  'networks/ethereum/histories.test',
  'app/browser/strict.test',
  'app/appearance/appearance.test',
  'page/wallet.test',
  'page/appearance/accessibility.test',
  'networks/ethereum/faults.test',
  'client/python.test',
  'store/lmdb/migration.test',
  'networks/limited.test',
  'service/postgres.test',
  'service/set-aside-crash.test',
  'page/live.test',
  'fuzz/fuzz.test',
  'service/failover.test',
  'service/pooler.test',
  'service/postgres-faults.test',
  'deploy/alerts/database.test',
  'service/crash.test',
  'service/networks.test',
  'service/settling-crash.test',
  'service/damaged-store.test',
  'cli/hostile-import-orders.test',
  'proxies/deployed.test',
  'service/open-pages.test',
  'console/browser.test',
  'service/audit-crash.test',
  'store/postgres/deposits/match-past.test',
  'deploy/alerts/busy.test',
  'store/postgres/upkeep/check.test',
  'service/hanging-database.test',
  'platforms/client.test',
  'store/postgres/schema/version-10.test',
  'page/tronlink.test',
  'page/told-in-time.test',
  'store/postgres/lost-connections.test',
  'service/database-place.test',
  'service/faulty-deposit.test',
  'store/postgres/several-processes.test',
  'store/postgres/orders-of-several.test',
  'cli/hostile-import.test',
  'networks/tron/faults.test',
  'networks/examination.test',
  'service/full-disk.test',
  'service/callback-addresses.test',
  'service/drain.test',
  'service/wycheproof.test',
  'store/postgres/connection/hanging.test',
  'service/reconciliation.test',
  'cli/records.test',
  'service/key-tables.test',
  'networks/histories.test',
  'networks/tron/histories.test',
  'examples/cli.test',
  'service/tron-nodes.test',
]

/** The files in the order in which they are to be started: the longest, then what several files share, then the others by name. */
export function longestFirst(files: readonly string[]): readonly string[] {
  return [...files].sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
}

/** Whether it is one of those that take longest. */
export function isLong(file: string): boolean {
  return places.has(fromRoot(file))
}

const places: ReadonlyMap<string, number> = new Map(
  LONG_FILES.map((name, place) => [join('dist/test', `${name}.js`), place]),
)

function placeOf(file: string): number {
  const place = places.get(fromRoot(file))
  if (place !== undefined) return place
  return fromRoot(file).startsWith(join('dist/test/shared/')) ? LONG_FILES.length : LONG_FILES.length + 1
}

function fromRoot(file: string): string {
  return relative(projectRoot, resolve(projectRoot, file))
}
