import { describeStore } from '../../contract/store.js'
import { openPostgresHarness } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'

/** Each step of a history asks the server a dozen times. */
const HISTORIES_SHARE = 0.05

const server = await postgresForTests()

if (server !== null) {
  describeStore('PostgreSQL', () => openPostgresHarness(server), { half: 'long', share: HISTORIES_SHARE })
}
