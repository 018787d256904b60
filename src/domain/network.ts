import { type Currency, isTokenSymbol, NATIVE, USDT } from './amount.js'

/** What a network is called, such as `SEP`: its id in the catalogue (`src/networks/catalogue`), of the form `isNetworkId`. */
export type Network = string

/** How addresses and transactions look: as on Ethereum or as on TRON. */
export const NETWORK_KINDS = ['evm', 'tron'] as const
export type NetworkKind = (typeof NETWORK_KINDS)[number]

/** The decimal places of the coins of each kind of network: wei on Ethereum, sun on TRON. */
export const COIN_DECIMALS: Readonly<Record<NetworkKind, number>> = { evm: 18, tron: 6 }

export const NETWORK_ID = /^[A-Z0-9-]{2,16}$/

export function isNetworkId(value: unknown): value is Network {
  return typeof value === 'string' && NETWORK_ID.test(value)
}

/** A token, as records of a network need it. */
export interface Token {
  /** What invoices in it name: its symbol, but for the one token of a network whose entry names no others, which is `USDT` (decisions 11). */
  readonly currency: Currency
  /** For people. */
  readonly symbol: string
  /** Its decimal places, 0 to 18. */
  readonly decimals: number
}

const TOKEN_DECIMALS_MAX = 18

/** Whether what was read from a store is a token. */
export function isToken(value: unknown): value is Token {
  if (typeof value !== 'object' || value === null) return false
  const { currency, symbol, decimals } = value as Partial<Record<keyof Token, unknown>>
  const isName = typeof currency === 'string' && isTokenSymbol(currency) && typeof symbol === 'string'
  return isName && Number.isInteger(decimals) && Number(decimals) >= 0 && Number(decimals) <= TOKEN_DECIMALS_MAX
}

/** Maximum number of tokens of a network (decisions 15). */
export const TOKENS_MAX = 8

/** What must be known of a network to read what was recorded on it. */
export interface NetworkAbout {
  readonly id: Network
  readonly kind: NetworkKind
  /** For people. */
  readonly name: string
  /** The symbol of its own coin, such as ETH. */
  readonly symbol: string
  /** No two of one currency. */
  readonly tokens: readonly Token[]
  /** Whether its coins are worthless. */
  readonly isTest: boolean
}

/** A token of the catalogue, or one of which only the records of a store are left. */
export interface KnownToken extends Token {
  /** Whether its network is in the catalogue without it: its records are read, and no invoice is made out in it. */
  readonly isRetired: boolean
}

/** A network of the catalogue, or one of which only the records of a store are left. */
export interface KnownNetwork extends NetworkAbout {
  readonly tokens: readonly KnownToken[]
  /** Whether it is in the catalogue no longer: its records are read, and nothing is added to them. */
  readonly isRetired: boolean
}

/** Decimal places by network and currency, of its coin and of all of its tokens (decisions 5). */
export type Decimals = Readonly<Record<Network, Readonly<Record<Currency, number>>>>

/** The networks of a service, in the order of the catalogue, the retired ones behind the others. */
export class Networks {
  /** The networks that are in the catalogue. */
  readonly present: readonly Network[]
  /** The retired ones too. */
  readonly ids: readonly Network[]
  /** What an invoice may be in on some network: `native` and `USDT` first (specification), then the other tokens of the catalogue. */
  readonly currencies: readonly Currency[]
  /** The same with those of retired networks and tokens: what records may be in. */
  readonly knownCurrencies: readonly Currency[]
  readonly decimals: Decimals
  private readonly byId: ReadonlyMap<Network, KnownNetwork>

  constructor(readonly all: readonly KnownNetwork[]) {
    const present = all.filter(({ isRetired }) => !isRetired)
    this.present = present.map(({ id }) => id)
    this.ids = all.map(({ id }) => id)
    this.currencies = currenciesOf(present.flatMap(({ tokens }) => tokens.filter(({ isRetired }) => !isRetired)))
    this.knownCurrencies = currenciesOf(all.flatMap(({ tokens }) => tokens))
    this.decimals = inert(all.map((about) => [about.id, decimalsOf(about)]))
    this.byId = new Map(all.map((one) => [one.id, one]))
  }

