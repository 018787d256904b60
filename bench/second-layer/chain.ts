import { keccak_256 } from '@noble/hashes/sha3.js'
import { LogsBloom } from '../../src/networks/ethereum/bloom.js'
import { TRANSFER_TOPIC } from '../../src/networks/ethereum/filter.js'

/** Different sets of transfers; the blocks repeat them. */
const TEMPLATES = 32
const RECEIVERS_APART = 1_000_003
const WORD_DIGITS = 64
/** What stands in a template where a block has its own values. */
const HOLES = { height: '<height>', hash: '<hash>', parent: '<parent>', time: '<time>', nonce: '<nonce>' } as const
const HOLE = /<(height|hash|parent|time|nonce)>/

export const CHAIN_ID = 42_161
export const TOKEN = `0x${'70'.repeat(20)}`
const OTHER_TOKEN = `0x${'71'.repeat(20)}`

/** The text of an answer with holes: texts and names of holes in turn. */
type Template = readonly string[]

/**
 * An endless chain of full blocks, as fast as texts can be put together. Of four transfers one is of the watched token, one
 * of another, and two are of the coin.
 */
export class FullChain {
  private readonly headers: readonly Template[]
  private readonly blocks: readonly Template[]
  private readonly receipts: readonly Template[]

  constructor(
    readonly transfersPerBlock: number,
    /** The receiver of the first transfer of each block is one of these, in turn. */
    private readonly wallets: readonly string[],
    private readonly startedAtSeconds: number,
    private readonly blocksPerSecond: number,
  ) {
    const templates = Array.from({ length: TEMPLATES }, (_, n) => this.template(n))
    this.headers = templates.map(({ header }) => header)
    this.blocks = templates.map(({ block }) => block)
    this.receipts = templates.map(({ receipts }) => receipts)
  }

  /** The JSON text of a block with its transactions. */
  block(height: number): string {
    return this.filled(this.blocks[height % TEMPLATES] ?? [], height)
  }

  /** The JSON text of a block without its transactions. */
  header(height: number): string {
    return this.filled(this.headers[height % TEMPLATES] ?? [], height)
  }

  /** The JSON text of all receipts of a block. */
  receiptsOf(height: number): string {
    return this.filled(this.receipts[height % TEMPLATES] ?? [], height)
  }

  private filled(template: Template, height: number): string {
    const values: Record<string, string> = {
      height: height.toString(16),
      hash: hashOf(height),
      parent: hashOf(height - 1),
      time: (this.startedAtSeconds + Math.floor(height / this.blocksPerSecond)).toString(16),
      nonce: height.toString(16).padStart(16, '0'),
    }
    return template.map((part, i) => (i % 2 === 0 ? part : values[part])).join('')
  }

  private template(n: number): Record<'header' | 'block' | 'receipts', Template> {
    const transfers = Array.from({ length: this.transfersPerBlock }, (_, i) => {
      const wallet = i === 0 ? this.wallets[n % this.wallets.length] : undefined
      const receiver = wallet ?? accountNumber(n * this.transfersPerBlock + i + RECEIVERS_APART)
      const token = [TOKEN, null, OTHER_TOKEN, null][i % 4] ?? null
      return { i, from: accountNumber(i), receiver, token, value: BigInt(i + 1) }
    })
    const { height, hash, parent, time, nonce } = HOLES
    const place = { blockHash: hash, blockNumber: `0x${height}` }
    const txHash = (i: number) => `0x${(n * 1000 + i).toString(16).padStart(48, '0')}${nonce}`
    const transactions = transfers.map(({ i, from, receiver, token, value }) => ({
      ...place,
      from,
      gas: '0x186a0',
      gasPrice: '0x5f5e100',
      maxFeePerGas: '0x77359400',
      maxPriorityFeePerGas: '0x0',
      hash: txHash(i),
      input: token === null ? '0x' : `0xa9059cbb${word(BigInt(receiver))}${word(value)}`,
      nonce: '0x1f',
      to: token ?? receiver,
      transactionIndex: hex(i),
      value: token === null ? hex(Number(value)) : '0x0',
      type: '0x2',
      accessList: [],
      chainId: hex(CHAIN_ID),
      v: '0x0',
      r: `0x${'12'.repeat(32)}`,
      s: `0x${'34'.repeat(32)}`,
      yParity: '0x0',
    }))
    const logs = transfers
      .filter(({ token }) => token !== null)
      .map(({ i, from, receiver, token, value }, n) => ({
        ...place,
        address: token,
        topics: [TRANSFER_TOPIC, `0x${word(BigInt(from))}`, `0x${word(BigInt(receiver))}`],
        data: `0x${word(value)}`,
        blockTimestamp: `0x${time}`,
        transactionHash: txHash(i),
        transactionIndex: hex(i),
        logIndex: hex(n),
        removed: false,
      }))
    const logsOf = (i: number) => logs.filter(({ transactionIndex }) => transactionIndex === hex(i))
    const receipts = transfers.map(({ i, from, receiver, token }) => ({
      ...place,
      transactionHash: txHash(i),
      transactionIndex: hex(i),
      contractAddress: null,
      cumulativeGasUsed: hex(60_000 * (i + 1)),
      effectiveGasPrice: '0x5f5e100',
      from,
      gasUsed: '0xea60',
      gasUsedForL1: '0x0',
      logs: logsOf(i),
      logsBloom: bloomOf(logsOf(i)),
      status: '0x1',
      to: token ?? receiver,
      type: '0x2',
    }))
    const header = {
      number: `0x${height}`,
      hash,
      parentHash: parent,
      timestamp: `0x${time}`,
      logsBloom: bloomOf(logs),
      transactionsRoot: `0x${'56'.repeat(32)}`,
      receiptsRoot: `0x${'78'.repeat(32)}`,
      gasLimit: '0x4000000000000',
      gasUsed: '0xb71b00',
      miner: `0x${'a4'.repeat(20)}`,
      uncles: [],
    }
    const templateOf = (value: object): Template => JSON.stringify(value).split(HOLE)
    return {
      header: templateOf({ ...header, transactions: transactions.map((transaction) => transaction.hash) }),
      block: templateOf({ ...header, transactions }),
      receipts: templateOf(receipts),
    }
  }
}

function bloomOf(logs: readonly { readonly address: string | null; readonly topics: readonly string[] }[]): string {
  return `0x${LogsBloom.over(logs.flatMap(({ address, topics }) => [address ?? '', ...topics])).hex}`
}

function hashOf(height: number): string {
  return `0x${'b10c'.repeat(12)}${Math.max(0, height).toString(16).padStart(16, '0')}`
}

/** An address, different for each number. */
function accountNumber(n: number): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(`account ${n}`)))
    .toString('hex')
    .slice(0, 40)}`
}

function word(value: bigint): string {
  return value.toString(16).padStart(WORD_DIGITS, '0')
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
