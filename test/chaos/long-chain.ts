import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Items of a list that are put together at once. */
const TOGETHER = 200

/** A made-up chain with one block that is long, whose node writes its answers as they are read. */
export interface LongChain {
  readonly network: string
  /** The settings of the service beside the URL of the node. */
  readonly settings: (url: string) => Readonly<Record<string, string>>
  readonly wallet: string
  /** Payments to the wallet in the long block. */
  readonly payments: number
  /** The height of its newest block. */
  latest: number
  answer(path: string, body: string): Iterable<string>
}

/** The node of such a chain. */
export class LongNode {
  /** The length of its longest answer. */
  longestBytes = 0
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      this.write(response, this.chain.answer(request.url ?? '', Buffer.concat(chunks).toString()))
    })
  })

  private constructor(private readonly chain: LongChain) {}

  static async start(chain: LongChain): Promise<LongNode> {
    const node = new LongNode(chain)
    node.server.listen(0, '127.0.0.1')
    await once(node.server, 'listening')
    return node
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  /** Goes on as far as the client follows. */
  private write(response: ServerResponse, answer: Iterable<string>): void {
    const pieces = answer[Symbol.iterator]()
    let bytes = 0
    const more = () => {
      for (let next = pieces.next(); ; next = pieces.next()) {
        if (next.done === true) break
        bytes += next.value.length
        if (!response.write(next.value)) return response.once('drain', more)
      }
      this.longestBytes = Math.max(this.longestBytes, bytes)
      return response.end()
    }
    more()
  }
}

/** The items of a list in JSON, some at once. */
export function* listed(count: number, item: (i: number) => string): Generator<string> {
  for (let from = 0; from < count; from += TOGETHER) {
    const some = Array.from({ length: Math.min(TOGETHER, count - from) }, (_, i) => item(from + i))
    yield `${from === 0 ? '' : ','}${some.join(',')}`
  }
}
