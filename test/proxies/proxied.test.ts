import assert from 'node:assert/strict'
import type { EchoServer } from './echo-server.js'
import { describeProxied } from './proxied-echo.js'
import type { ProxyProcess } from './proxy-process.js'
import { askFor, type Peer, StreamClient } from './stream-client.js'
import { hostileStreams, plainStreams, type Stream, toleratedStreams } from './streams.js'

/** A proxy may wait for the rest of a body that never comes. */
const PATIENCE_MS = 40
const PACKET_MS = 2
const ANSWER_MS = 10_000
const LOG_MS = 2_000

/** Where a stream is cut into two packets, as a part of its length; 1 is not cut. */
const CUTS = [1, 0.6]

const streams = { ...plainStreams, ...hostileStreams, ...toleratedStreams }

/** What proxies ask on their own. */
const PROBES: readonly string[] = ['/readyz']

function baseOf(path: string): string {
  return path.slice(0, '/api/000000'.length)
}

/** A proxy before a server that echoes paths, and what went wrong so far. */
class Front {
  readonly violations: string[] = []
  private made = 0
  private readonly names = new Map<string, string>()
  private readonly proxy: Peer

  constructor(
    private readonly server: EchoServer,
    { httpsPort, certificate }: ProxyProcess,
  ) {
    this.proxy = { port: httpsPort, certificate }
  }

  /** Sends one stream, and then asks for something else on the connection that the proxy shares. */
  async send(name: string, cut: number): Promise<void> {
    this.made += 1
    const base = `/api/${String(this.made).padStart(6, '0')}`
    this.names.set(base, `${name}, cut at ${cut}`)
    const stream = (streams[name] ?? assert.fail(name))(base)
    const patienceMs = name in plainStreams ? ANSWER_MS : PATIENCE_MS
    const attacker = await this.attack(stream, Math.floor(cut * stream.bytes.length), patienceMs)
    for (const path of [`${base}/other-1`, `${base}/other-2`]) await this.askBeside(path)
    // Only paths of the attacker's own: nobody else's answer.
    if (!attacker.echoes.every((path) => path.startsWith(`${base}/`) && !path.includes('/other'))) {
      this.violations.push(`${this.names.get(base)}: the attacker was answered ${attacker.echoes}`)
    }
    if (name in plainStreams) {
      const executed = this.server.executed.filter((path) => path.startsWith(base) && !path.includes('/other'))
      assert.deepEqual(executed.toSorted(), stream.requests.toSorted(), name)
    }
  }

  /** Requests that were executed though the proxy has written of none, or of fewer: there must be none. */
  unseen(proxyLog: string): readonly string[] {
    const executedPaths = this.server.executed.filter((path) => !PROBES.includes(path))
    return [...new Set(executedPaths)].flatMap((path) => {
      const executed = executedPaths.filter((other) => other === path).length
      const seen = proxyLog.split(new RegExp(`${path}(?![\\w-])`)).length - 1
      return executed > seen
        ? [`${this.names.get(baseOf(path))}: ${path} executed ${executed}, seen ${seen} times`]
        : []
    })
  }

  private async attack(stream: Stream, cut: number, patienceMs: number): Promise<StreamClient> {
    const client = await StreamClient.open(this.proxy)
    client.send(stream.bytes.subarray(0, cut))
    if (cut < stream.bytes.length) {
      await new Promise((resolve) => setTimeout(resolve, PACKET_MS))
      client.send(stream.bytes.subarray(cut))
    }
    const answers = Math.max(1, stream.requests.length)
    await client.until(({ echoes, status }) => echoes.length === answers || (status ?? 0) >= 400, patienceMs)
    client.leave()
    return client
  }

  /** Another client gets its own answer, or the proxy's own word that there is none. */
  private async askBeside(path: string): Promise<void> {
    const { status, echoes } = await askFor(this.proxy, path, ANSWER_MS)
    const isOwn = status === 200 ? echoes.length === 1 && echoes[0] === path : [502, 503, 504].includes(status ?? 0)
    if (!isOwn) this.violations.push(`${this.names.get(baseOf(path))}: ${path} answered ${status} ${echoes}`)
  }
}

describeProxied(
  'byte streams through a proxy execute no request but those that it saw, and mix up no answers',
  async ({ proxy, server }) => {
    const front = new Front(server, proxy)
    for (const stream of Object.keys(streams)) {
      for (const cut of CUTS) await front.send(stream, cut)
    }
    // A proxy may write of a request only after its answer has left, and one that is ended then never does.
    await proxy.untilLog((log) => front.unseen(log).length === 0, LOG_MS)
    assert.deepEqual([...front.violations, ...front.unseen(await proxy.stop())], [])
  },
)
