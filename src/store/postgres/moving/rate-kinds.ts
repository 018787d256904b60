import { rateTableText } from '../../rate-text.js'
import { sql } from '../connection/sql.js'
import { readRates } from '../rates.js'
import { insertInto, type PostgresMovedKind } from './moved-kind.js'

export const rates: PostgresMovedKind<'rates', { readonly content: string }> = {
  select: (behind) => sql`SELECT content FROM rates WHERE ${behind === null}`,
  toRecord: ({ content }) => ({ record: readRates(content), place: [] }),
  write: (work, records) =>
    work.write(
      insertInto('rates', [{ name: 'content', type: 'text', of: rateTableText }], records, {
        singleton: 'true',
        revision: '1',
      }),
    ),
}