  find(id: Network): KnownNetwork | undefined {
    return this.byId.get(id)
  }

  isKnown(value: unknown): value is Network {
    return typeof value === 'string' && this.byId.has(value)
  }

  /** Whether it is in the catalogue. */
  isPresent(value: unknown): value is Network {
    return typeof value === 'string' && this.byId.get(value)?.isRetired === false
  }

  /** Whether an invoice in a currency can be paid on a network. Nothing says that a retired network has lost a token. */
  has(id: Network, currency: Currency): boolean {
    if (currency === NATIVE) return this.byId.has(id)
    return this.byId.get(id)?.tokens.some((token) => token.currency === currency && !token.isRetired) === true
  }

  /** What records on a network may be in. */
  currenciesOn(id: Network): readonly Currency[] {
    return Object.keys(this.decimals[id] ?? {})
  }

  /** The same, with networks and tokens of which the store has records and the catalogue has no entry. */
  withRetired(remembered: readonly NetworkAbout[]): Networks {
    const before = new Map(remembered.map((about) => [about.id, about.tokens]))
    const present = this.all.map((about): KnownNetwork => {
      const retired = (before.get(about.id) ?? []).filter((token) => !hasToken(about, token))
      return { ...about, tokens: [...about.tokens, ...retired.map((token) => ({ ...token, isRetired: true }))] }
    })
    const retired = remembered
      .filter(({ id }) => !this.byId.has(id))
      .map((about): KnownNetwork => {
        return { ...about, tokens: about.tokens.map((token) => ({ ...token, isRetired: false })), isRetired: true }
      })
    return new Networks([...present, ...retired])
  }
}

function hasToken({ tokens }: NetworkAbout, { currency }: Token): boolean {
  return tokens.some((token) => token.currency === currency)
}

function currenciesOf(tokens: readonly Token[]): readonly Currency[] {
  return [...new Set([NATIVE, USDT, ...tokens.map(({ currency }) => currency)])]
}

function decimalsOf({ kind, tokens }: NetworkAbout): Readonly<Record<Currency, number>> {
  return inert([
    [NATIVE, COIN_DECIMALS[kind]],
    ...tokens.map(({ currency, decimals }) => [currency, decimals] as const),
  ])
}

/** A record that has nothing but its entries: texts of others are looked up in it. */
function inert<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), Object.fromEntries(entries)) as Record<string, T>
}

/** What of a network must stay as it was once it is used: why the present entry does not fit its records, as text; null if it does. */
export function conflictOfNetworks(used: NetworkAbout, present: NetworkAbout): string | null {
  if (used.kind === present.kind) return null
  return `${present.id} has the kind ${present.kind}, and the data has deposits or wallets on it with ${used.kind}`
}

/** The tokens of a network that the catalogue has with other decimals than before, as they were. */
export function changedTokens(before: NetworkAbout, present: NetworkAbout): readonly Token[] {
  return before.tokens.filter(({ currency, decimals }) =>
    present.tokens.some((token) => token.currency === currency && token.decimals !== decimals),
  )
}

/** Why a token's present decimals do not fit its deposits, as text: sums follow from them. */
export function conflictOfToken(used: Token, present: NetworkAbout): string {
  const now = present.tokens.find(({ currency }) => currency === used.currency)?.decimals
  return `${present.id} has the token ${used.symbol} with ${now} decimals, and the data has deposits of it with ${used.decimals}`
}

/** Maximum length of an address on any network. */
export const ADDRESS_LENGTH_MAX = 128

/**
 * The form in which addresses are compared: EVM addresses, which begin with 0x as no other does, ignore case, TRON base58
 * is exact (decisions 5).
 */
export function canonicalAddress(address: string): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address
}
