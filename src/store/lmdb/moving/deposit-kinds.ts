import { OperatorError } from '../../../operator-error.js'
import { blockCodec, holdDeposit, putBlock, putConfirmed } from '../chain/block-rows.js'
import { putWatch, watchCodec } from '../chain/watch-rows.js'
import type { Commit } from '../commit/commit.js'
import { type DepositRow, depositKey, depositOfNo, listDepositNo, putDeposit } from '../deposits/deposit-rows.js'
import { worthOfMatch } from '../deposits/match-worth.js'
import { changeMatches, listOfInvoice } from '../invoices/matches.js'
import { networkCodec, putNetwork } from '../networks.js'
import { accountOf, addToTotals } from '../payments/running-totals.js'
import { type DepositNo, type InvoiceId, networkOfKey, WIDE_BYTES } from '../tables/keys.js'
import { internAddress } from '../wallets/wallets.js'
import { type LmdbMovedKind, pageOfTable } from './moved-kind.js'

export const deposits: LmdbMovedKind<'deposits'> = {
  page: (at, behind, limit) =>
    pageOfTable(at.tables.depositNumbers, behind, limit, (key) => {
      const row = depositOfNo(at, key.readUIntBE(0, WIDE_BYTES) as DepositNo)
      const { deposit, countedAs, atoms, invoiceId, isLate, isPendingReached, isConfirmedReached } = row
      return {
        deposit,
        countedAs,
        atoms: String(atoms),
        invoiceId: invoiceId?.toString('hex') ?? null,
        isLate,
        isPendingReached,
        isConfirmedReached,
      }
    }),
  write(commit, { deposit, countedAs, invoiceId, isLate, isPendingReached, isConfirmedReached, ...record }) {
    const { network, toAddress, kind } = deposit
    const no = commit.nextNo('deposit')
    const { no: addressNo } = internAddress(commit, network, toAddress)
    const atoms = BigInt(record.atoms)
    const invoice = invoiceId === null ? null : (Buffer.from(invoiceId, 'hex') as InvoiceId)
    const row: DepositRow = {
      deposit,
      no,
      addressNo,
      countedAs,
      atoms,
      invoiceId: invoice,
      isLate,
      isPendingReached,
      isConfirmedReached,
    }
    putDeposit(commit, row, undefined)
    listDepositNo(commit, no, depositKey(deposit))
    if (kind !== 'dropped') enterMoved(commit, row)
  },
}

/** Enters a deposit into the sums of its account, and of its invoice, which has counted it already. */
function enterMoved(commit: Commit, row: DepositRow): void {
  const { deposit, no, atoms, countedAs, invoiceId, addressNo } = row
  if (countedAs === null) return
  const { seenTotals, confirmedTotals, unmatchedSeenTotals, unmatchedConfirmedTotals } = commit.tables
  const { receivedAt } = deposit
  const isConfirmed = deposit.kind === 'confirmed'
  const account = accountOf(addressNo, commit.currencies.noOf(countedAs))
  const counted = { receivedAt, no, atoms }
  addToTotals(seenTotals, account, counted)
  if (isConfirmed) addToTotals(confirmedTotals, account, counted)
  if (invoiceId === null) {
    addToTotals(unmatchedSeenTotals, account, counted)
    if (isConfirmed) addToTotals(unmatchedConfirmedTotals, account, counted)
    return
  }
  const worth = worthOfMatch(commit, row, invoiceId)
  changeMatches(commit, invoiceId, { matches: 0, seen: worth, confirmed: isConfirmed ? worth : 0n })
  if (worth > 0n) listOfInvoice(commit, invoiceId, { receivedAt, no }, true)
}

export const networks: LmdbMovedKind<'networks'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.networks, behind, limit, (key, value) => {
      return { id: key.toString(), ...networkCodec.decode(value) }
    }),
  write: ({ tables }, about) => putNetwork(tables, about),
}

export const chains: LmdbMovedKind<'chains'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.chains, behind, limit, (key, value) => {
      return { network: networkOf(key), confirmed: value.readIntBE(0, WIDE_BYTES) }
    }),
  write: (commit, { network, confirmed }) => putConfirmed(commit, network, confirmed),
}

export const watches: LmdbMovedKind<'watches'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.watches, behind, limit, (key, value) => {
      return { network: networkOf(key), ...watchCodec.decode(value) }
    }),
  write: (commit, { network, ...watch }) => void putWatch(commit, network, watch),
}

export const blocks: LmdbMovedKind<'blocks'> = {
  page: ({ tables }, behind, limit) =>
    pageOfTable(tables.blocks, behind, limit, (key, value) => {
      return {
        network: networkOf(key),
        height: key.readUIntBE(key.length - WIDE_BYTES, WIDE_BYTES),
        ...blockCodec.decode(value),
      }
    }),
  write(commit, { network, ...block }) {
    putBlock(commit, network, block)
    for (const name of block.deposits) holdDeposit(commit, network, name, block.height)
  },
}

function networkOf(key: Buffer) {
  const of = networkOfKey(key)
  if (of === null) throw new OperatorError('a block of the source is of no network: check it first')
  return of.network
}
