import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LogsBloom } from '../../../src/networks/ethereum/bloom.js'
import { addressTopic, TRANSFER_TOPIC } from '../../../src/networks/ethereum/filter.js'
import { CHAIN_ID } from './fixture.js'

const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const DECIMALS_CALL = '0x313ce567'

export const TOKEN = `0x${'70'.repeat(20)}`
export const STRANGER = `0x${'57'.repeat(20)}`

export interface ScriptedLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data?: string
}

export interface ScriptedTransaction {
  readonly to?: string | null
  readonly value?: bigint
  readonly isFailed?: boolean
  readonly logs?: readonly ScriptedLog[]
  /** Fields of the receipt that differ, or undefined ones that are left out. */
  readonly receipt?: Json
}

export interface ScriptedCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** `http`: another status, with this body. */
export type ScriptedEnd =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly http: number; readonly body?: string }

type Json = Readonly<Record<string, unknown>>
export interface ScriptedBlock {
  readonly block: Json & { readonly hash: string; readonly transactions: readonly (Json & { readonly hash: string })[] }
  readonly receipts: readonly Json[]
}

/** A node that tells a made-up chain, with filters that fit, and with the quirks of a test. */
export class ScriptedNode {
  readonly blocks: ScriptedBlock[] = []
  /** Calls that came in, by method. */
  readonly calls = new Map<string, number>()
  requests = 0
  /** What the node answers; `own` is the sound answer. */
  quirk: (call: ScriptedCall, own: ScriptedEnd) => ScriptedEnd = (_call, own) => own
  /** Blocks between the newest and the finalized one. */
  unfinalized = 2
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      this.requests += 1
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as ScriptedCall | readonly ScriptedCall[]
      const ends = [asked].flat().map((call: ScriptedCall) => ({ id: call.id, end: this.end(call) }))
      const refusal = ends.map(({ end }) => end).find((end) => 'http' in end)
      if (refusal !== undefined && 'http' in refusal) return response.writeHead(refusal.http).end(refusal.body)
      const answers = ends.map(({ id, end }) => ({ jsonrpc: '2.0', id, ...end }))
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
    })
  })

  private constructor(
    private readonly startSeconds: number,
    private readonly stepSeconds: number,
  ) {
    this.add()
  }

  static async start(startSeconds = 1_700_000_000, stepSeconds = 12): Promise<ScriptedNode> {
    const node = new ScriptedNode(startSeconds, stepSeconds)
    node.server.listen(0, '127.0.0.1')
    await once(node.server, 'listening')
    return node
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get height(): number {
    return this.blocks.length - 1
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    await closed
  }

  /** Adds a block of these transactions; `header` replaces fields of the block. */
  add(transactions: readonly ScriptedTransaction[] = [], header: Json = {}): ScriptedBlock {
    const height = this.blocks.length
    const hash = typeof header.hash === 'string' ? header.hash : hashNumber(1, height)
    const place = { blockHash: hash, blockNumber: quantity(height) }
    let logIndex = 0
    const receipts = transactions.map(({ logs = [], isFailed = false, receipt = {} }, i) => {
      const transactionHash = hashNumber(2, height, i)
      const own = { ...place, transactionHash, transactionIndex: quantity(i) }
      const whole = logs.map((log) => {
        logIndex += 1
        return { data: '0x', ...log, ...own, logIndex: quantity(logIndex - 1), removed: false }
      })
      return { ...own, status: isFailed ? '0x0' : '0x1', logs: whole, logsBloom: bloomOf(logs), ...receipt }
    })
    const block = {
      number: quantity(height),
      hash,
      parentHash: height === 0 ? hashNumber(0) : hashNumber(1, height - 1),
      timestamp: quantity(this.startSeconds + height * this.stepSeconds),
      transactionsRoot: transactions.length === 0 ? EMPTY_ROOT : hashNumber(3, height),
      gasUsed: quantity(21_000 * transactions.length),
      logsBloom: bloomOf(transactions.flatMap(({ logs = [] }) => logs)),
      transactions: transactions.map(({ to = STRANGER, value = 0n }, i) => ({
        ...place,
        hash: hashNumber(2, height, i),
        transactionIndex: quantity(i),
        from: STRANGER,
        to,
        value: `0x${value.toString(16)}`,
      })),
      ...header,
    }
    this.blocks.push({ block, receipts })
    return { block, receipts }
  }

  private end(call: ScriptedCall): ScriptedEnd {
    this.calls.set(call.method, (this.calls.get(call.method) ?? 0) + 1)
    return this.quirk(call, this.own(call))
  }

  private own({ method, params }: ScriptedCall): ScriptedEnd {
    switch (method) {
      case 'eth_chainId':
        return { result: quantity(CHAIN_ID) }
      case 'eth_getCode':
        return { result: '0x60' }
      case 'eth_call': {
        const isDecimals = (params[0] as { data: string }).data === DECIMALS_CALL
        return { result: isDecimals ? word(6n) : `0x${Buffer.from('USDT').toString('hex').padEnd(64, '0')}` }
      }
      case 'eth_getBlockByNumber': {
        const block = this.at(params[0])?.block ?? null
        if (block === null || params[1] === true) return { result: block }
        return { result: { ...block, transactions: block.transactions.map(({ hash }) => hash) } }
      }
      case 'eth_getTransactionByBlockHashAndIndex':
        return { result: this.of(params[0])?.block.transactions[Number(params[1])] ?? null }
      case 'eth_getBlockTransactionCountByHash':
        return { result: quantity(this.of(params[0])?.block.transactions.length ?? 0) }
      case 'eth_getBlockReceipts':
        return { result: this.at(params[0])?.receipts ?? null }
      case 'eth_getTransactionReceipt': {
        const all = this.blocks.flatMap(({ receipts }) => receipts)
        return { result: all.find(({ transactionHash }) => transactionHash === params[0]) ?? null }
      }
      case 'eth_getLogs': {
        const { blockHash } = params[0] as { blockHash: string }
        const receipts = this.of(blockHash)?.receipts ?? []
        return { result: receipts.flatMap(({ logs }) => logs) }
      }
      default:
        return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
    }
  }

  private of(hash: unknown): ScriptedBlock | undefined {
    return this.blocks.find(({ block }) => block.hash === hash)
  }

  private at(tag: unknown): ScriptedBlock | undefined {
    if (tag === 'latest') return this.blocks.at(-1)
    if (tag === 'finalized' || tag === 'safe') return this.blocks[Math.max(0, this.height - this.unfinalized)]
    return this.blocks[Number(tag)]
  }
}

/** A transaction of a stranger that moves a token. */
export function tokenTo(to: string, amount: bigint, token = TOKEN): ScriptedTransaction {
  return {
    to: token,
    logs: [{ address: token, topics: [TRANSFER_TOPIC, addressTopic(STRANGER), addressTopic(to)], data: word(amount) }],
  }
}

export function bloomOf(logs: readonly ScriptedLog[]): string {
  return `0x${LogsBloom.over(logs.flatMap(({ address, topics }) => [address, ...topics])).hex}`
}

export function word(amount: bigint): string {
  return `0x${amount.toString(16).padStart(64, '0')}`
}

/** A hash, different for other numbers. */
export function hashNumber(...numbers: readonly number[]): string {
  return `0x${numbers
    .map((n) => n.toString(16).padStart(12, '0'))
    .join('')
    .padStart(64, '0')}`
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}
