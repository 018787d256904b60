import type { ChainHead } from '../../src/networks/network-reader.js'

/** A head without the time of its block. */
export function heightsOf({ latest, confirmed }: ChainHead): Pick<ChainHead, 'latest' | 'confirmed'> {
  return { latest, confirmed }
}
