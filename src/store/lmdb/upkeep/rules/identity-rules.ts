import { isWellFormed } from '../../../../domain/key-history.js'
import { canonicalAddress } from '../../../../domain/network.js'
import { WITHDRAWN_UNTIL } from '../../../../domain/withdrawal.js'
import { identityCodec } from '../../identities/identities.js'
import { identityKeysCodec } from '../../identities/identity-keys.js'
import { networkOfKey, numberKey, under, WIDE_BYTES } from '../../tables/keys.js'
import { type WalletRow, walletCodec } from '../../wallets/wallet-row.js'
import { addressCodec, addressKey, freeKey } from '../../wallets/wallets.js'
import { withdrawalCodec } from '../../wallets/withdrawals.js'
import type { Reading } from '../reading.js'
import type { MakeRule } from './rule.js'

const KEY = /^0[23][0-9a-f]{64}$/
/** A transaction of the ledger, by its id. */
const TRANSACTION = /^[0-9a-f]{64}$/
/** The greatest length of an owner in UTF-8. */
const OWNER_BYTES_MAX = 512

export const identities: MakeRule = (reading) => ({
  row(key, value) {
    const owner = key.toString()
    reading.expect(
      Buffer.from(owner).equals(key) && key.length <= OWNER_BYTES_MAX,
      'its key is not the name of an owner',
    )
    reading.use('owner', identityCodec.decode(value).no)
  },
})

export const wallets: MakeRule = (reading) => ({
  row(key, value) {
    const row = walletCodec.decode(value)
    reading.expect(Buffer.from(row.id).equals(key), 'its key is not its id')
    reading.use('wallet', row.no)
    checkOwner(reading, row)
    checkAddress(reading, row)
    const { id, network, ownerNo, assignmentNo, leasedUntil, no } = row
    if (ownerNo !== null && assignmentNo !== null) {
      reading.owe('ownerWallets', under(ownerNo, numberKey(assignmentNo)), Buffer.from(id))
    } else if (network !== null) {
      reading.owe('freeWallets', freeKey(network, leasedUntil, no), Buffer.from(id))
    }
    if (row.owner === null && leasedUntil === WITHDRAWN_UNTIL) {
      if (!reading.has('withdrawnWallets', key))
        reading.wrongIn('withdrawnWallets', `nothing says why ${id} is withdrawn`)
    }
  },
})

function checkOwner(reading: Reading, { owner, ownerNo, assignmentNo, assignedAt }: WalletRow): void {
  if (assignmentNo !== null) reading.use('assignment', assignmentNo)
  if (owner === null) {
    reading.expect(ownerNo === null && assignmentNo === null, 'it has the number of an owner and no owner')
    return
  }
  const identity = reading.identity(owner)
  reading.expect(identity?.no === ownerNo, `identities has no owner ${JSON.stringify(owner)} of number ${ownerNo}`)
  reading.expect(identity?.isKnown !== false, 'identities does not say that the ledger has its owner')
  reading.expect(assignmentNo !== null && assignedAt !== null, 'it was assigned at no time')
}

function checkAddress(reading: Reading, { id, network, address, addressNo }: WalletRow): void {
  if (network === null || address === null || addressNo === null) {
    reading.expect(network === null && address === null && addressNo === null, 'it has part of an address')
    return
  }
  reading.owe('addresses', addressKey(network, address), belonging(addressNo, id))
}

export const addresses: MakeRule = (reading) => ({
  row(key, value) {
    const { no, walletId } = addressCodec.decode(value)
    reading.use('address', no)
    const of = networkOfKey(key)
    if (of !== null) reading.used.add(of.network)
    const rest = of?.rest
    const address = rest?.toString() ?? ''
    const isWhole = rest !== undefined && Buffer.from(address).equals(rest)
    reading.expect(isWhole && canonicalAddress(address) === address, 'its key is not an address')
    if (walletId !== null) reading.find(key, belonging(no, walletId))
  },
})

/** What an address says of its wallet. */
function belonging(addressNo: number, walletId: string): Buffer {
  return under(addressNo, Buffer.from(walletId))
}

/** Rows stand for themselves: the keys of an identity, and what is known of the earlier ones. */
export const identityKeys: MakeRule = (reading) => ({
  row(key, value) {
    const { pushed, history } = identityKeysCodec.decode(value)
    reading.expect(pushed !== null || history !== null, 'it has no keys')
    const keys = [...(pushed ?? []), ...(history?.spans ?? []).flatMap(({ possible }) => possible)]
    reading.expect(
      keys.every((one) => KEY.test(one)),
      'it has a key that is none',
    )
    reading.expect(
      history === null || (isWellFormed(history) && TRANSACTION.test(history.head)),
      'its history is not in order',
    )
    if (pushed !== null)
      reading.expect(reading.identity(key.toString())?.isKnown === true, 'identities does not know it')
  },
})

/** Rows stand for themselves: the ledger's date of the assignment of a wallet. */
export const ledgerDates: MakeRule = (reading) => ({
  row(key, value) {
    reading.expect(value.length === WIDE_BYTES, 'it is not a time')
    const wallet = reading.wallet(key.toString())
    reading.expect(wallet !== undefined && wallet.owner !== null, 'wallets has no assigned wallet of this id')
  },
})

/** A wallet keeps its row when it is put back, or is assigned after all. */
export const withdrawnWallets: MakeRule = (reading) => ({
  row(key, value) {
    withdrawalCodec.decode(value)
    reading.expect(reading.wallet(key.toString()) !== undefined, 'wallets has no wallet of this id')
  },
})
