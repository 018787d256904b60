import { isTokenSymbol, USDT } from '../../domain/amount.js'
import { canonicalAddress, type NetworkKind, TOKENS_MAX } from '../../domain/network.js'
import { isEthereumAddress } from '../ethereum/address.js'
import { accountOfAddress } from '../tron/address.js'
import type { EntryToken } from './entry.js'
import type { Fields } from './fields.js'

/** Sums are exact to 18 decimal places. */
const DECIMALS_MAX = 18
/** What the only token of a network may be called: that is for people, and payments in it are in USDT. */
const SHOWN_SYMBOL = /^[A-Za-z0-9.]{1,16}$/

const CONTRACT = {
  evm: {
    is: isEthereumAddress,
    what: '0x and 40 hex digits, with a correct checksum (EIP-55) when they are of mixed case',
  },
  tron: {
    is: (text: string) => accountOfAddress(text) !== null,
    what: 'a base58check address that begins with T, with a correct checksum',
  },
} as const

/** The tokens of an entry of the operator's file: those of its list, or the one that invoices in USDT are paid in. */
export function readTokens(entry: Fields, kind: NetworkKind | null): readonly EntryToken[] {
  if (!entry.has('tokens')) {
    const fields = entry.nested('token')
    return fields === null
      ? []
      : [
          {
            currency: USDT,
            ...readToken(fields, kind, (text) => SHOWN_SYMBOL.test(text), '1 to 16 letters and digits'),
          },
        ]
  }
  if (entry.has('token')) entry.wrong('token', 'cannot be combined with tokens: name each token in the list')
  const list = entry.value('tokens')
  if (!Array.isArray(list) || list.length === 0 || list.length > TOKENS_MAX) {
    entry.wrong('tokens', `must be a list of 1 to ${TOKENS_MAX} tokens`)
    return []
  }
  const tokens = list.flatMap((_, i) => {
    const fields = entry.item('tokens', i)
    if (fields === null) return []
    const token = readToken(fields, kind, isTokenSymbol, '2 to 12 capital letters and digits, and not NATIVE')
    return [{ currency: token.symbol, ...token }]
  })
  refuseRepeated(entry, tokens)
  return tokens
}

function readToken(fields: Fields, kind: NetworkKind | null, isSymbol: (text: string) => boolean, symbolWhat: string) {
  fields.only(['symbol', 'contract', 'decimals'])
  const { is, what } = CONTRACT[kind ?? 'evm']
  return {
    symbol: fields.text('symbol', isSymbol, symbolWhat),
    contract: fields.text('contract', kind === null ? () => true : is, what),
    decimals: fields.whole('decimals', 0, DECIMALS_MAX),
  }
}

/** One of two tokens of a symbol, or of a contract, would never be seen. */
function refuseRepeated(entry: Fields, tokens: readonly EntryToken[]): void {
  for (const [i, { symbol, contract }] of tokens.entries()) {
    const before = tokens.slice(0, i)
    if (symbol !== '' && before.some((one) => one.symbol === symbol)) {
      entry.wrong(`tokens[${i}].symbol`, `${JSON.stringify(symbol)} is that of another token of the network`)
    }
    if (contract !== '' && contract !== null && before.some((one) => isSameContract(one.contract, contract))) {
      entry.wrong(`tokens[${i}].contract`, 'is that of another token of the network')
    }
  }
}

function isSameContract(one: string | null, other: string): boolean {
  return one !== null && canonicalAddress(one) === canonicalAddress(other)
}

/** A token of a built-in network, in a setting: `USDC:0x…:6`. */
const TOLD = /^([A-Z0-9]+):([A-Za-z0-9]+):(\d{1,2})$/

/** The token that a text of a setting tells of; null if it tells of none. The form of the contract is that of its network. */
export function tokenOfText(text: string, isContract: (text: string) => boolean = () => true): EntryToken | null {
  const [, symbol = '', contract = '', places = ''] = TOLD.exec(text) ?? []
  const decimals = Number(places)
  if (!isTokenSymbol(symbol) || symbol === USDT || !isContract(contract) || decimals > DECIMALS_MAX) return null
  return { currency: symbol, symbol, contract, decimals }
}

/** Whether the texts of a setting tell of tokens beside that of the network, each another one. */
export function areTokens(texts: readonly string[], isContract: (text: string) => boolean): boolean {
  const tokens = texts.map((text) => tokenOfText(text, isContract)).filter((token) => token !== null)
  const contracts = tokens.map(({ contract }) => canonicalAddress(contract ?? ''))
  const isEachAnother =
    new Set(tokens.map(({ symbol }) => symbol)).size === texts.length && new Set(contracts).size === texts.length
  return texts.length < TOKENS_MAX && isEachAnother
}
