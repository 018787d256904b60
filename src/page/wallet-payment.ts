import { type Currency, NATIVE, parseFormattedAmount, rawTokenAmount } from '../domain/amount.js'
import { coinOn, decimalsOn, type PageNetwork, tokenOn } from './networks.js'

/** The function `transfer(address,uint256)` of ERC-20. */
const TRANSFER = 'a9059cbb'
const WORD_DIGITS = 64

/** A transfer that a browser wallet is asked for, with what its script checks and says. */
export type WalletPayment = EvmPayment | TronPayment

interface Asked {
  /** The contract of the token, whose balance must suffice; null for the coin of the network. */
  readonly token: string | null
  /** The amount in the smallest unit of the coin, and how many decimal places it has. */
  readonly raw: string
  readonly decimals: number
  /** The amount as the page shows it. */
  readonly amount: string
  readonly coin: string
  /** The coin in which the network takes its fee. */
  readonly feeCoin: string
  /** As wallets call it, which know no standards of tokens. */
  readonly network: string
}

/** The transaction as wallets take it (EIP-1193): whole numbers in hex. */
interface EvmPayment extends Asked {
  readonly kind: 'evm'
  readonly chainId: string
  readonly to: string
  readonly value: string
  readonly data: string
}

/** What a wallet of TRON builds the transaction of. */
interface TronPayment extends Asked {
  readonly kind: 'tron'
  /** The id of the first block, by which the network is known, and its end, by which wallets switch to it (TIP-3326). */
  readonly genesis: string
  readonly chainId: string
  readonly to: string
}

/** What pays `due` to an address; null where no browser wallet can, because too little is known of the network or its token. */
export function walletPayment(
  currency: Currency,
  network: PageNetwork,
  address: string,
  due: string,
): WalletPayment | null {
  const decimals = decimalsOn(currency, network)
  const raw = rawTokenAmount(parseFormattedAmount(due), decimals)
  const token = tokenOn(currency, network)?.contract ?? null
  if (raw === null || BigInt(raw) >> 256n !== 0n || (currency !== NATIVE && token === null)) return null
  const named = { coin: coinOn(currency, network), feeCoin: network.symbol, network: network.name }
  const asked: Asked = { token, raw, decimals, amount: due, ...named }
  return network.kind === 'evm' ? evmPayment(network, address, asked) : tronPayment(network, address, asked)
}

function evmPayment({ chainId }: PageNetwork, address: string, asked: Asked): EvmPayment | null {
  if (chainId === null) return null
  const { token, raw } = asked
  const transaction =
    token === null
      ? { to: address, value: hexOf(raw), data: '0x' }
      : { to: token, value: '0x0', data: `0x${TRANSFER}${word(address)}${word(hexOf(raw))}` }
  return { kind: 'evm', chainId: `0x${chainId.toString(16)}`, ...transaction, ...asked }
}

/** Hex digits of a genesis that are the chain's id (TIP-474). */
const CHAIN_ID_DIGITS = 8

function tronPayment({ genesis, walletNodes }: PageNetwork, address: string, asked: Asked): TronPayment | null {
  // TronLink takes sun as a number.
  if (genesis === null || walletNodes.length === 0) return null
  if (asked.token === null && !Number.isSafeInteger(Number(asked.raw))) return null
  return { kind: 'tron', genesis, chainId: `0x${genesis.slice(-CHAIN_ID_DIGITS)}`, to: address, ...asked }
}

function hexOf(raw: string): string {
  return `0x${BigInt(raw).toString(16)}`
}

/** An address or a number in hex as an argument of a function. */
function word(hex: string): string {
  return hex.slice(2).toLowerCase().padStart(WORD_DIGITS, '0')
}
