/*
 * Names of what the facts of a batch are about. No wallet id has a comma.
 */

/** Names a wallet of an owner. */
export function placeName(walletId: string, owner: string): string {
  return `${walletId},${owner}`
}

export function accountName(walletId: string, currency: string): string {
  return `${walletId},${currency}`
}

export function walletName(walletId: string, owner: string, currency: string): string {
  return `${walletId},${currency},${owner}`
}

/** `atoms`: what is asked there. */
export function amountName(walletId: string, owner: string, currency: string, atoms: bigint): string {
  return `${walletId},${currency},${atoms},${owner}`
}
