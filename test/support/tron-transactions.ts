import { createHash } from 'node:crypto'
import type { ObservedTransfer } from '../../src/domain/block.js'

/*
 * Transactions of the emulated TRON chain, in the shapes in which a node tells them, together with what they truly pay,
 * written down beside the shapes and not derived from them. Accounts are 40 hex digits.
 */

export const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** What a transaction really pays; `account` in place of an address. */
export type TruePayment = Pick<ObservedTransfer, 'index' | 'currency' | 'amount'> & { readonly account: string }

export interface EmulatedTransaction {
  readonly id: string
  /** As `getblockbynum` reports it. */
  readonly json: Readonly<Record<string, unknown>>
  /** As `gettransactioninfobyblocknum` reports it, without the block. */
  readonly info: Readonly<Record<string, unknown>>
  readonly pays: readonly TruePayment[]
  /** The accounts to which it says itself that it pays. What contracts decide on is in its info only. */
  readonly announces: readonly string[]
}

export interface EmulatedLog {
  /** 40 hex digits: logs have no version byte. */
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** The result of a transaction, by the name that nodes give it. */
export type TronResult = 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY'

let made = 0

/** 64 hex digits, different for each call. */
function freshId(): string {
  made += 1
  return createHash('sha256').update(`emulated transaction ${made}`).digest('hex')
}

/** An account, different for each number. */
export function emulatedAccount(number: number): string {
  return createHash('sha256').update(`emulated account ${number}`).digest('hex').slice(0, 40)
}

const SENDER = emulatedAccount(0)

function transaction(
  type: string,
  value: Readonly<Record<string, unknown>>,
  result: TronResult,
  info: Readonly<Record<string, unknown>>,
  pays: readonly TruePayment[],
): EmulatedTransaction {
  const id = freshId()
  const json = {
    ret: [{ contractRet: result }],
    signature: [`${id}${id}00`],
    txID: id,
    raw_data: {
      contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
      ref_block_bytes: '2627',
      ref_block_hash: id.slice(0, 16),
      expiration: 1_777_445_178_000,
      timestamp: 1_777_445_118_000,
    },
    raw_data_hex: '0a02',
  }
  return { id, json, info: { id, ...info }, pays: result === 'SUCCESS' ? pays : [], announces: [] }
}

/** TRX from one account to another: `sun` is an int64 of 10⁻⁶ TRX. Nodes leave out an amount of 0. */
export function trxTransfer(account: string, sun: bigint): EmulatedTransaction {
  const addresses = { owner_address: `41${SENDER}`, to_address: `41${account}` }
  const info = { fee: 267_000, contractResult: [''], receipt: { net_fee: 267_000 } }
  const pays = sun === 0n ? [] : [{ account, index: 0, currency: '#native', amount: trxOf(sun) }]
  return transaction('TransferContract', sun === 0n ? addresses : { amount: sun, ...addresses }, 'SUCCESS', info, pays)
}

/** Units of a TRC-10 token: not TRX, whatever their number. */
export function trc10Transfer(account: string, amount: bigint): EmulatedTransaction {
  const value = { amount, asset_name: '31303034323935', owner_address: `41${SENDER}`, to_address: `41${account}` }
  const info = { contractResult: [''], receipt: { net_usage: 283 } }
  return transaction('TransferAssetContract', value, 'SUCCESS', info, [])
}

/**
 * A call of a contract that emits logs. A contract that fails keeps them in some nodes' answers, and they mean
 * nothing.
 */
export function contractCall(
  contract: string,
  logs: readonly EmulatedLog[],
  pays: readonly TruePayment[],
  result: TronResult = 'SUCCESS',
  data = 'd0e30db0',
): EmulatedTransaction {
  const value = { data, owner_address: `41${SENDER}`, contract_address: `41${contract}` }
  const info = {
    fee: 345_000,
    contractResult: [''],
    contract_address: `41${contract}`,
    receipt: { energy_usage: 14_650, energy_usage_total: 14_650, net_fee: 345_000, result },
    ...(logs.length === 0 ? {} : { log: logs }),
    ...(result === 'SUCCESS' ? {} : { result: 'FAILED', resMessage: '524556455254206f70636f6465206578656375746564' }),
  }
  return transaction('TriggerSmartContract', value, result, info, pays)
}

/** A transfer of a token, as its contract logs it. */
export function transferLog(token: string, account: string, raw: bigint): EmulatedLog {
  return {
    address: token,
    topics: [TRANSFER_TOPIC, SENDER.padStart(64, '0'), account.padStart(64, '0')],
    data: raw.toString(16).padStart(64, '0'),
  }
}

/** One transfer of a token by one call. */
export function tokenTransfer(
  token: string,
  account: string,
  raw: bigint,
  result: TronResult = 'SUCCESS',
): EmulatedTransaction {
  const pays = raw === 0n ? [] : [{ account, index: 1, currency: 'Tether', amount: String(raw) }]
  const data = `a9059cbb${account.padStart(64, '0')}${raw.toString(16).padStart(64, '0')}`
  const made = contractCall(token, [transferLog(token, account, raw)], pays, result, data)
  return { ...made, announces: [account] }
}

/** TRX that a contract sends: it shows only as an internal transaction, and only at nodes that keep them. */
export function internalTransfer(account: string, sun: bigint): EmulatedTransaction {
  const pays = [{ account, index: 0x8000_0000, currency: '#native', amount: trxOf(sun) }]
  const call = contractCall(emulatedAccount(1), [], pays)
  const internal = {
    hash: freshId(),
    caller_address: `41${emulatedAccount(1)}`,
    transferTo_address: `41${account}`,
    callValueInfo: [{ callValue: sun }],
    note: '63616c6c',
  }
  return { ...call, info: { ...call.info, internal_transactions: [internal] } }
}

/** A vote: of a type that has nothing to do with payments, and in a receipt almost everything is left out. */
export function vote(): EmulatedTransaction {
  const votes = [{ vote_address: `41${SENDER}`, vote_count: 9_007_199_254_740_993n }]
  return transaction('VoteWitnessContract', { owner_address: `41${SENDER}`, votes }, 'SUCCESS', { receipt: {} }, [])
}

/** A transaction whose type the node is too old to know: it leaves the contract out. */
export function unknownType(): EmulatedTransaction {
  const made = transaction('FutureContract', {}, 'SUCCESS', { receipt: {} }, [])
  return { ...made, json: { ...made.json, raw_data: { contract: [], timestamp: 1_777_445_118_000 } } }
}

/** Sun as decimal TRX, by digits. */
function trxOf(sun: bigint): string {
  const digits = String(sun).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${fraction}`
}
