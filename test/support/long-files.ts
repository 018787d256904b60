import { join, relative, resolve } from 'node:path'
import { projectRoot } from './project-root.js'

/** The test files of each step of `.ci/run` that take longest, the longest first. The order of the others costs little. */
export const LONG_FILES: readonly string[] = [
  'bench/tiny-run',
  'bench/tiny-postgres-run',
  'nodes/service.test',
  'nodes/histories.test',
  'nodes/transfers.test',
  'store/postgres/postgres-store.test',
  'store/postgres/other-ports.test',
  'service/faulty-deposit.test',
  'cli/move.test',
  'page/live.test',
  'simulation/postgres.test',
  'service/set-aside-crash.test',
  'proxies/deployed.test',
  'service/open-pages.test',
  'deploy/alerts/busy.test',
  'deploy/alerts/database.test',
  'service/set-aside.test',
  'service/networks.test',
  'fuzz/fuzz.test',
  'proxies/direct.test',
  'service/postgres.test',
  'cli/records.test',
  'app/browser/attacks.test',
  'app/browser/beginning.test',
  'app/browser/strict.test',
  'app/browser/till-day.test',
  'console/browser.test',
  'store/lmdb/lmdb-store.test',
  'cli/remote.test',
  'service/key-tables.test',
  'networks/ethereum/faults.test',
  'client/package.test',
  'networks/ethereum/histories.test',
  'networks/histories.test',
  'service/pooler.test',
  'service/drain.test',
  'networks/tron/faults.test',
  'networks/limited.test',
  'page/appearance/appearance.test',
  'app/appearance/appearance.test',
  'app/appearance/accessibility.test',
  'app/browser/trade.test',
  'app/browser/till.test',
  'app/browser/elsewhere.test',
  'service/failover.test',
  'networks/tron/histories.test',
  'examples/cli.test',
  'page/appearance/accessibility.test',
  'service/postgres-faults.test',
  'service/callback-addresses.test',
  'service/tron-nodes.test',
  'store/lmdb/migration.test',
  'store/lmdb/check.test',
  'service/networks-crash.test',
  'http/guards/access.test',
  'cli/watch.test',
  'service/cluster-crash.test',
]

/** The files in the order in which they are to be started: what several files share, then the longest, then the others by name. */
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
  if (fromRoot(file).startsWith(join('dist/test/shared/'))) return -1
  return places.get(fromRoot(file)) ?? LONG_FILES.length
}

function fromRoot(file: string): string {
  return relative(projectRoot, resolve(projectRoot, file))
}
