import { connect, type Socket } from 'node:net'
import { argument, machineMs, tell } from '../parent.js'
import { quantile } from '../quantile.js'
import { readRequestFile } from '../request-file.js'
import type { SenderReport, SenderTask } from './sender-report.js'

/**
 * Sends each request of a file once. With a rate it is an open loop: requests become due at even intervals whatever the
 * service does, one that finds no free connection waits for one, and its latency counts from when it was due. It looks
 * at what is due every millisecond or so; that delay, too, is part of the latency.
 */

const HEAD_END = '\r\n\r\n'
const TICK_MS = 1

interface Connection {
  readonly socket: Socket
  answer: string
  /** Position of the current request in the file. */
  n: number
  dueAt: number
  isBusy: boolean
}

const task = argument<SenderTask>()
const requests = readRequestFile(task.requests)
const idle: Connection[] = []
const latencies: number[] = []
const answeredAt: number[] = []
let sent = 0
let answered = 0
let bytes = 0
let startedAt = 0

await Promise.all(Array.from({ length: task.connections }, open))
startedAt = machineMs()
if (task.perSecond === null) while (hasNext()) sendNext(startedAt)
else setInterval(sendDue, TICK_MS)

function open(): Promise<void> {
  const { hostname, port } = new URL(task.url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const connection: Connection = { socket, answer: '', n: 0, dueAt: 0, isBusy: false }
    socket.setEncoding('latin1')
    socket.once('connect', () => {
      idle.push(connection)
      resolve()
    })
    socket.once('error', reject)
    socket.on('close', () => lost(connection))
    socket.on('data', (text: string) => receive(connection, text))
  })
}

function hasNext(): boolean {
  return idle.length > 0 && sent < requests.length
}

function sendNext(dueAt: number): void {
  // The one that waited longest: the service closes connections that stay idle.
  const connection = idle.shift()
  const request = requests[sent]
  if (connection === undefined || request === undefined) throw new Error('nothing to send, or nowhere to send it')
  connection.n = sent
  sent += 1
  connection.dueAt = dueAt
  connection.isBusy = true
  connection.socket.write(request)
  bytes += request.length
}

function sendDue(): void {
  const intervalMs = 1000 / (task.perSecond ?? 1)
  const now = machineMs()
  while (hasNext() && startedAt + sent * intervalMs <= now) sendNext(startedAt + sent * intervalMs)
}

function receive(connection: Connection, text: string): void {
  connection.answer += text
  const { answer } = connection
  const headEnd = answer.indexOf(HEAD_END)
  if (headEnd < 0) return
  const length = Number(/content-length: (\d+)/i.exec(answer)?.[1] ?? 0)
  if (answer.length < headEnd + HEAD_END.length + length) return
  if (Number(answer.slice(9, 12)) !== task.status) throw new Error(`unexpected answer: ${answer}`)
  bytes += connection.answer.length
  connection.answer = ''
  connection.isBusy = false
  answered += 1
  const now = machineMs()
  if (connection.dueAt >= startedAt + task.warmUpSeconds * 1000) latencies.push(now - connection.dueAt)
  if (task.tellTimes) answeredAt[connection.n] = now
  idle.push(connection)
  if (answered === requests.length) finish(now)
  else if (task.perSecond === null) while (hasNext()) sendNext(now)
  else sendDue()
}

/** Replaces a connection that the service closed because it was idle. */
function lost(connection: Connection): void {
  if (connection.isBusy) throw new Error('the service closed a connection in the middle of a request')
  idle.splice(idle.indexOf(connection), 1)
  void open()
}

function finish(now: number): void {
  const sorted = Float64Array.from(latencies).sort()
  const report: SenderReport = {
    p50: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    p99: quantile(sorted, 0.99),
    p999: quantile(sorted, 0.999),
    answers: sorted.length,
    seconds: (now - startedAt) / 1000,
    bytes,
    answeredAt,
  }
  tell(report)
}
