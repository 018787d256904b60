import { join, relative, resolve } from 'node:path'
import { projectRoot } from './project-root.js'

/** The test files that take longest, the longest first. The order of the others costs little. */
export const LONG_FILES: readonly string[] = [
  'store/postgres/postgres-store',
  'service/faulty-deposit',
  'cli/move',
  'page/live',
  'simulation/postgres',
  'service/set-aside-crash',
  'proxies/deployed',
  'service/open-pages',
  'deploy/alerts/busy',
  'deploy/alerts/database',
  'service/set-aside',
  'service/networks',
  'fuzz/fuzz',
  'proxies/direct',
  'service/postgres',
  'cli/records',
  'console/browser',
  'store/lmdb/lmdb-store',
  'cli/remote',
  'service/key-tables',
  'networks/ethereum/faults',
  'client/package',
  'networks/ethereum/histories',
  'networks/histories',
  'service/pooler',
  'service/drain',
  'networks/tron/faults',
  'networks/limited',
  'page/appearance/appearance',
  'service/failover',
  'networks/tron/histories',
  'examples/cli',
  'page/appearance/accessibility',
  'service/postgres-faults',
  'service/callback-addresses',
  'service/tron-nodes',
  'store/lmdb/migration',
  'store/lmdb/check',
  'service/networks-crash',
  'http/guards/access',
  'cli/watch',
  'service/cluster-crash',
]

/** The files in the order in which they are to be started: the longest first, the others by name. */
export function longestFirst(files: readonly string[]): readonly string[] {
  const places = new Map(LONG_FILES.map((name, place) => [join('dist/test', `${name}.test.js`), place]))
  const placeOf = (file: string) => places.get(relative(projectRoot, resolve(projectRoot, file))) ?? LONG_FILES.length
  return [...files].sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
}
