import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { projectRoot } from './project-root.js'

const FILE = join(projectRoot, 'test/networks/tron/recorded/java-tron-4.8.0.jsonl')
const BLOCK_MS = 3000
const DECIMALS = '6'.padStart(64, '0')

/** The token that is watched. */
export const RECORDED_TOKEN = 'TJxqqTHsrkipQAHAUvxGQjgzAKSib5fmX6'

export interface RecordedCase {
  readonly case: string
  readonly about: string
  readonly wallet?: string
  readonly height: number
  /** Answers, byte for byte. */
  readonly block: string
  readonly infos: string
}

export const recordedCases: readonly RecordedCase[] = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

interface ServedBlock {
  readonly id: string
  readonly timeMs: number
  readonly block: string
  readonly infos: string
}

/** A node that serves the recorded blocks within a chain of empty ones. */
export class RecordedTron {
  /** Heights of the newest block and of the last solidified one. */
  newest = 0
  solidified = 0
  /** The first block of the last range of solidified blocks that was asked for: those before it are recorded. */
  solidFrom = 0
  private readonly blocks: readonly ServedBlock[]

  private constructor(
    length: number,
    private readonly server: ReturnType<typeof createServer>,
  ) {
    this.blocks = chainOf(length)
  }

  static async start(length: number): Promise<RecordedTron> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const parameters = JSON.parse(Buffer.concat(chunks).toString() || '{}')
        response.setHeader('content-type', 'application/json;charset=utf-8')
        response.end(node.answer(request.url ?? '', parameters))
      })
    })
    const node = new RecordedTron(length, server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return node
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get genesis(): string {
    return this.blocks[0]?.id ?? ''
  }

  timeAt(height: number): number {
    return this.blocks[height]?.timeMs ?? 0
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    await closed
  }

  private answer(
    path: string,
    { num, startNum, endNum, function_selector }: Readonly<Record<string, unknown>>,
  ): string {
    const end = path.startsWith('/walletsolidity/') ? this.solidified : this.newest
    const known = this.blocks.slice(0, end + 1)
    switch (path.split('/').at(-1)) {
      case 'getnowblock':
        return known.at(-1)?.block ?? '{}'
      case 'getblockbynum':
        return known[Number(num ?? 0)]?.block ?? '{}'
      case 'getblockbylimitnext':
        if (path.startsWith('/walletsolidity/')) this.solidFrom = Number(startNum)
        return `{"block":[${known.slice(Number(startNum), Number(endNum)).map(({ block }) => block)}]}`
      case 'gettransactioninfobyblocknum':
        return known[Number(num)]?.infos ?? '[]'
      case 'triggerconstantcontract': {
        const returned = function_selector === 'decimals()' ? DECIMALS : ''
        return JSON.stringify({ result: { result: true }, constant_result: [returned] })
      }
      default:
        return '{}'
    }
  }
}

/** Each block that is not recorded is empty, and the parent of the next. */
function chainOf(length: number): readonly ServedBlock[] {
  const recorded = new Map(recordedCases.map((one) => [one.height, one]))
  const blocks: ServedBlock[] = []
  for (let height = 0; height < length; height += 1) {
    const previous = blocks.at(-1)
    const own = recorded.get(height)
    if (own === undefined) blocks.push(emptyBlock(height, previous, recorded.get(height + 1)))
    else blocks.push({ ...own, id: JSON.parse(own.block).blockID, timeMs: timeOf(own) })
  }
  return blocks
}

function emptyBlock(height: number, previous: ServedBlock | undefined, next: RecordedCase | undefined): ServedBlock {
  const own = height.toString(16).padStart(16, '0').padEnd(64, 'e')
  const id: string = next === undefined ? own : JSON.parse(next.block).block_header.raw_data.parentHash
  const firstMs = Math.min(...recordedCases.filter((one) => one.height > 0).map(timeOf)) - 1_000_000
  const timeMs = Math.max(previous?.timeMs ?? 0, firstMs) + BLOCK_MS
  const raw = { number: height, txTrieRoot: '0'.repeat(64), parentHash: previous?.id, timestamp: timeMs }
  return { id, timeMs, block: JSON.stringify({ blockID: id, block_header: { raw_data: raw } }), infos: '[]' }
}

function timeOf({ block }: RecordedCase): number {
  return JSON.parse(block).block_header.raw_data.timestamp ?? 0
}
