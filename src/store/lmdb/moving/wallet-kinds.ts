import { canonicalAddress } from '../../../domain/network.js'
import { OperatorError } from '../../../operator-error.js'
import { answeredNow } from '../../rules/asking.js'
import { importKey } from '../../rules/keys.js'
import { identityCodec, internOwner, markKnown } from '../identities/identities.js'
import { paidOn, putGreatest } from '../invoices/paid-invoices.js'
import { isUnsettledAloud, noteUnsettled } from '../invoices/unsettled-wallets.js'
import { apiKeyCodec } from '../keys/api-key-row.js'
import { keyWorkOn } from '../keys/api-keys.js'
import {
  endOf,
  NUMBER_BYTES,
  type Numbers,
  networkOfKey,
  numberKey,
  timeKey,
  type WalletNo,
  WIDE_BYTES,
} from '../tables/keys.js'
import { walletCodec } from '../wallets/wallet-row.js'
import { addressCodec, addressKey, findAddress, internAddress, saveWallet } from '../wallets/wallets.js'
import { putWithdrawal, withdrawalOf } from '../wallets/withdrawals.js'
import { type LmdbMovedKind, pageOfTable } from './moved-kind.js'
import { pageOfOwners } from './owner-lists.js'

export const identities: LmdbMovedKind<'identities'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.identities, behind, limit, (key, value) => {
      return { owner: key.toString(), isKnown: identityCodec.decode(value).isKnown }
    }),
  write(commit, { owner, isKnown }) {
    if (isKnown) markKnown(commit, owner)
    else internOwner(commit, owner)
  },
}

export const addresses: LmdbMovedKind<'addresses'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.addresses, behind, limit, (key, value) => {
      const of = networkOfKey(key)
      if (of === null) throw new OperatorError('an address of the source is on no network: check it first')
      const { network, rest } = of
      return { network, address: rest.toString(), walletId: addressCodec.decode(value).walletId }
    }),
  write(commit, { network, address, walletId }) {
    const row = internAddress(commit, network, address)
    commit.tables.addresses.putSync(addressKey(network, address), addressCodec.encode({ ...row, walletId }))
  },
}

export const wallets: LmdbMovedKind<'wallets'> = {
  page: (at, behind, limit) =>
    pageOfTable(at.tables.wallets, behind, limit, (key, value) => {
      const { no, addressNo: _, ownerNo: __, ...row } = walletCodec.decode(value)
      return {
        ...row,
        place: no,
        ledgerAt: at.tables.ledgerDates.get(key)?.readUIntBE(0, WIDE_BYTES) ?? null,
        withdrawal: withdrawalOf(at, row.id),
        paid: paidOn(at, no),
        isUnsettledAloud: isUnsettledAloud(at, no),
      }
    }),
  write(commit, record) {
    const { place, ledgerAt, withdrawal, paid, isUnsettledAloud: isAloud, ...wallet } = record
    const { id, network, address, owner } = wallet
    const no = place as WalletNo
    const addressNo =
      network === null || address === null ? null : findAddress(commit, network, canonicalAddress(address))?.no
    const ownerNo = owner === null ? null : internOwner(commit, owner)
    const assignmentNo = record.assignmentNo as Numbers['assignment'] | null
    if (addressNo === undefined) throw new Error('a wallet is moved before its address')
    saveWallet(commit, { ...wallet, no, addressNo, ownerNo, assignmentNo }, undefined)
    commit.usedNo('wallet', place)
    commit.usedNo('assignment', assignmentNo ?? 0)
    if (ledgerAt !== null) commit.tables.ledgerDates.putSync(Buffer.from(id), timeKey(ledgerAt))
    if (withdrawal !== null) putWithdrawal(commit, id, withdrawal)
    for (const { currency, atoms } of paid) putGreatest(commit, no, commit.currencies.noOf(currency), BigInt(atoms))
    if (isAloud !== null) noteUnsettled(commit, no, isAloud)
  },
}

export const keys: LmdbMovedKind<'keys'> = {
  page: (at, behind, limit) =>
    pageOfOwners(at, behind, limit, (_, ownerNo, after, most) => {
      const { apiKeys, ownerApiKeys } = at.tables
      const prefix = numberKey(ownerNo)
      const start = after === null ? prefix : Buffer.concat([prefix, Buffer.from(after, 'hex'), Buffer.of(0)])
      return [...ownerApiKeys.getRange({ start, end: endOf(prefix, 2 * NUMBER_BYTES + 1), limit: most })].map((row) => {
        const publicKey = Buffer.from(row.value)
        const stored = apiKeys.get(publicKey)
        if (stored === undefined)
          throw new OperatorError('the list of API keys names one that is not there: check the source first')
        const record = { publicKey: publicKey.toString('hex'), key: apiKeyCodec.decode(stored) }
        return { record, place: row.key.toString('hex', NUMBER_BYTES, 2 * NUMBER_BYTES) }
      })
    }),
  write(commit, { publicKey, key }) {
    const { status } = answeredNow(importKey(keyWorkOn(commit), Buffer.from(publicKey, 'hex'), key))
    if (status !== 'added') throw new OperatorError(`the API key ${key.id} is there twice`)
  },
}
