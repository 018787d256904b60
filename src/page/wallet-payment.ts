import { type Currency, parseFormattedAmount, rawTokenAmount } from '../domain/amount.js'
import { coinOn, decimalsOn, nameOn, type PageNetwork } from './networks.js'

/** The function `transfer(address,uint256)` of ERC-20. */
const TRANSFER = 'a9059cbb'
const WORD_DIGITS = 64

/** A transfer that a browser wallet is asked for, with what its script checks and says. Whole numbers are in hex, as wallets take them. */
export interface WalletPayment {
  readonly kind: 'evm'
  readonly chainId: string
  readonly to: string
  readonly value: string
  readonly data: string
  /** The contract whose balance must suffice; null for the coin of the network. */
  readonly token: string | null
  /** The amount in the smallest unit of the coin, and how many decimal places it has. */
  readonly raw: string
  readonly decimals: number
  /** The amount as the page shows it. */
  readonly amount: string
  readonly coin: string
  /** The coin in which the network takes its fee. */
  readonly feeCoin: string
  readonly network: string
}

/** What pays `due` to an address; null where no browser wallet can, because the network's chain or its token's contract is not known. */
export function walletPayment(
  currency: Currency,
  network: PageNetwork,
  address: string,
  due: string,
): WalletPayment | null {
  const { kind, chainId, token, symbol } = network
  const decimals = decimalsOn(currency, network)
  const raw = rawTokenAmount(parseFormattedAmount(due), decimals)
  if (kind !== 'evm' || chainId === null || raw === null || BigInt(raw) >> 256n !== 0n) return null
  const isToken = currency === 'USDT'
  if (isToken && token === null) return null
  return {
    kind,
    chainId: `0x${chainId.toString(16)}`,
    to: isToken && token !== null ? token : address,
    value: isToken ? '0x0' : hexOf(raw),
    data: isToken ? `0x${TRANSFER}${word(address)}${word(hexOf(raw))}` : '0x',
    token: isToken ? token : null,
    raw,
    decimals,
    amount: due,
    coin: coinOn(currency, network),
    feeCoin: symbol,
    network: nameOn(currency, network),
  }
}

function hexOf(raw: string): string {
  return `0x${BigInt(raw).toString(16)}`
}

/** An address or a number in hex as an argument of a function. */
function word(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(WORD_DIGITS, '0')
}
