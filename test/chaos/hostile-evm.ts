import { keccak_256 } from '@noble/hashes/sha3.js'
import { LogsBloom } from '../../src/networks/ethereum/bloom.js'
import { TRANSFER_TOPIC } from '../../src/networks/ethereum/filter.js'
import type { Random } from '../simulation/random.js'
import { addressNumber } from '../support/ethereum-chain.js'
import type { HostileNetwork, HostilePayment } from './hostile-network.js'
import { HostileNode, type Reply } from './hostile-node.js'
import { decimalOf } from './scripted-network.js'

const TOKEN = addressNumber(7000)
const OTHER_TOKEN = addressNumber(7001)
const STRANGER = addressNumber(7002)
/** The contract of Polygon's coin, which adds a log to every transaction, also to failed ones. */
const FEE_CONTRACT = `0x${'0'.repeat(36)}1010`
const FEE_TOPIC = `0x${'4d'.repeat(32)}`
const WORD_DIGITS = 64
/** The roots of no transactions, of most nodes and of Hardhat's. */
const EMPTY_ROOTS = [
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
] as const
/** Logs without topics and data: 32 million gas of them. */
const BOMB_LOGS = 84_000
const COIN_DECIMALS = 18
const DECIMALS_CALL = '0x313ce567'

interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

interface Transaction {
  readonly hash: string
  /** As `eth_getBlockByNumber` reports it, without its place. */
  readonly json: Readonly<Record<string, unknown>>
  readonly succeeded: boolean
  readonly logs: readonly Log[]
}

interface Block {
  readonly hash: string
  readonly parentHash: string
  readonly seconds: number
  readonly transactions: readonly Transaction[]
  readonly bloom: string
  /** Whether all logs are one and the same, so that a text of them can be repeated. */
  readonly isBomb: boolean
}

/** What may be odd in the answers of a node, and what it refuses. */
export const EVM_QUIRKS = [
  'nothing',
  'HTTP 405 for all receipts of a block',
  '-32004 for all receipts of a block',
  'a receipt left out of those of a block',
  'log indexes that begin anew',
  'filters of receipts that are wrong',
  'answers in gzip, with texts as ids and a mark of the byte order',
  'no batches',
  'single receipts that are null, and no receipts of a block',
  'few calls a second',
  'no answer for all receipts of a block',
  'pages of HTML in between',
] as const
type EvmQuirk = (typeof EVM_QUIRKS)[number]

export interface HostileEvmOptions {
  readonly id: string
  readonly claim: string
  readonly chainId: number
  readonly symbol: string
  readonly decimals: number
  readonly blockSeconds: number
  readonly confirmations: number
  readonly addresses: readonly string[]
  readonly startMs: number
  readonly random: Random
  /** As many calls as the node allows in a second when it allows few. */
  readonly callsPerSecond: number
  /** The clock of the run. */
  readonly nowMs: () => number
}

/** A chain into whose blocks strangers put what they like, and a node that is odd in one way after another. */
export class HostileEvm implements HostileNetwork {
  readonly quirks = EVM_QUIRKS
  readonly id: string
  readonly addresses: readonly string[]
  quirk: EvmQuirk = 'nothing'
  private readonly blocks: Block[] = []
  private nonce = 0

  private constructor(
    private readonly options: HostileEvmOptions,
    private readonly node: HostileNode,
  ) {
    this.id = options.id
    this.addresses = options.addresses
    for (let i = 0; i < options.confirmations; i += 1) this.append([], options.startMs / 1000)
  }

  static async start(options: HostileEvmOptions): Promise<HostileEvm> {
    const node = await HostileNode.start(options.nowMs)
    const network = new HostileEvm(options, node)
    node.answer = (_path, body) => network.reply(body)
    return network
  }

  get entry() {
    const { id, claim, chainId, symbol, decimals, confirmations } = this.options
    const token = { symbol: 'USDT', contract: TOKEN, decimals }
    const common = { id, kind: 'evm', name: `Network ${id}`, claim, symbol, token }
    return { ...common, chainId, confirmations, urls: [this.node.url], pollMs: 4000 }
  }

  get height(): number {
    return this.blocks.length - 1
  }

  get requests(): number {
    return this.node.requests
  }

  finalHeight(): number {
    return this.height - this.options.confirmations + 1
  }

