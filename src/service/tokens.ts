import type { Settings } from '../config.js'
import type { Network, TokenDecimals } from '../domain/network.js'

/** The decimals of the token on each network. */
export function tokenDecimalsOf(settings: Settings): TokenDecimals {
  return { SEP: settings.sepTokenDecimals, 'TRX-NILE': settings.trxNileTokenDecimals }
}

/** The contract of the token on each network; undefined if it is not configured. */
export function tokenContractsOf(settings: Settings): Readonly<Record<Network, string | undefined>> {
  return { SEP: settings.sepToken, 'TRX-NILE': settings.trxNileToken }
}
