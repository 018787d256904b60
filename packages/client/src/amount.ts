import type { Currency, NetworkId, ServiceInfo } from './api-types.js'
import { BillhookError } from './error.js'

/** What a webhook, an event or a deposit says of an amount, as it was observed. */
export interface ObservedAmount {
  readonly network: NetworkId
  /** Whole units of a token, decimal coins otherwise. */
  readonly amount: string | null
  /** `Tether` for USDT, else the symbol of the token; `#native` or null for the coin. */
  readonly currency: string | null
}

/** An amount as people write it. */
export interface ReadableAmount {
  /** A decimal: `25`. */
  readonly value: string
  /** As invoices name it. */
  readonly currency: Currency
  /** The token, or the coin of the network: `USDT`, `ETH`. */
  readonly symbol: string
  /** Both: `25 USDT`. */
  readonly text: string
}

const USDT = 'USDT'
/** The label of deposits in USDT (specification, Deposit record). Those in other tokens have the symbol. */
const USDT_LABEL = 'Tether'
const NATIVE_LABELS: readonly (string | null)[] = ['#native', '', null]
const UNITS = /^[0-9]+$/
const DECIMAL = /^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)$/

/**
 * The amount of a webhook, an event or a deposit as people write it: `25 USDT` of `25000000` and `Tether`. `info` is what `getInfo`
 * answers: a token has other decimals on other networks. Throws `BillhookError` with `amount_unknown` if it lists no such network, or if
 * the currency is none that invoices are paid in.
 *
 * @example
 * ```js
 * import { amountOf } from '@billhook/client'
 *
 * const info = await billhook.getInfo()
 * const { text } = amountOf({ network: 'TRX-NILE', amount: '25000000', currency: 'Tether' }, info)
 * console.log(text) // 25 USDT
 * ```
 */
export function amountOf(
  { network, amount, currency }: ObservedAmount,
  { networks }: Pick<ServiceInfo, 'networks'>,
): ReadableAmount {
  const found = networks.find(({ id }) => id === network)
  const unknown = (why: string) => {
    return new BillhookError(
      `The amount ${amount} of ${currency} on ${network} cannot be read: ${why}.`,
      'amount_unknown',
    )
  }
  if (found === undefined) throw unknown('the service does not list the network')
  if (!NATIVE_LABELS.includes(currency)) {
    const token = tokenOf(found, currency)
    if (token === undefined) throw unknown('no invoice is paid in it')
    if (amount === null || !UNITS.test(amount)) throw unknown('it is not in whole units')
    return readable(placed(amount, token.decimals), token.symbol, token.symbol)
  }
  if (amount === null || !DECIMAL.test(amount)) throw unknown('it is no decimal')
  return readable(trimmed(amount), 'native', found.symbol)
}

/** A network as services describe it; those of before there were several tokens tell of USDT only. */
type Told = Omit<ServiceInfo['networks'][number], 'tokens'> & Partial<Pick<ServiceInfo['networks'][number], 'tokens'>>

/** The token that a label of deposits is of, as a network lists it. */
function tokenOf({ tokens, decimals }: Told, label: string | null) {
  const symbol = label === USDT_LABEL ? USDT : label === USDT ? null : label
  return (tokens ?? [{ symbol: USDT, decimals }]).find((token) => token.symbol === symbol)
}

/** Whether a deposit's amount can be read from what is known of its network. */
export function isKnownIn(
  { networks }: Pick<ServiceInfo, 'networks'>,
  network: NetworkId,
  label: string | null,
): boolean {
  const found = networks.find(({ id }) => id === network)
  return found !== undefined && (NATIVE_LABELS.includes(label) || tokenOf(found, label) !== undefined)
}

function readable(value: string, currency: ReadableAmount['currency'], symbol: string): ReadableAmount {
  return { value, currency, symbol, text: `${value} ${symbol}` }
}

/** Whole units with the decimal point in its place. */
function placed(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return trimmed(`${digits.slice(0, point)}.${digits.slice(point)}`)
}

/** A decimal without zeros that say nothing. */
function trimmed(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.')
  const [before, behind] = [whole.replace(/^0+(?=.)/, '') || '0', fraction.replace(/0+$/, '')]
  return behind === '' ? before : `${before}.${behind}`
}
