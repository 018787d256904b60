import { LogsBloom } from '../../src/networks/ethereum/bloom.js'
import { addressTopic, TRANSFER_TOPIC } from '../../src/networks/ethereum/filter.js'
import { addressNumber } from '../support/ethereum-chain.js'
import { type LongChain, listed } from './long-chain.js'

const CHAIN_ID = 11_155_111
const TOKEN = `0x${'70'.repeat(20)}`
const OTHER_TOKEN = `0x${'71'.repeat(20)}`
const STRANGER = `0x${'57'.repeat(20)}`
const START_SECONDS = 1_700_000_000
const DECIMALS_CALL = '0x313ce567'
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const EMPTY_BLOOM = `0x${'0'.repeat(512)}`

export interface LongBlock {
  readonly height: number
  readonly transactions: number
  /** Logs of the last transaction, of another token. */
  readonly logs: number
}

/** A chain of empty blocks, of which one is long, and pays a wallet the coin and the token by its first and last transaction. */
export class LongEvm implements LongChain {
  readonly network = 'SEP'
  readonly wallet = addressNumber(1)
  readonly payments = 2
  readonly settings = (url: string) => ({
    BILLHOOK_SEP_URLS: url,
    BILLHOOK_SEP_TOKEN: TOKEN,
    BILLHOOK_SEP_CHAIN_ID: String(CHAIN_ID),
    BILLHOOK_SEP_START: '1',
    BILLHOOK_SEP_CONFIRMATIONS: '2',
    BILLHOOK_SEP_POLL_MS: '100',
  })
  latest = 0
  private readonly logsBloom: string

  constructor(private readonly long: LongBlock) {
    const topics = [TRANSFER_TOPIC, addressTopic(STRANGER), addressTopic(this.wallet)]
    const all = [TOKEN, ...topics, ...(long.logs > 0 ? [OTHER_TOKEN] : [])]
    this.logsBloom = `0x${LogsBloom.over(all).hex}`
  }

  *answer(_path: string, body: string): Generator<string> {
    const asked = JSON.parse(body) as Call | readonly Call[]
    const calls = [asked].flat() as readonly Call[]
    if (Array.isArray(asked)) yield '['
    for (const [i, { id, method, params }] of calls.entries()) {
      yield `${i === 0 ? '' : ','}{"jsonrpc":"2.0","id":${id},"result":`
      yield* this.result(method, params)
      yield '}'
    }
    if (Array.isArray(asked)) yield ']'
  }

  private *result(method: string, params: readonly unknown[]): Generator<string> {
    switch (method) {
      case 'eth_chainId':
        return yield `"${quantity(CHAIN_ID)}"`
      case 'eth_getCode':
        return yield '"0x60"'
      case 'eth_call':
        return yield `"${(params[0] as { data: string }).data === DECIMALS_CALL ? word('6') : word('0')}"`
      case 'eth_getBlockByNumber':
        return yield* this.block(params[0] === 'latest' ? this.latest : Number(params[0]), params[1] === true)
      case 'eth_getBlockReceipts':
        return yield* this.receipts(Number(params[0]))
      default:
        throw new Error(`no such method: ${method}`)
    }
  }

  private *block(height: number, isWhole: boolean): Generator<string> {
    if (height > this.latest) return yield 'null'
    const isLong = height === this.long.height
    const header = {
      number: quantity(height),
      hash: hashOf(height),
      parentHash: hashOf(Math.max(0, height - 1)),
      timestamp: quantity(START_SECONDS + height),
      transactionsRoot: isLong ? word('5') : EMPTY_ROOT,
      gasUsed: quantity(isLong ? 21_000 * this.long.transactions : 0),
      logsBloom: isLong ? this.logsBloom : EMPTY_BLOOM,
    }
    yield `${JSON.stringify(header).slice(0, -1)},"transactions":[`
    if (isLong) {
      const place = `"blockHash":"${hashOf(height)}","blockNumber":"${quantity(height)}"`
      const rest = `"from":"${STRANGER}","gas":"0x5208","gasPrice":"0x5f5e100","input":"0x","nonce":"0x1f","type":"0x0","chainId":"0xaa36a7","v":"0x1","r":"${word('12')}","s":"${word('34')}"`
      yield* listed(this.long.transactions, (i) => {
        if (!isWhole) return `"${txHash(i)}"`
        const to = i === 0 ? this.wallet : STRANGER
        return `{${place},${rest},"hash":"${txHash(i)}","to":"${to}","transactionIndex":"${quantity(i)}","value":"0x7"}`
      })
    }
    yield ']}'
  }

  private *receipts(height: number): Generator<string> {
    if (height !== this.long.height) return yield '[]'
    const { transactions, logs } = this.long
    const place = `"blockHash":"${hashOf(height)}","blockNumber":"${quantity(height)}"`
    const rest = `${place},"contractAddress":null,"cumulativeGasUsed":"0x5208","from":"${STRANGER}","gasUsed":"0x5208","to":"${STRANGER}","type":"0x0","status":"0x1"`
    yield '['
    yield* listed(transactions - 1, (i) => {
      return `{${rest},"logs":[],"logsBloom":"${EMPTY_BLOOM}","transactionHash":"${txHash(i)}","transactionIndex":"${quantity(i)}"}`
    })
    const last = transactions - 1
    const ofLast = `${place},"transactionHash":"${txHash(last)}","transactionIndex":"${quantity(last)}","removed":false`
    const topics = JSON.stringify([TRANSFER_TOPIC, addressTopic(STRANGER), addressTopic(STRANGER)])
    const ours = JSON.stringify([TRANSFER_TOPIC, addressTopic(STRANGER), addressTopic(this.wallet)])
    yield `${last === 0 ? '' : ','}{${rest},"transactionHash":"${txHash(last)}","transactionIndex":"${quantity(last)}","logsBloom":"${this.logsBloom}","logs":[`
    yield* listed(logs, (i) => {
      return `{${ofLast},"address":"${OTHER_TOKEN}","topics":${topics},"data":"${word('1')}","logIndex":"${quantity(i)}"}`
    })
    yield `${logs === 0 ? '' : ','}{${ofLast},"address":"${TOKEN}","topics":${ours},"data":"${word('9')}","logIndex":"${quantity(logs)}"}]}]`
  }
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

function hashOf(height: number): string {
  return word(`b10c${quantity(height).slice(2).padStart(8, '0')}`)
}

function txHash(i: number): string {
  return `0x${i.toString(16).padStart(8, '0')}${'ab'.repeat(28)}`
}

function word(digits: string): string {
  return `0x${digits.padStart(64, '0')}`
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
