import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** Lists that are asked for again and again, from a thread of its own, so that the measuring does not wait for it. */
export interface ListAttack {
  readonly port: number
  readonly path: string
  readonly connections: number
  /** Whether the answers are read. */
  readonly reads: boolean
  readonly durationMs: number
}

/** What became of it. */
export interface ListReport {
  readonly complete: number
  readonly refused: number
  readonly receivedBytes: number
}

const attack: ListAttack = workerData
const request = `GET ${attack.path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
/** How a streamed answer ends, and an answer in one piece of known length is counted by its bytes. */
const STREAM_END = '0\r\n\r\n'
/** Sooner than a refusal asks for. */
const AGAIN_MS = 20
const sockets = new Set<Socket>()
let complete = 0
let refused = 0
let receivedBytes = 0
let isOver = false

function open(): void {
  const socket = connect({ port: attack.port, host: '127.0.0.1', localAddress: '127.0.0.9' })
  sockets.add(socket)
  let tail = ''
  let left = -1
  socket.setEncoding('latin1')
  socket.on('error', () => undefined)
  socket.on('close', () => {
    sockets.delete(socket)
    if (!isOver) setTimeout(open, 50)
  })
  if (!attack.reads) socket.pause()
  const again = () => {
    tail = ''
    left = -1
    if (!isOver) socket.write(request)
  }
  socket.on('data', (text: string) => {
    receivedBytes += text.length
    if (left < 0) {
      tail += text
      const end = tail.indexOf('\r\n\r\n')
      if (end < 0) return
      const head = tail.slice(0, end).toLowerCase()
      if (head.startsWith('http/1.1 503')) refused += 1
      else if (head.startsWith('http/1.1 200')) complete += 1
      const length = /content-length: (\d+)/.exec(head)?.[1]
      left = length === undefined ? Number.POSITIVE_INFINITY : Number(length) - (tail.length - end - 4)
      tail = tail.slice(-STREAM_END.length)
    } else {
      left -= text.length
      tail = (tail + text).slice(-STREAM_END.length)
    }
    if (left <= 0 || (left === Number.POSITIVE_INFINITY && tail === STREAM_END)) setTimeout(again, AGAIN_MS)
  })
  socket.write(request)
}

for (let n = 0; n < attack.connections; n += 1) open()
await new Promise((resolve) => setTimeout(resolve, attack.durationMs))
isOver = true
for (const socket of sockets) socket.destroy()
const report: ListReport = { complete, refused, receivedBytes }
parentPort?.postMessage(report)
