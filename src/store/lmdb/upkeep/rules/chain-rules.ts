import { NETWORKS, type Network } from '../../../../domain/network.js'
import { type BlockRow, blockCodec } from '../../chain/block-rows.js'
import { depositKey } from '../../deposits/deposit-rows.js'
import { networkKey, WIDE_BYTES, wideKey } from '../../tables/keys.js'
import type { MakeRule } from './rule.js'

/** The kept blocks of a network. */
interface Kept {
  readonly oldest: number
  readonly tip: number
  readonly tipHash: string
}

export const blocks: MakeRule = (reading) => {
  const kept = new Map<Network, Kept>()
  return {
    row(key, value) {
      const network = NETWORKS[key[0] ?? NETWORKS.length]
      if (network === undefined || key.length !== 1 + WIDE_BYTES) return reading.wrong('its key is malformed')
      const height = key.readUIntBE(1, WIDE_BYTES)
      const block: BlockRow = { height, ...blockCodec.decode(value) }
      const before = kept.get(network)
      const isNext = before === undefined || (height === before.tip + 1 && block.parentHash === before.tipHash)
      reading.expect(isNext, 'it does not follow from the block before')
      kept.set(network, { oldest: before?.oldest ?? height, tip: height, tipHash: block.hash })
      for (const name of block.deposits) {
        const held = depositKey({ network, ...name })
        reading.owe('blockDeposits', held, wideKey(height))
        reading.expect(reading.has('deposits', held), `deposits does not have ${held.toString('hex')}, which it holds`)
      }
    },
    finish() {
      for (const network of NETWORKS) {
        const bytes = reading.get('chains', networkKey(network))
        const position = kept.get(network)
        if (position === undefined && bytes !== undefined) reading.wrongIn('chains', `${network} has no blocks`)
        if (position === undefined) continue
        if (bytes === undefined) reading.wrongIn('chains', `${network} has blocks and no confirmed height`)
        else if (bytes.length === WIDE_BYTES) {
          const confirmed = bytes.readIntBE(0, WIDE_BYTES)
          if (confirmed < position.oldest - 1 || confirmed > position.tip) {
            reading.wrongIn('chains', `the confirmed height of ${network} is not among its blocks: ${confirmed}`)
          }
        }
      }
    },
  }
}

export const chains: MakeRule = (reading) => ({
  row(key, value) {
    const isNetwork = key.length === 1 && NETWORKS[key[0] ?? NETWORKS.length] !== undefined
    reading.expect(isNetwork && value.length === WIDE_BYTES, 'it is malformed')
  },
})
