import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PostgresServer } from './support/postgres-server.js'
import { makeTemplates } from './support/prepared-databases.js'
import { SERVER_UNDER_TEST } from './support/store-under-test.js'
import { memoryDirectory } from './support/temporary-directory.js'
import { TEST_RUNNER } from './support/test-runner.js'

/*
 * Runs test files with services that keep their state in PostgreSQL: `npm run test:postgres -- FILES`. Or a command, with the address
 * of a new server in `BILLHOOK_STORE`: `node dist/test/on-postgres.js --run COMMAND`.
 */

const settings = { max_connections: '1000' }
const server = await PostgresServer.start({ isDurable: true, directory: memoryDirectory(), settings })
try {
  await makeTemplates(server)
  const [first, ...rest] = process.argv.slice(2)
  const child =
    first === '--run'
      ? spawn(rest[0] ?? '', rest.slice(1), { env: { ...process.env, BILLHOOK_STORE: server.url() }, stdio: 'inherit' })
      : spawn(process.execPath, [...TEST_RUNNER, ...process.argv.slice(2)], {
          env: { ...process.env, [SERVER_UNDER_TEST]: server.url() },
          stdio: 'inherit',
        })
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
} finally {
  await server.stop()
}
