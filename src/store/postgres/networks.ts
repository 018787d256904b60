import type { NetworkAbout, NetworkKind, Networks } from '../../domain/network.js'
import { withUsedNetworks } from '../rules/networks.js'
import type { Database } from './connection/database.js'
import { type Fragment, sql } from './connection/sql.js'

export interface NetworkColumns {
  readonly id: string
  readonly kind: NetworkKind
  readonly name: string
  readonly symbol: string
  readonly token_symbol: string
  readonly decimals: number
  readonly is_test: boolean
}

export function toNetwork({ token_symbol, is_test, ...columns }: NetworkColumns): NetworkAbout {
  const { id, kind, name, symbol, decimals } = columns
  return { id, kind, name, symbol, tokenSymbol: token_symbol, decimals, isTest: is_test }
}

/** Writes a network over what was known of it. */
export function putNetwork({ id, kind, name, symbol, tokenSymbol, decimals, isTest }: NetworkAbout): Fragment {
  return sql`
    INSERT INTO networks (id, kind, name, symbol, token_symbol, decimals, is_test)
    VALUES (${id}, ${kind}, ${name}, ${symbol}, ${tokenSymbol}, ${decimals}::bigint, ${isTest}::boolean)
    ON CONFLICT (id) DO UPDATE SET kind = EXCLUDED.kind, name = EXCLUDED.name, symbol = EXCLUDED.symbol,
      token_symbol = EXCLUDED.token_symbol, decimals = EXCLUDED.decimals, is_test = EXCLUDED.is_test`
}

/**
 * Remembers what the catalogue says of the networks, and adds those to them that are used and not there any more. Processes that
 * start at once wait for each other. Throws `OperatorError` when a network that is used has become another one.
 */
export async function rememberNetworks(database: Database, present: Networks): Promise<Networks> {
  return database.write(async (work) => {
    work.lock(sql`SELECT version FROM billhook FOR UPDATE`)
    const used = await work.rows<NetworkColumns>(sql`
      SELECT n.id, n.kind, n.name, n.symbol, n.token_symbol, n.decimals, n.is_test FROM networks AS n
      WHERE EXISTS (SELECT 1 FROM addresses AS a WHERE a.network = n.id) ORDER BY n.id`)
    const all = withUsedNetworks(present, used.map(toNetwork))
    for (const about of present.all) work.write(putNetwork(about))
    return all
  })
}
