import { type Outcome, refuseField, succeed } from '../domain/failure.js'
import { ID } from '../domain/id.js'

/** Largest `limit` that a client may ask for (decisions 4). */
const PAGE_LIMIT_MAX = 1000

const LIMIT = /^[1-9][0-9]{0,3}$/

export const LIST_PARAMETERS = ['limit', 'cursor'] as const

export interface ListQuery {
  /** Null: the whole list. */
  readonly limit: number | null
  /** Null: from the newest. */
  readonly cursor: string | null
}

/** The whole list, from the newest. */
export const EVERYTHING: ListQuery = { limit: null, cursor: null }

/** Reads `limit`, null if it is absent; refuses with `invalid_query`. */
export function readLimit(parameters: URLSearchParams): Outcome<number | null> {
  const limit = parameters.get('limit')
  if (limit !== null && (!LIMIT.test(limit) || Number(limit) > PAGE_LIMIT_MAX)) return refuseParameter('limit')
  return succeed(limit === null ? null : Number(limit))
}

/** Reads `limit` and `cursor`; refuses with `invalid_query`. */
export function readListQuery(parameters: URLSearchParams): Outcome<ListQuery> {
  const limit = readLimit(parameters)
  if (!limit.ok) return limit
  // Cursors are ids of records; clients take them from the Link header.
  const cursor = parameters.get('cursor')
  if (cursor !== null && !ID.test(cursor)) return refuseParameter('cursor')
  return succeed({ limit: limit.value, cursor })
}

export function refuseParameter(parameter: string) {
  return refuseField('invalid_query', parameter, { parameter })
}
