import { PUBLIC_KEY_BYTES } from '../../../../domain/api-key.js'
import { activeKeyOf } from '../../keys/active-keys.js'
import { apiKeyCodec } from '../../keys/api-key-row.js'
import { ID_BYTES, NUMBER_BYTES, numberKey, WIDE_BYTES } from '../../tables/keys.js'
import type { MakeRule } from './rule.js'

const HASH_BYTES = 32
const KEY_ID = /^[0-9a-f]{16}$/

export const apiKeys: MakeRule = (reading) => ({
  row(publicKey, value) {
    const key = apiKeyCodec.decode(value)
    const digits = key.public_key.slice(-2 * PUBLIC_KEY_BYTES).toLowerCase()
    reading.expect(
      publicKey.length === PUBLIC_KEY_BYTES && digits === publicKey.toString('hex'),
      'its key is not its public key',
    )
    reading.expect(KEY_ID.test(key.id), 'its id is malformed')
    reading.owe('apiKeyIds', Buffer.from(key.id, 'hex'), publicKey)
    const ownerNo = reading.identity(key.owner)?.no
    if (ownerNo === undefined) return reading.wrong('identities does not have its owner')
    reading.owe('ownerApiKeys', numberKey(ownerNo), publicKey)
    if (key.revoked_at !== null) return
    const isActive = key.expires_at === null || key.expires_at >= reading.nowMs
    if (isActive) reading.owe('activeApiKeys', activeKeyOf(ownerNo, key))
    else reading.oweIfThere('activeApiKeys', activeKeyOf(ownerNo, key))
  },
})

/** The number of a key is nowhere else, so it only has to be one of its own. */
export const ownerApiKeys: MakeRule = (reading) => ({
  row(key, publicKey) {
    reading.expect(key.length === 2 * NUMBER_BYTES, 'its key is malformed')
    reading.use('apiKey', key.readUInt32BE(NUMBER_BYTES))
    reading.find(key.subarray(0, NUMBER_BYTES), publicKey)
  },
})

export const idempotencyKeys: MakeRule = (reading) => ({
  row(scope, value) {
    reading.expect(scope.length === HASH_BYTES, 'its key is malformed')
    reading.expect(value.length === WIDE_BYTES + HASH_BYTES + ID_BYTES, 'it is malformed')
    reading.expect(reading.has('invoices', value.subarray(-ID_BYTES)), 'invoices does not have its invoice')
    reading.owe('idempotencyExpiries', Buffer.concat([value.subarray(0, WIDE_BYTES), scope]))
  },
})

/** Rows stand for themselves: a request and the time at which it is forgotten. */
export const signedCreations: MakeRule = (reading) => ({
  row(key, value) {
    reading.expect(key.length === WIDE_BYTES + HASH_BYTES && value.length === 0, 'it is malformed')
  },
})
