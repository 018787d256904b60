import { type Outcome, refuseField, succeed } from '../domain/failure.js'

/** Records on one page at the most (decisions 4). */
const PAGE_LIMIT_MAX = 1000

const LIMIT = /^[1-9][0-9]{0,3}$/
/** Cursors are invoice ids; clients take them from the Link header. */
const CURSOR = /^[0-9a-f]{32}$/

/** The parameters that `readListQuery` reads. */
export const LIST_PARAMETERS = ['limit', 'cursor'] as const

export interface ListQuery {
  /** Null: the whole list. */
  readonly limit: number | null
  /** Null: from the newest. */
  readonly cursor: string | null
  readonly parameters: URLSearchParams
}

/** Reads `limit` and `cursor`; refuses with `invalid_query`. */
export function readListQuery(query: string): Outcome<ListQuery> {
  const parameters = new URLSearchParams(query)
  const limit = parameters.get('limit')
  if (limit !== null && (!LIMIT.test(limit) || Number(limit) > PAGE_LIMIT_MAX)) {
    return refuseParameter('limit')
  }
  const cursor = parameters.get('cursor')
  if (cursor !== null && !CURSOR.test(cursor)) return refuseParameter('cursor')
  return succeed({ limit: limit === null ? null : Number(limit), cursor, parameters })
}

/** Refuses a query parameter. */
export function refuseParameter(parameter: string) {
  return refuseField('invalid_query', parameter, { parameter })
}
