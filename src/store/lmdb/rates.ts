import { NO_RATES, type RateTable, type RateTerms, type RateVerdict } from '../../domain/rates.js'
import { RATES_DAMAGED, rateTableOf, rateTableText } from '../rate-text.js'
import type { GivenRates, RatePort } from '../rates.js'
import { answeredNow } from '../rules/asking.js'
import { takeRates } from '../rules/rates.js'
import type { Commit } from './commit/commit.js'
import type { CommitLoop } from './commit/commit-loop.js'
import { CorruptRecord, type RecordCodec, recordCodec, storedAs, text } from './tables/record-codec.js'
import type { ReadTables, Tables } from './tables/tables.js'

export const RATES_KEY = Buffer.from('rates')

interface RateRow {
  readonly table: RateTable
}

export const ratesCodec: RecordCodec<RateRow> = recordCodec<RateRow>('meta/rates', 1, {
  table: storedAs(text, rateTableText, readTable),
})

function readTable(stored: string): RateTable {
  const table = rateTableOf(stored)
  if (table === null) throw new CorruptRecord(RATES_DAMAGED)
  return table
}

/** The rates, in one row. */
export class LmdbRates implements RatePort {
  /** As they are stored, until they change: no other process writes, and a table may be long. */
  private known: RateTable | null = null

  constructor(private readonly commits: CommitLoop) {}

  current(): RateTable {
    this.known ??= readRates(this.commits.snapshot.tables) ?? NO_RATES
    return this.known
  }

  async take(given: GivenRates, terms: RateTerms): Promise<RateVerdict> {
    try {
      return await this.commits.run((commit) => answeredNow(takeRates(workOf(commit), given, terms)))
    } finally {
      this.known = null
    }
  }
}

/** All that is known of rates; undefined in a store that never had any. */
export function readRates({ meta }: Pick<ReadTables, 'meta'>): RateTable | undefined {
  const bytes = meta.get(RATES_KEY)
  return bytes === undefined ? undefined : ratesCodec.decode(bytes).table
}

export function putRates({ meta }: Pick<Tables, 'meta'>, table: RateTable): void {
  meta.putSync(RATES_KEY, ratesCodec.encode({ table }))
}

function workOf({ tables, nowMs }: Commit) {
  return {
    readClock: () => nowMs,
    table: () => readRates(tables) ?? NO_RATES,
    put: (table: RateTable) => putRates(tables, table),
  }
}
