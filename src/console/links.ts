import type { Network } from '../domain/network.js'
import { CONSOLE_PATH } from './layout.js'

/** Where the pages of records are. */
export const links = {
  signIn: `${CONSOLE_PATH}/sign-in`,
  signOut: `${CONSOLE_PATH}/sign-out`,
  invoices: `${CONSOLE_PATH}/invoices`,
  deposits: `${CONSOLE_PATH}/deposits`,
  deliveries: `${CONSOLE_PATH}/deliveries`,
  wallets: `${CONSOLE_PATH}/wallets`,
  keys: `${CONSOLE_PATH}/keys`,
  invoice: (id: string) => `${CONSOLE_PATH}/invoices/${encode(id)}`,
  delivery: (id: string) => `${CONSOLE_PATH}/deliveries/${encode(id)}`,
  ofOwner: (list: 'invoices' | 'deliveries' | 'wallets' | 'keys', owner: string) =>
    `${CONSOLE_PATH}/${list}?owner=${encode(owner)}`,
  wallet: (id: string) => `${CONSOLE_PATH}/wallets?id=${encode(id)}`,
  transaction: (network: Network, txHash: string) =>
    `${CONSOLE_PATH}/deposits?network=${network}&transaction=${encode(txHash)}`,
} as const

/** Text from others may hold half of a surrogate pair, which cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
