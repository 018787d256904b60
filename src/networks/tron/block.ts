/** Blocks of TRON nodes (`getblockbynum`, `getblockbylimitnext`), reduced while they are read to what payments need. */

import type { BlockHead } from '../../domain/block.js'
import { demand } from '../node/answer.js'
import { fields, items, type Scalar, scalar, type ValueOf } from '../node/json-shape.js'
import { accountOf } from './address.js'
import { demandId, firstOf, isGiven, nameOf, naturalOf, resultOf } from './values.js'

/** Leading digits of a block's id that are its height. */
const HEIGHT_DIGITS = 16
/** Times of deposits have 48 bits. */
const TIME_MAX_MS = 2 ** 48 - 1
/** The root of an empty tree of transactions. */
const EMPTY_ROOT = /^(?:0x)?0{64}$/i
/**
 * A block has 2 MB, and a transaction about 100 bytes at least. It bounds what a broken node makes of this process, and
 * no chain comes near.
 */
const TRANSACTIONS_MAX = 100_000
/** Accounts that are noted of the parameters of one call. */
const MENTIONS_MAX = 256
/** Digits of a method in front of its parameters, and of one parameter. */
const METHOD_DIGITS = 8
const WORD_DIGITS = 64
/** A parameter that is an account: 12 bytes, of which some wallets fill the last with the version byte, and its 20. */
const ACCOUNT_WORD = /^0{22}(?:00|41)([0-9a-f]{40})$/i
/** No account begins with eight zero bytes by chance; what does is a small number. */
const NUMBER = /^0{16}/

/**
 * The types of transactions that run no contract, so that their infos have neither logs nor internal transactions. Every
 * other type may, also one that is not known yet.
 */
const RUNS_NOTHING: ReadonlySet<string> = new Set([
  'AccountCreateContract',
  'AccountPermissionUpdateContract',
  'AccountUpdateContract',
  'CancelAllUnfreezeV2Contract',
  'DelegateResourceContract',
  'FreezeBalanceContract',
  'FreezeBalanceV2Contract',
  'TransferAssetContract',
  'TransferContract',
  'UnDelegateResourceContract',
  'UnfreezeBalanceContract',
  'UnfreezeBalanceV2Contract',
  'VoteWitnessContract',
  'WithdrawBalanceContract',
  'WithdrawExpireUnfreezeContract',
])

export interface TronBlock extends BlockHead {
  readonly transactions: readonly TronTransaction[]
  /** True when there are no transactions, and the header does not say that there are none. */
  readonly mayLackTransactions: boolean
}

export interface TronTransaction {
  readonly id: string
  /** `SUCCESS`, or how it failed; null when the node omits it. */
  readonly result: string | null
  /** The receiver of a `TransferContract`, and the amount in sun as the node wrote it; null for every other type. */
  readonly transfer: { readonly account: string; readonly amount: Scalar | undefined } | null
  /** Whether a contract may have run. What it did, only the info of the transaction tells. */
  readonly runsContract: boolean
  /** The accounts that the call names: its owner, and those among its parameters. */
  readonly mentions: readonly string[]
}

const contract = fields({
  type: scalar,
  parameter: fields({
    type_url: scalar,
    value: fields({ to_address: scalar, amount: scalar, owner_address: scalar, data: scalar }),
  }),
})

/** Of `ret`, consensus sets the first entry only, and of `raw_data.contract` it runs the first only. */
const transaction = fields({
  txID: scalar,
  ret: firstOf(fields({ contractRet: scalar })),
  raw_data: fields({ contract: firstOf(contract) }),
})

const transactions = items(transaction, () => {
  const found = new Map<string, TronTransaction>()
  return {
    take(entry) {
      const read = readTransaction(entry)
      // A node that tells one twice tells of one.
      if (!found.has(read.id)) found.set(read.id, read)
      demand(found.size <= TRANSACTIONS_MAX, 'more transactions than a block can have')
    },
    end: (): readonly TronTransaction[] => [...found.values()],
  }
})

const header = fields({
  raw_data: fields({ number: scalar, timestamp: scalar, txTrieRoot: scalar, parentHash: scalar }),
})

/** The fields of a block, for an answer that is one. */
export const BLOCK_FIELDS = { blockID: scalar, block_header: header, transactions }
/** The fields of a block without its transactions. */
export const HEAD_FIELDS = { blockID: scalar, block_header: header }

