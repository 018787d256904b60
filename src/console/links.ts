import type { Network } from '../domain/network.js'
import { CONSOLE_PATH } from './layout.js'

/** The lists that can be narrowed to an owner. */
export const OWNER_LISTS = ['orders', 'invoices', 'deposits', 'deliveries', 'wallets', 'keys'] as const
export type OwnerList = (typeof OWNER_LISTS)[number]

/** Where the pages of records are. */
export const links = {
  signIn: `${CONSOLE_PATH}/sign-in`,
  signOut: `${CONSOLE_PATH}/sign-out`,
  orders: `${CONSOLE_PATH}/orders`,
  invoices: `${CONSOLE_PATH}/invoices`,
  deposits: `${CONSOLE_PATH}/deposits`,
  deliveries: `${CONSOLE_PATH}/deliveries`,
  wallets: `${CONSOLE_PATH}/wallets`,
  keys: `${CONSOLE_PATH}/keys`,
  search: `${CONSOLE_PATH}/search`,
  /** A report as a file. */
  report: `${CONSOLE_PATH}/csv/reports`,
  ofAmount: (list: 'invoices' | 'deposits', amount: string) => `${CONSOLE_PATH}/${list}?amount=${encode(amount)}`,
  order: (id: string) => `${CONSOLE_PATH}/orders/${encode(id)}`,
  invoice: (id: string) => `${CONSOLE_PATH}/invoices/${encode(id)}`,
  note: (id: string) => `${CONSOLE_PATH}/notes/${encode(id)}`,
  delivery: (id: string) => `${CONSOLE_PATH}/deliveries/${encode(id)}`,
  ofOwner: (list: OwnerList, owner: string) => `${CONSOLE_PATH}/${list}?owner=${encode(owner)}`,
  inState: (list: OwnerList, state: string) => `${CONSOLE_PATH}/${list}?state=${encode(state)}`,
  /** By its id or by its address. */
  wallet: (name: string) => `${CONSOLE_PATH}/wallets?id=${encode(name)}`,
  key: (publicKey: string) => `${CONSOLE_PATH}/keys?key=${encode(publicKey)}`,
  depositsTo: (network: Network, address: string) =>
    `${CONSOLE_PATH}/deposits?network=${network}&address=${encode(address)}`,
  transaction: (network: Network, txHash: string) =>
    `${CONSOLE_PATH}/deposits?network=${network}&transaction=${encode(txHash)}`,
} as const

/** Text from others may hold half of a surrogate pair, which cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
