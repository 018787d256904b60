import { type Fragment, sql } from '../connection/sql.js'

/*
 * Wallets of an invoice in one value of a statement. An array of arrays does not survive `unnest`, and an element for each wallet would
 * repeat what is the same for all of them: an order may name 500. No wallet id has a comma.
 */

export function walletsText(walletIds: readonly string[]): string {
  return walletIds.join(',')
}

/**
 * The wallets in such a text, a row for each, where a `SELECT` lists what it selects. As the function of a `FROM` it would be one more table,
 * and the planner then looks for places by their wallet alone.
 */
export function walletsIn(text: Fragment): Fragment {
  return sql`unnest(string_to_array(${text}, ','))`
}
