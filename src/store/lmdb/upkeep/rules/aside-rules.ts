import { blockAsideCodec, depositAsideCodec } from '../../chain/aside-rows.js'
import { blockCodec } from '../../chain/block-rows.js'
import { depositKey } from '../../deposits/deposit-rows.js'
import { networkKey, networkOfKey, WIDE_BYTES } from '../../tables/keys.js'
import type { MakeRule } from './rule.js'

/** A block that was set aside counts as confirmed. One that the network waits for does not. */
export const blocksAside: MakeRule = (reading) => ({
  row(key, value) {
    const of = networkOfKey(key)
    if (of === null || of.rest.length !== WIDE_BYTES) return reading.wrong('its key is malformed')
    const { hash } = blockAsideCodec.decode(value)
    const height = of.rest.readUIntBE(0, WIDE_BYTES)
    const confirmed = reading.get('chains', networkKey(of.network))?.readIntBE(0, WIDE_BYTES) ?? -1
    if (hash === null) return reading.expect(height > confirmed, 'it is waited for, and confirmed')
    reading.expect(height <= confirmed, 'it is set aside, and not confirmed')
    const kept = reading.get('blocks', key)
    const isSame = kept === undefined || blockCodec.decode(kept).hash === hash
    reading.expect(isSame, 'blocks has another one at its height')
  },
})

/** Rows stand for themselves: deposits whose recording failed. */
export const depositsAside: MakeRule = (reading) => ({
  row(key, value) {
    const { sighting } = depositAsideCodec.decode(value)
    reading.expect(key.equals(depositKey(sighting)), 'its key is that of another deposit')
  },
})
