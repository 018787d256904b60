import assert from 'node:assert/strict'
import pg from 'pg'
import { administer } from '../../support/postgres-database.js'
import { createDatabase } from '../../support/postgres-harness.js'
import type { PostgresServer } from '../../support/postgres-server.js'
import { deposit, deposits, invoice, ownWallet, type Plays, SECOND_MS, scrapeUntil, silentAtFirst } from './play.js'
import { Watched } from './watched.js'

/** Those of a service that keeps its state in a database on the server. */
export function databasePlays(server: PostgresServer | null): Plays {
  const noDatabase = server === null ? 'there is no PostgreSQL' : false
  return {
    'a request that the database fails in a way that it must not': {
      alerts: ['BillhookDefects'],
      skip: noDatabase,
      play: async (t) => {
        const url = await createDatabase(server ?? assert.fail())
        const watched = await Watched.start(t, { BILLHOOK_STORE: url })
        await ownWallet(watched)
        await invoice(watched, 0)
        await silentAtFirst(watched)
        await administer(url, ...refusing('invoices'))
        assert.equal(await invoice(watched, 1), 500)
        watched.pass(SECOND_MS)
        await watched.scrape()
        return watched
      },
    },
    'a deposit that the database cannot record': {
      alerts: ['BillhookDepositsSetAside', 'BillhookDepositsRejected'],
      skip: noDatabase,
      play: async (t) => {
        const url = await createDatabase(server ?? assert.fail())
        const watched = await Watched.start(t, { BILLHOOK_STORE: url })
        await ownWallet(watched)
        await silentAtFirst(watched)
        await administer(url, ...refusing('deposits'))
        assert.equal((await deposit(watched, 'a', '1'))[0]?.status, 'rejected')
        await scrapeUntil(watched, 'billhook_deposits_set_aside', { network: 'SEP' }, 1)
        return watched
      },
    },
    'a wallet that somebody has locked in the database': {
      alerts: ['BillhookDatabaseLock', 'BillhookWritesFail'],
      skip: noDatabase,
      play: async (t) => {
        const url = await createDatabase(server ?? assert.fail())
        const watched = await Watched.start(t, { BILLHOOK_STORE: url })
        await ownWallet(watched)
        await silentAtFirst(watched)
        const lock = await keepLock(url, "SELECT FROM wallets WHERE id = 'wallet-1' FOR UPDATE")
        assert.equal(await invoice(watched, 0), 503)
        watched.pass(SECOND_MS)
        await watched.scrape()
        await lock.release()
        return watched
      },
    },
    'deposits to one wallet while somebody has locked their table': {
      alerts: ['BillhookHotWallet'],
      skip: noDatabase,
      play: async (t) => {
        const url = await createDatabase(server ?? assert.fail())
        const watched = await Watched.start(t, { BILLHOOK_STORE: url })
        await ownWallet(watched)
        await silentAtFirst(watched)
        const lock = await keepLock(url, 'LOCK TABLE deposits IN EXCLUSIVE MODE')
        // The deposits of a push enter the mailbox by 256.
        const pushed = Array.from({ length: 20 }, (_, n) => deposits(watched, n * 256, 256))
        const settled = Promise.allSettled(pushed)
        await watched.scrapeUntil((samples) =>
          samples.some(({ name, value }) => name === 'billhook_mailbox_depth' && value > 4096),
        )
        await lock.release()
        await settled
        return watched
      },
    },
  }
}

/** Statements that let nothing more be written into a table, as a defect of a program or of the database would. */
function refusing(table: string): readonly string[] {
  return [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a defect'; END $$`,
    `CREATE TRIGGER refusing BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
  ]
}

/** Takes a lock, as somebody else, until it is released. */
async function keepLock(url: string, statement: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN')
  await client.query(statement)
  return { release: () => client.end() }
}
