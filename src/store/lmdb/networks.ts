import { type Currency, USDT } from '../../domain/amount.js'
import { NETWORK_KINDS, type Network, type NetworkAbout, type Networks, type Token } from '../../domain/network.js'
import { answeredNow } from '../rules/asking.js'
import { withUsedNetworks } from '../rules/networks.js'
import { depositCodec } from './deposits/deposit-rows.js'
import { numberCurrency } from './tables/currencies.js'
import { behindNetwork, networkKey } from './tables/keys.js'
import { fieldsOf, flag, integer, listOf, oneOf, recordCodec, type Shape, text } from './tables/record-codec.js'
import { firstKey, type Tables } from './tables/tables.js'

const TOKEN: Shape<Token> = { currency: text, symbol: text, decimals: integer }

const BEGINNING: Shape<Omit<NetworkAbout, 'id' | 'isTest' | 'tokens'>> = {
  kind: oneOf(NETWORK_KINDS),
  name: text,
  symbol: text,
}

/** Version 1 knew one token, which invoices in USDT were paid in. */
const version1 = fieldsOf<
  Omit<NetworkAbout, 'id' | 'tokens'> & Omit<Token, 'currency' | 'symbol'> & { readonly tokenSymbol: string }
>({
  ...BEGINNING,
  tokenSymbol: text,
  decimals: integer,
  isTest: flag,
})

export const networkCodec = recordCodec<Omit<NetworkAbout, 'id'>>(
  'networks',
  2,
  { ...BEGINNING, tokens: listOf(fieldsOf(TOKEN)), isTest: flag },
  {
    1: (from) => {
      const { tokenSymbol: symbol, decimals, ...about } = version1.read(from)
      return { ...about, tokens: [{ currency: USDT, symbol, decimals }] }
    },
  },
)

/** Writes a network over what was known of it, and has its currencies numbered. */
export function putNetwork(
  { networks, currencies }: Pick<Tables, 'networks' | 'currencies'>,
  { id, ...about }: NetworkAbout,
): void {
  networks.putSync(Buffer.from(id), networkCodec.encode(about))
  for (const { currency } of about.tokens) numberCurrency(currencies, currency)
}

/**
 * Remembers what the catalogue says of the networks, and adds those to them that are used and not there any more. Throws
 * `OperatorError` when what is used has become another.
 */
export async function rememberNetworks(tables: Tables, present: Networks): Promise<Networks> {
  const remembered = [...tables.networks.getRange()].map(({ key, value }): NetworkAbout => {
    return { id: key.toString(), ...networkCodec.decode(value) }
  })
  const all = answeredNow(
    withUsedNetworks(present, {
      used: remembered.filter(({ id }) => isUsed(tables, id)),
      hasDeposits: (network, currency) => hasDeposits(tables, network, currency),
    }),
  )
  const known = new Map(remembered.map((about) => [about.id, networkCodec.encode(about)]))
  const changed = all.all.filter(
    ({ isRetired, ...about }) => !isRetired && known.get(about.id)?.equals(networkCodec.encode(about)) !== true,
  )
  if (changed.length > 0) {
    await tables.root.transaction(() => {
      for (const about of changed) putNetwork(tables, about)
    })
  }
  return all
}

/** Whether a wallet or a deposit is on it. */
function isUsed({ addresses }: Tables, id: string): boolean {
  return firstKey(addresses, networkKey(id), behindNetwork(id)) !== undefined
}

function hasDeposits({ deposits }: Tables, network: Network, currency: Currency): boolean {
  for (const { value } of deposits.getRange({ start: networkKey(network), end: behindNetwork(network) })) {
    if (depositCodec.decode(value).countedAs === currency) return true
  }
  return false
}
