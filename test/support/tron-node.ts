import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChainView, EmulatedBlock } from './tron-chain.js'

/** What java-tron says to a path that it does not serve, even one of its other port. */
export const NOT_SERVED: FaultyAnswer = {
  text: '<html><head><title>Error 405 HTTP method POST is not supported by this URL</title></head></html>',
  status: 405,
  headers: { 'content-type': 'text/html;charset=iso-8859-1' },
}
const EMPTY_ROOT = '0'.repeat(64)
const BLOCKS_BY_LIMIT_MAX = 100

/** A request to a node. */
export interface NodeRequest {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A faulty answer: a different one, or one that is never complete. */
export type FaultyAnswer =
  | { readonly json: unknown; readonly status?: number }
  | { readonly text: string; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  /** Nothing is sent. */
  | 'hanging'
  /** The connection ends in the middle of the answer. */
  | 'cut'
  /** The answer never ends. */
  | 'endless'

/** Turns the answer of a sound node into another. */
export type Fault = (answer: unknown, request: NodeRequest) => FaultyAnswer

/** The token contract that an emulated node knows: what its constant methods return, ABI-encoded, by selector. */
export interface EmulatedToken {
  /** 40 hex digits. */
  readonly account: string
  readonly returns: Readonly<Record<string, string>>
  /** Further ones that the node knows. */
  readonly others?: readonly EmulatedToken[]
}

/**
 * An emulated TRON node on loopback: serves the REST interface from a view of an emulated chain, with scripted faults.
 */
export interface EmulatedTronNode {
  readonly url: string
  /** All requests, in order. */
  readonly requests: readonly NodeRequest[]
  /** Its view of the chain, which a test may replace. */
  view: ChainView
  /** Called before each request is answered, so that the chain can move between two requests. */
  onRequest: (request: NodeRequest) => void
  /** Spoils the answers of matching paths, `times` times. */
  spoil(path: RegExp, fault: Fault, times?: number): void
  close(): Promise<void>
}

/** Opens an emulated node. With a key it answers 401 to requests without it, as hosted nodes do. */
export async function openTronNode(
  view: ChainView,
  token: EmulatedToken,
  key: string | null = null,
): Promise<EmulatedTronNode> {
  const requests: NodeRequest[] = []
  let faults: { readonly path: RegExp; readonly fault: Fault; times: number }[] = []
  const server = createServer((message, response) => {
    const chunks: Buffer[] = []
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.on('error', () => {})
    message.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
      const request = { path: message.url ?? '', body, headers: message.headers }
      requests.push(request)
      node.onRequest(request)
      if (key !== null && message.headers['tron-pro-api-key'] !== key) {
        return send(response, { text: 'unauthorised', status: 401 })
      }
      const answer = answerOf(node.view, token, request)
      const found = faults.find(({ path, times }) => times > 0 && path.test(request.path))
      if (found === undefined) return send(response, answer === undefined ? NOT_SERVED : { json: answer })
      found.times -= 1
      send(response, found.fault(answer, request))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const node: EmulatedTronNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    view,
    onRequest: () => {},
    spoil(path, fault, times = Number.POSITIVE_INFINITY) {
      faults = [...faults, { path, fault, times }]
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return node
}

/** Undefined for a path that nodes do not serve. */
function answerOf(view: ChainView, token: EmulatedToken, { path, body }: NodeRequest): unknown {
  const [, side, method] = path.split('/')
  if (side !== 'wallet' && side !== 'walletsolidity') return undefined
  const known = side === 'walletsolidity' ? view.blocks.slice(0, view.solidified + 1) : view.blocks
  const at = (height: unknown): EmulatedBlock | undefined => known[Number(height ?? 0)]
  switch (method) {
    case 'getnowblock':
      return blockJson(known.at(-1))
    case 'getblock': {
      const { transactions: _, ...head } = blockJson(known.at(-1)) as Readonly<Record<string, unknown>>
      return head
    }
    case 'getblockbylatestnum':
      return { block: known.slice(-Number(body['num'])).map(blockJson) }
    case 'getblockbynum':
      return blockJson(at(body['num']))
    case 'getblockbylimitnext': {
      const from = Number(body['startNum'] ?? 0)
      const end = Number(body['endNum'])
      if (end <= from || end - from > BLOCKS_BY_LIMIT_MAX) return {}
      return { block: known.slice(from, end).map(blockJson) }
    }
    case 'gettransactioninfobyblocknum':
      return Number(body['num'] ?? 0) === 0 ? {} : receiptsJson(at(body['num']))
    case 'gettransactioninfobyid':
      return infoJson(known, body['value'])
    case 'gettransactionbyid':
      return known.flatMap(({ transactions }) => transactions).find(({ id }) => id === body['value'])?.json ?? {}
    case 'getnodeinfo': {
      const named = (block: EmulatedBlock | undefined) => `Num:${block?.height},ID:${block?.hash}`
      return {
        block: named(view.blocks.at(-1)),
        solidityBlock: named(view.blocks[view.solidified]),
        configNodeInfo: { codeVersion: '4.8.0', supportConstant: true },
      }
    }
    case 'getcontract':
      return body['value'] === `41${token.account}` ? { contract_address: body['value'], bytecode: '60' } : {}
    case 'triggerconstantcontract':
      return constantCallJson(token, body)
    default:
      return undefined
  }
}

function blockJson(block: EmulatedBlock | undefined): unknown {
  if (block === undefined) return {}
  const { height, hash, parentHash, timeMs, transactions } = block
  const isEmpty = transactions.length === 0
  return {
    blockID: hash,
    block_header: {
      raw_data: {
        ...(height === 0 ? {} : { number: height, timestamp: timeMs, version: 34 }),
        txTrieRoot: isEmpty ? EMPTY_ROOT : hash.slice(32).padEnd(64, 'f'),
        witness_address: '41b2f713d57dbcec679d93a8849fa0cd0e4db594ba',
        parentHash,
      },
      witness_signature: `${hash}${hash}00`,
    },
    ...(isEmpty ? {} : { transactions: transactions.map(({ json }) => json) }),
  }
}

function receiptsJson(block: EmulatedBlock | undefined): readonly unknown[] {
  if (block === undefined) return []
  const { height, timeMs, transactions } = block
  return transactions.map(({ info }) => ({ ...info, blockNumber: height, blockTimeStamp: timeMs }))
}

function infoJson(known: readonly EmulatedBlock[], id: unknown): unknown {
  const block = known.find(({ transactions }) => transactions.some((one) => one.id === id))
  return receiptsJson(block).find((info) => (info as { id: unknown }).id === id) ?? {}
}

/** Nodes report in hex why a call failed. */
function constantCallJson(token: EmulatedToken, body: NodeRequest['body']): unknown {
  const called = [token, ...(token.others ?? [])].find(({ account }) => body['contract_address'] === `41${account}`)
  if (called === undefined) {
    const message = Buffer.from('Smart contract is not exist.').toString('hex')
    return { result: { code: 'CONTRACT_VALIDATE_ERROR', message } }
  }
  const returned = called.returns[String(body['function_selector'])]
  if (returned === undefined) {
    const message = Buffer.from('REVERT opcode executed').toString('hex')
    return { result: { result: true, message }, constant_result: [''], transaction: { ret: [{ ret: 'FAILED' }] } }
  }
  return { result: { result: true }, energy_used: 459, constant_result: [returned], transaction: { ret: [{}] } }
}

function send(response: ServerResponse, answer: FaultyAnswer): void {
  // The reader may hang up in the middle; the test asserts what the reader makes of it.
  response.on('error', () => {})
  if (answer === 'hanging') return
  if (answer === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"blockID":"0000', () => response.destroy())
    return
  }
  if (answer === 'endless') {
    response.writeHead(200, { 'content-type': 'application/json' })
    sendForEver(response)
    return
  }
  if ('text' in answer) response.writeHead(answer.status ?? 200, answer.headers).end(answer.text)
  else
    response
      .writeHead(answer.status ?? 200, { 'content-type': 'application/json; charset=utf-8' })
      .end(jsonOf(answer.json))
}

function sendForEver(response: ServerResponse): void {
  const part = `${'["'.repeat(1)}${'0'.repeat(65_536)}",`
  const more = (): void => {
    while (!response.destroyed && response.write(part)) {
      // The buffer has room.
    }
  }
  response.on('drain', more)
  more()
}

/** JSON with integers that a double cannot hold. */
function jsonOf(value: unknown): string | undefined {
  const marked = JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? `\u0000${each}\u0000` : each,
  )
  return marked?.replace(/"\\u0000(-?\d+)\\u0000"/g, '$1')
}
