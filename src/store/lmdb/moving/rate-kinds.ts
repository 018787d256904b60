import { putRates, readRates } from '../rates.js'
import { type LmdbMovedKind, only } from './moved-kind.js'

export const rates: LmdbMovedKind<'rates'> = {
  page: ({ tables }, behind) => only(behind, readRates(tables)),
  write: ({ tables }, table) => putRates(tables, table),
}
