import { NO_RATES, type RateTable, type RateTerms, type RateVerdict } from '../../domain/rates.js'
import { RATES_DAMAGED, rateTableOf, rateTableText } from '../rate-text.js'
import type { GivenRates, RatePort } from '../rates.js'
import { answeredLater } from '../rules/asking.js'
import { type RateWork, takeRates } from '../rules/rates.js'
import { Batcher } from './connection/batcher.js'
import type { Database } from './connection/database.js'
import { sql } from './connection/sql.js'
import type { Work } from './connection/work.js'

interface Columns {
  readonly revision: number
  /** Null where this process has it already. */
  readonly content: string | null
}

const ONLY = 'rates'

/** The rates, in one row, which has another revision after each change. */
export class PostgresRates implements RatePort {
  private known: { readonly revision: number; readonly table: RateTable } = {
    revision: 0,
    table: NO_RATES,
  }
  /** Who asks while others do shares an answer that is not older than the question. */
  private readonly asked = new Batcher(async (names: readonly string[]) => {
    const table = await this.read()
    return new Map(names.map((name) => [name, table]))
  })

  constructor(private readonly database: Database) {}

  async current(): Promise<RateTable> {
    return (await this.asked.ask(ONLY)) ?? this.known.table
  }

  take(given: GivenRates, terms: RateTerms): Promise<RateVerdict> {
    return this.database.writeRequested((work) => answeredLater(takeRates(new PostgresRateWork(work), given, terms)))
  }

  private async read(): Promise<RateTable> {
    const { revision } = this.known
    const row = await this.database.readOne<Columns>(sql`
      SELECT revision, CASE WHEN revision = ${revision}::bigint THEN NULL ELSE content END AS content FROM rates`)
    // A store whose row is gone has been emptied.
    if (row === undefined) this.known = { revision: 0, table: NO_RATES }
    else if (row.content !== null) this.known = { revision: row.revision, table: readRates(row.content) }
    return this.known.table
  }
}

class PostgresRateWork implements RateWork {
  constructor(private readonly work: Work) {}

  readClock(): Promise<number> {
    return this.work.readClock()
  }

  async table(): Promise<RateTable> {
    // The row is made first, so that there is one to lock.
    this.work.write(sql`
      INSERT INTO rates (singleton, revision, content) VALUES (true, 1, ${rateTableText(NO_RATES)})
      ON CONFLICT DO NOTHING`)
    const row = await this.work.row<{ content: string }>(sql`SELECT content FROM rates FOR UPDATE`)
    return row === undefined ? NO_RATES : readRates(row.content)
  }

  put(table: RateTable): void {
    this.work.write(sql`UPDATE rates SET revision = revision + 1, content = ${rateTableText(table)}`)
  }
}

/** The table in a stored text. Throws for a text that no program has written. */
export function readRates(content: string): RateTable {
  const table = rateTableOf(content)
  if (table === null) throw new Error(RATES_DAMAGED)
  return table
}
