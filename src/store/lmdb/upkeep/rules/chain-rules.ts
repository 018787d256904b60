import { isTokenSymbol, NATIVE, USDT } from '../../../../domain/amount.js'
import { isNetworkId, type Network } from '../../../../domain/network.js'
import type { BlockRow } from '../../../rules/chain-work.js'
import { blockCodec } from '../../chain/block-rows.js'
import { watchCodec } from '../../chain/watch-rows.js'
import { depositKey } from '../../deposits/deposit-rows.js'
import { networkCodec } from '../../networks.js'
import { CURRENCIES_MAX } from '../../tables/currencies.js'
import { networkKey, networkOfKey, WIDE_BYTES, wideKey } from '../../tables/keys.js'
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
      const of = networkOfKey(key)
      if (of === null || of.rest.length !== WIDE_BYTES) return reading.wrong('its key is malformed')
      const { network, rest } = of
      const height = rest.readUIntBE(0, WIDE_BYTES)
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
      for (const network of reading.chains) {
        if (!kept.has(network)) reading.wrongIn('chains', `${network} has no blocks`)
      }
      for (const [network, position] of kept) {
        const bytes = reading.get('chains', networkKey(network))
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

/**
 * What the catalogue said of a network. Every network that is used has a row: without it nobody knows its decimals. Data that
 * was migrated, and not opened since, has none at all.
 */
export const networks: MakeRule = (reading) => {
  const known = new Set<Network>()
  return {
    row(key, value) {
      const { tokens } = networkCodec.decode(value)
      const id = key.toString()
      known.add(id)
      reading.expect(isNetworkId(id), 'its key is no id of a network')
      for (const { currency } of tokens) {
        reading.expect(
          reading.currencies.numberOf(currency) !== undefined,
          `currencies does not have its token ${currency}`,
        )
      }
    },
    finish() {
      for (const network of reading.used) {
        if (known.size > 0 && !known.has(network)) reading.wrongIn('networks', `${network} has addresses and no row`)
      }
    },
  }
}

/** Each currency has the next number. What readers of the numbers rely on is that none ever changes. */
export const currencies: MakeRule = (reading) => {
  const known = new Set<string>([NATIVE, USDT])
  return {
    row(key, value) {
      const currency = value.toString()
      const isNext = key.length === 1 && key[0] === known.size && known.size < CURRENCIES_MAX
      reading.expect(isNext, 'its number is not the next one')
      reading.expect(isTokenSymbol(currency) && !known.has(currency), 'it is no currency, or has a number already')
      known.add(currency)
    },
  }
}

export const chains: MakeRule = (reading) => ({
  row(key, value) {
    const of = networkOfKey(key)
    const isWhole = of?.rest.length === 0 && value.length === WIDE_BYTES
    if (isWhole) reading.chains.add(of.network)
    else reading.wrong('it is malformed')
  },
})

export const watches: MakeRule = (reading) => ({
  row(key, value) {
    watchCodec.decode(value)
    reading.expect(networkOfKey(key)?.rest.length === 0, 'its key is of no network')
  },
})
