import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { argument, tell } from '../parent.js'
import { CHAIN_ID, FullChain } from './chain.js'

/*
 * A node of a second layer, which grows at a rate and has a number of blocks from the start. It answers by texts that it
 * puts together, so that it costs less than its client.
 */

/** What the parent asks for. */
export interface NodeTask {
  readonly transfersPerBlock: number
  readonly wallets: readonly string[]
  /** Height of the newest block at the start. */
  readonly height: number
  readonly blocksPerSecond: number
  /** Blocks above the last finalized one. */
  readonly unfinalized: number
}

const DECIMALS = `0x${'6'.padStart(64, '0')}`
const SYMBOL = `0x${'55534454'.padEnd(64, '0')}`
const DECIMALS_CALL = '0x313ce567'

const task = argument<NodeTask>()
const startedAt = Date.now()
const bornAtSeconds = Math.floor(startedAt / 1000 - task.height / task.blocksPerSecond)
const chain = new FullChain(task.transfersPerBlock, task.wallets, bornAtSeconds, task.blocksPerSecond)

function latest(): number {
  return task.height + Math.floor(((Date.now() - startedAt) / 1000) * task.blocksPerSecond)
}

function resultOf(method: string, params: readonly unknown[]): string {
  switch (method) {
    case 'eth_chainId':
      return `"0x${CHAIN_ID.toString(16)}"`
    case 'eth_getCode':
      return '"0x60"'
    case 'eth_call':
      return `"${(params[0] as { data: string }).data === DECIMALS_CALL ? DECIMALS : SYMBOL}"`
    case 'eth_getBlockByNumber': {
      const tagged = { latest: latest(), finalized: latest() - task.unfinalized }
      const height = tagged[params[0] as keyof typeof tagged] ?? Number(params[0])
      if (height > latest()) return 'null'
      return params[1] === true ? chain.block(height) : chain.header(height)
    }
    case 'eth_getBlockReceipts':
      return chain.receiptsOf(Number(params[0]))
    default:
      throw new Error(`no such method: ${method}`)
  }
}

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

const answerOf = ({ id, method, params }: Call) => `{"jsonrpc":"2.0","id":${id},"result":${resultOf(method, params)}}`

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const calls = JSON.parse(Buffer.concat(chunks).toString()) as Call | readonly Call[]
    const text = Array.isArray(calls) ? `[${calls.map(answerOf).join(',')}]` : answerOf(calls as Call)
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
})
server.listen(0, '127.0.0.1', () => tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