  advance(toMs: number, isPaying: boolean): readonly HostilePayment[] {
    const payments: HostilePayment[] = []
    const { blockSeconds, random } = this.options
    for (;;) {
      const seconds = (this.blocks.at(-1)?.seconds ?? 0) + blockSeconds
      if (seconds * 1000 > toMs) return payments
      const paid = isPaying && random.chance(Math.min(1, blockSeconds / 12)) ? [this.payment()] : []
      const strange = isPaying ? this.strange() : []
      const transactions = random.shuffled([...strange, ...paid.map(({ transaction }) => transaction)])
      this.append(transactions, seconds, random.chance(1 / 150) && isPaying)
      payments.push(...paid.map(({ payment }) => ({ ...payment, height: this.height })))
    }
  }

  close(): Promise<void> {
    return this.node.close()
  }

  private payment(): { transaction: Transaction; payment: Omit<HostilePayment, 'height'> } {
    const { random, decimals } = this.options
    const toAddress = random.pick(this.addresses as [string, ...string[]])
    const units = BigInt(random.between(1, 5_000_000))
    if (random.chance(1 / 2)) {
      const value = units * 10n ** BigInt(COIN_DECIMALS - 6)
      const transaction = this.transaction({ to: toAddress, value: `0x${value.toString(16)}` }, [feeLog()])
      return {
        transaction,
        payment: { txHash: transaction.hash, toAddress, currency: '#native', amount: decimalOf(value, COIN_DECIMALS) },
      }
    }
    const raw = units * 10n ** BigInt(decimals - 6)
    const logs = [...this.nonsense(toAddress), transferLog(TOKEN, toAddress, raw), feeLog()]
    const transaction = this.transaction({ to: TOKEN, value: '0x0' }, logs)
    return { transaction, payment: { txHash: transaction.hash, toAddress, currency: 'Tether', amount: String(raw) } }
  }

  /** Logs that pay nothing, whatever they look like. */
  private nonsense(toAddress: string): readonly Log[] {
    const real = transferLog(TOKEN, toAddress, 77n)
    const [event = '', from = '', to = ''] = real.topics
    const all: readonly Log[] = [
      { ...real, topics: [event] },
      { ...real, topics: [event, from] },
      { ...real, topics: [event, from, to, to] },
      { ...real, topics: [] },
      { ...real, data: '0x' },
      { ...real, data: `${real.data}${'0'.repeat(64)}` },
      { ...real, data: `0x${'0'.repeat(64)}` },
      { ...real, address: OTHER_TOKEN },
      { ...real, topics: [`0x${'11'.repeat(32)}`, from, to] },
    ]
    return this.options.random.shuffled(all).slice(0, 3)
  }

  /** Transactions of strangers. */
  private strange(): readonly Transaction[] {
    const { random } = this.options
    const ours = random.pick(this.addresses as [string, ...string[]])
    const failed = { succeeded: false }
    const all: readonly (() => Transaction)[] = [
      () => this.transaction({ to: TOKEN, value: '0x0' }, [transferLog(TOKEN, ours, 99n), feeLog()], failed),
      () => this.transaction({ to: ours, value: '0x77' }, [feeLog()], failed),
      () => this.transaction({ to: null, value: '0x0', input: `0x${'60'.repeat(2000)}` }, []),
      () => this.transaction({ type: '0x7e', to: STRANGER, mint: '0xffffff', sourceHash: '0x' }, []),
      () => this.transaction({ to: STRANGER.toUpperCase().replace('0X', '0x') }, this.nonsense(ours)),
      () => this.transaction({ to: 'nobody', value: 12, accessList: [[[[[{}]]]]] }, [feeLog()]),
      () => this.transaction({ to: OTHER_TOKEN, value: '0x0', name: 'a "quoted" \\ \u2028 name' }, []),
    ]
    return random
      .shuffled(all)
      .slice(0, random.between(0, 3))
      .map((make) => make())
  }

  private transaction(
    json: Readonly<Record<string, unknown>>,
    logs: readonly Log[],
    { succeeded = true } = {},
  ): Transaction {
    this.nonce += 1
    const hash = digest(`${this.id} ${this.nonce}`)
    return { hash, json: { hash, from: STRANGER, ...json }, succeeded, logs }
  }

