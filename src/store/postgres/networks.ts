import { type Currency, USDT } from '../../domain/amount.js'
import {
  isToken,
  type Network,
  type NetworkAbout,
  type NetworkKind,
  type Networks,
  type Token,
} from '../../domain/network.js'
import { answeredLater } from '../rules/asking.js'
import { withUsedNetworks } from '../rules/networks.js'
import type { Database } from './connection/database.js'
import { type Fragment, sql } from './connection/sql.js'
import type { Work } from './connection/work.js'

export interface NetworkColumns {
  readonly id: string
  readonly kind: NetworkKind
  readonly name: string
  readonly symbol: string
  /** What programs of before there were several tokens read and write. */
  readonly token_symbol: string
  readonly decimals: number
  readonly is_test: boolean
  /** JSON; null where only such a program has written it. */
  readonly tokens: string | null
}

export const NETWORK_COLUMNS = sql`n.id, n.kind, n.name, n.symbol, n.token_symbol, n.decimals, n.is_test, n.tokens`

export function toNetwork(columns: NetworkColumns): NetworkAbout {
  const { id, kind, name, symbol, is_test: isTest } = columns
  const tokens = tokensOf(columns)
  if (tokens === null) throw new Error(`the tokens of ${id} cannot be read`)
  return { id, kind, name, symbol, tokens, isTest }
}

/** The tokens of a row; null if they are none. */
export function tokensOf({
  token_symbol: symbol,
  decimals,
  tokens,
}: Pick<NetworkColumns, 'token_symbol' | 'decimals' | 'tokens'>): readonly Token[] | null {
  const list: unknown = tokens === null ? [{ currency: USDT, symbol, decimals }] : parsed(tokens)
  return Array.isArray(list) && list.every(isToken) ? list : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Writes a network over what was known of it. */
export function putNetwork({ id, kind, name, symbol, tokens, isTest }: NetworkAbout): Fragment {
  const list = JSON.stringify(tokens.map(({ currency, symbol, decimals }): Token => ({ currency, symbol, decimals })))
  // Without a token it is one that nobody names.
  const { symbol: tokenSymbol, decimals } = tokens.find(({ currency }) => currency === USDT) ?? tokens[0] ?? NO_TOKEN
  return sql`
    INSERT INTO networks (id, kind, name, symbol, token_symbol, decimals, is_test, tokens)
    VALUES (${id}, ${kind}, ${name}, ${symbol}, ${tokenSymbol}, ${decimals}::bigint, ${isTest}::boolean, ${list})
    ON CONFLICT (id) DO UPDATE SET kind = EXCLUDED.kind, name = EXCLUDED.name, symbol = EXCLUDED.symbol,
      token_symbol = EXCLUDED.token_symbol, decimals = EXCLUDED.decimals, is_test = EXCLUDED.is_test, tokens = EXCLUDED.tokens`
}

const NO_TOKEN: Pick<Token, 'symbol' | 'decimals'> = { symbol: '', decimals: 0 }

/**
 * Remembers what the catalogue says of the networks, and adds those to them that are used and not there any more. Processes that
 * start at once wait for each other. Throws `OperatorError` when what is used has become another.
 */
export async function rememberNetworks(database: Database, present: Networks): Promise<Networks> {
  return database.write(async (work) => {
    work.lock(sql`SELECT version FROM billhook FOR UPDATE`)
    const used = await work.rows<NetworkColumns>(sql`
      SELECT ${NETWORK_COLUMNS} FROM networks AS n
      WHERE EXISTS (SELECT 1 FROM addresses AS a WHERE a.network = n.id) ORDER BY n.id`)
    const all = await answeredLater(
      withUsedNetworks(present, {
        used: used.map(toNetwork),
        hasDeposits: (network, currency) => hasDeposits(work, network, currency),
      }),
    )
    for (const about of all.all) if (!about.isRetired) work.write(putNetwork(about))
    return all
  })
}

async function hasDeposits(work: Work, network: Network, currency: Currency): Promise<boolean> {
  const row = await work.row(sql`
    SELECT d.network FROM deposits AS d WHERE d.network = ${network} AND d.counted_as = ${currency} LIMIT 1`)
  return row !== undefined
}
