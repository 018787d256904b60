import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PostgresServer } from './support/postgres-server.js'
import { SERVER_UNDER_TEST } from './support/store-under-test.js'

/*
 * Runs test files with services that keep their state in PostgreSQL: `npm run test:postgres -- FILES`.
 */

const server = await PostgresServer.start({ isDurable: true, settings: { max_connections: '1000' } })
try {
  const files = process.argv.slice(2)
  const flags = ['--test', '--test-concurrency=2', '--test-reporter=spec', '--test-timeout=600000', ...files]
  const env = { ...process.env, [SERVER_UNDER_TEST]: server.url() }
  const [code] = await once(spawn(process.execPath, flags, { env, stdio: 'inherit' }), 'exit')
  process.exitCode = code ?? 1
} finally {
  await server.stop()
}
