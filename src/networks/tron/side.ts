/** A node's interface for solidified blocks, and its full one. */
export type Side = '/walletsolidity' | '/wallet'