  private append(transactions: readonly Transaction[], seconds: number, isBomb = false): void {
    const parentHash = this.blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`
    const all = isBomb ? [...transactions, this.transaction({ to: STRANGER, value: '0x0' }, [])] : transactions
    const entries = all.flatMap(({ logs }) => logs.flatMap(({ address, topics }) => [address, ...topics]))
    const bloom = `0x${LogsBloom.over(isBomb ? [...entries, OTHER_TOKEN] : entries).hex}`
    const hash = digest(`${this.id} ${parentHash} ${seconds} ${all.map((one) => one.hash).join()}`)
    this.blocks.push({ hash, parentHash, seconds: Math.floor(seconds), transactions: all, bloom, isBomb })
  }

  private reply(body: string): Reply {
    const request = JSON.parse(body) as RpcRequest | readonly RpcRequest[]
    const { quirk } = this
    if (quirk === 'pages of HTML in between' && this.options.random.chance(1 / 8)) {
      return { status: 502, text: '<html><h1>Bad gateway</h1></html>' }
    }
    if (quirk === 'few calls a second' && !this.node.allows(this.options.callsPerSecond)) {
      return this.options.random.chance(1 / 2)
        ? { status: 429, text: '{"error":"Too Many Requests"}' }
        : {
            text: JSON.stringify({
              jsonrpc: '2.0',
              id: null,
              error: { code: -32_005, message: 'rate limit exceeded' },
            }),
          }
    }
    if (Array.isArray(request) && quirk === 'no batches') return { status: 400, text: 'no batches here' }
    const methods = [request].flat().map(({ method }) => method)
    if (methods.includes('eth_getBlockReceipts')) {
      if (quirk === 'HTTP 405 for all receipts of a block') return { status: 405, text: 'null' }
      if (quirk === 'no answer for all receipts of a block') return 'hanging'
    }
    const answers = [request].flat().map((one) => this.answered(one))
    const text = Array.isArray(request) ? `[${answers.join()}]` : (answers[0] ?? '')
    return quirk.startsWith('answers in gzip') ? { text: `\ufeff${text}`, isGzipped: true } : { text }
  }

  private answered({ id, method, params }: RpcRequest): string {
    const shown = this.quirk.startsWith('answers in gzip') ? String(id) : id
    try {
      return `{"jsonrpc":"2.0","id":${JSON.stringify(shown)},"result":${this.resultOf(method, params)}}`
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return JSON.stringify({ jsonrpc: '2.0', id: shown, error: { code: error.code, message: error.message } })
    }
  }

  private resultOf(method: string, params: readonly unknown[]): string {
    switch (method) {
      case 'eth_chainId':
        return JSON.stringify(hex(this.options.chainId))
      case 'eth_getCode':
        return '"0x60"'
      case 'eth_call':
        return (params[0] as { data: string }).data === DECIMALS_CALL
          ? JSON.stringify(`0x${word(BigInt(this.options.decimals))}`)
          : '"0x"'
      case 'eth_blockNumber':
        return JSON.stringify(hex(this.height))
      case 'eth_getBlockByNumber':
        return this.blockText(params[0] === 'latest' ? this.height : Number(params[0]), params[1] === true)
      case 'eth_getBlockReceipts':
        return this.receiptsText(Number(params[0]))
      case 'eth_getTransactionReceipt':
        return this.receiptText(String(params[0]))
      case 'eth_getLogs':
        return this.logsText(params[0] as Readonly<Record<string, unknown>>)
      default:
        throw new Refusal(-32_601, `the method ${method} does not exist/is not available`)
    }
  }

  private blockText(height: number, isWhole: boolean): string {
    const block = this.blocks[height]
    if (block === undefined) return 'null'
    const { hash, parentHash, seconds, transactions, bloom } = block
    const isEmpty = transactions.length === 0
    return JSON.stringify({
      number: hex(height),
      hash,
      parentHash,
      timestamp: hex(seconds),
      logsBloom: bloom,
      transactionsRoot: isEmpty ? EMPTY_ROOTS[height % EMPTY_ROOTS.length] : digest(`root of ${hash}`),
      gasUsed: isEmpty ? '0x0' : '0x5208',
      transactions: transactions.map((one, i) =>
        isWhole ? { ...one.json, blockHash: hash, blockNumber: hex(height), transactionIndex: hex(i) } : one.hash,
      ),
    })
  }

  private receiptsText(height: number): string {
    if (this.quirk === '-32004 for all receipts of a block') throw new Refusal(-32_004, 'this method is not supported')
    if (this.quirk.startsWith('single receipts that are null')) throw new Refusal(-32_601, 'no such method')
    const block = this.blocks[height]
    if (block === undefined) return 'null'
    const texts = block.transactions.map((_, i) => this.receiptOf(block, height, i))
    if (this.quirk === 'a receipt left out of those of a block') texts.pop()
    return `[${texts.join()}]`
  }

  private receiptText(hash: string): string {
    const height = this.blocks.findLastIndex(({ transactions }) => transactions.some((one) => one.hash === hash))
    const block = this.blocks[height]
    if (block === undefined) return 'null'
    const place = block.transactions.findIndex((one) => one.hash === hash)
    const isOurs = block.transactions[place]?.logs.some(({ topics }) => topics[0] === TRANSFER_TOPIC) === true
    const isPayment = this.addresses.includes(String(block.transactions[place]?.json['to']))
    const isOdd = this.quirk.startsWith('single receipts that are null') && !isOurs && !isPayment
    return isOdd ? 'null' : this.receiptOf(block, height, place)
  }

  private logsText(filter: Readonly<Record<string, unknown>>): string {
    const height = this.blocks.findIndex(({ hash }) => hash === filter['blockHash'])
    const block = this.blocks[height]
    if (block === undefined) throw new Refusal(-32_000, 'unknown block')
    const wanted = [filter['address'] ?? []].flat().map(String)
    const isWanted = ({ address }: Log) => wanted.length === 0 || wanted.includes(address)
    const logs = block.transactions.flatMap((transaction, i) =>
      transaction.logs.filter(isWanted).map((log) => JSON.stringify({ ...log, ...place(block, height, i) })),
    )
    const bomb = {
      address: OTHER_TOKEN,
      topics: [],
      data: '0x',
      ...place(block, height, block.transactions.length - 1),
    }
    if (block.isBomb && isWanted(bomb))
      logs.push(`${JSON.stringify(bomb)},`.repeat(BOMB_LOGS - 1) + JSON.stringify(bomb))
    return `[${logs.join()}]`
  }

  private receiptOf(block: Block, height: number, i: number): string {
    const { logs, succeeded } = block.transactions[i] as Transaction
    const isBomb = block.isBomb && i === block.transactions.length - 1
    const before = block.transactions.slice(0, i).flatMap((one) => one.logs).length
    const first = this.quirk === 'log indexes that begin anew' ? 0 : before
    const entries = isBomb ? [OTHER_TOKEN] : logs.flatMap(({ address, topics }) => [address, ...topics])
    const bloom = this.quirk === 'filters of receipts that are wrong' ? '00'.repeat(256) : LogsBloom.over(entries).hex
    const shown = logs.map((log, n) => JSON.stringify({ ...log, ...place(block, height, i), logIndex: hex(first + n) }))
    const bomb = JSON.stringify({ address: OTHER_TOKEN, topics: [], data: '0x', ...place(block, height, i) })
    const rest = JSON.stringify({
      ...place(block, height, i),
      status: succeeded ? '0x1' : '0x0',
      logsBloom: `0x${bloom}`,
    })
    const list = isBomb ? `${bomb},`.repeat(BOMB_LOGS - 1) + bomb : shown.join()
    return `{"logs":[${list}],${rest.slice(1)}`
  }
}

interface RpcRequest {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** An error of the protocol. */
class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

function place({ hash, transactions }: Block, height: number, i: number): Readonly<Record<string, string>> {
  const transactionHash = transactions[i]?.hash ?? ''
  return { blockHash: hash, blockNumber: hex(height), transactionHash, transactionIndex: hex(i) }
}

function feeLog(): Log {
  return {
    address: FEE_CONTRACT,
    topics: [FEE_TOPIC, word0x(FEE_CONTRACT), word0x(STRANGER)],
    data: `0x${'0'.repeat(320)}`,
  }
}

function transferLog(token: string, toAddress: string, amount: bigint): Log {
  return { address: token, topics: [TRANSFER_TOPIC, word0x(STRANGER), word0x(toAddress)], data: `0x${word(amount)}` }
}

function word0x(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(WORD_DIGITS, '0')}`
}

function word(value: bigint): string {
  return value.toString(16).padStart(WORD_DIGITS, '0')
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}

function digest(text: string): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(text))).toString('hex')}`
}
