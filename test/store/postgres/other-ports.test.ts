import { describeStore } from '../../contract/store.js'
import { openPostgresHarness } from '../../support/postgres-harness.js'
import { postgresForTests } from '../../support/postgres-tests.js'

const server = await postgresForTests()

if (server !== null) describeStore('PostgreSQL', () => openPostgresHarness(server), { half: 'other' })