/** What was read of a block. */
export type BlockAnswer = NonNullable<ValueOf<ReturnType<typeof fields<typeof BLOCK_FIELDS>>>>
export type HeadAnswer = Pick<BlockAnswer, keyof typeof HEAD_FIELDS>

/** A node answers a query for a block that it does not have with an empty object. */
export function isNothing({ blockID, block_header }: HeadAnswer): boolean {
  return blockID === undefined && block_header === undefined
}

/** The head of the block that a node calls its newest, at any height. Throws `BadAnswer` for what is none. */
export function readNewestHead(answer: HeadAnswer): BlockHead {
  const height = heightOf(demandId(answer.blockID, 'the newest block'))
  demand(height <= Number.MAX_SAFE_INTEGER, 'the newest block: no height')
  return readHead(answer, Number(height))
}

/** The block at a height. Throws `BadAnswer` when the answer is of another one or contradicts itself. */
export function readBlock(answer: BlockAnswer, height: number): TronBlock {
  const head = readHead(answer, height)
  const listed = answer.transactions ?? []
  const root = answer.block_header?.raw_data?.txTrieRoot
  // Nodes can return headers alone; a block whose transactions are left out must not look empty.
  const hasRoot = isGiven(root) && root !== ''
  const isLeftOut = listed.length === 0 && hasRoot && !EMPTY_ROOT.test(String(root))
  demand(!isLeftOut, `block ${height}: its transactions are left out`)
  return { ...head, transactions: listed, mayLackTransactions: listed.length === 0 && !hasRoot }
}

function readHead({ blockID, block_header }: HeadAnswer, height: number): BlockHead {
  const what = `block ${height}`
  const raw = block_header?.raw_data
  demand(raw !== undefined && raw !== null, `${what}: no header`)
  // The id says the same.
  const isOther = isGiven(raw.number) && naturalOf(raw.number) !== BigInt(height)
  demand(!isOther, `${what}: the node answered with another number`)
  const hash = demandId(blockID, what)
  const parentHash = demandId(raw.parentHash, what)
  demand(heightOf(hash) === BigInt(height), `${what}: its id is of another height`)
  demand(height === 0 || heightOf(parentHash) === BigInt(height - 1), `${what}: its parent is of another height`)
  const timeMs = Number(naturalOf(raw.timestamp) ?? -1n)
  demand(timeMs <= TIME_MAX_MS && (timeMs > 0 || (timeMs === 0 && height === 0)), `${what}: no time`)
  return { height, hash, parentHash, timeMs }
}

function heightOf(blockId: string): bigint {
  return BigInt(`0x${blockId.slice(0, HEIGHT_DIGITS)}`)
}

function readTransaction(entry: ValueOf<typeof transaction>): TronTransaction {
  demand(!!entry?.raw_data, 'a transaction has no contents')
  const first = entry.raw_data.contract
  const type = typeOf(first)
  const value = first?.parameter?.value
  const account = type === 'TransferContract' ? accountOf(value?.to_address) : null
  const runsContract = type === null || !RUNS_NOTHING.has(type)
  return {
    id: demandId(entry.txID, 'a transaction'),
    result: resultOf(entry.ret?.contractRet),
    transfer: account === null ? null : { account, amount: value?.amount },
    runsContract,
    mentions: runsContract ? mentionsOf(value?.owner_address, value?.data) : [],
  }
}

/** The type by its name, or by the end of the URL of its parameter; null when the node leaves both out. */
function typeOf(first: ValueOf<typeof contract> | undefined): string | null {
  return nameOf(first?.type) ?? nameOf(first?.parameter?.type_url)?.split('.').at(-1) ?? null
}

function mentionsOf(owner: Scalar | undefined, data: Scalar | undefined): readonly string[] {
  const mentions = new Set<string>()
  const account = accountOf(owner)
  if (account !== null) mentions.add(account)
  if (typeof data !== 'string') return [...mentions]
  for (let at = METHOD_DIGITS; at + WORD_DIGITS <= data.length && mentions.size < MENTIONS_MAX; at += WORD_DIGITS) {
    const named = ACCOUNT_WORD.exec(data.slice(at, at + WORD_DIGITS))?.[1]
    if (named !== undefined && !NUMBER.test(named)) mentions.add(named.toLowerCase())
  }
  return [...mentions]
}
