import { postgresForTests } from '../../support/postgres-tests.js'
import { databasePlays } from './database-plays.js'
import { playAll } from './play.js'

playAll('a database', databasePlays(await postgresForTests({ isDurable: true })))
