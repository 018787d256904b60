import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HttpServerClass } from '../../src/http/server.js'
import { type EchoServer, engines, startEcho } from './echo-server.js'
import { type ProxyName, ProxyProcess, programOf, proxyNames } from './proxy-process.js'
import { askFor, StreamClient } from './stream-client.js'
import { hostileStreams, plainStreams, type Stream, toleratedStreams } from './streams.js'

/** A proxy may wait for the rest of a body that never comes. */
const PATIENCE_MS = 40
const PACKET_MS = 2
const ANSWER_MS = 10_000

/** Where a stream is cut into two packets, as a part of its length; 1 is not cut. */
const CUTS = [1, 0.6]

const streams = { ...plainStreams, ...hostileStreams, ...toleratedStreams }

/** A proxy before a server that echoes paths, and what went wrong so far. */
class Front {
  readonly violations: string[] = []
  private made = 0
  private readonly names = new Map<string, string>()

  constructor(
    private readonly server: EchoServer,
    private readonly proxy: ProxyProcess,
  ) {}

  /** Sends one stream, and then asks for something else on the connection that the proxy shares. */
  async send(name: string, cut: number): Promise<void> {
    this.made += 1
    const base = `/${String(this.made).padStart(6, '0')}`
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

  /** Every request that was executed must be one that the proxy saw, as often as it saw it. */
  judge(proxyLog: string): void {
    for (const path of new Set(this.server.executed)) {
      const executed = this.server.executed.filter((other) => other === path).length
      const seen = proxyLog.split(new RegExp(`${path}(?![\\w-])`)).length - 1
      if (executed > seen) {
        this.violations.push(`${this.names.get(path.slice(0, 7))}: ${path} executed ${executed}, seen ${seen} times`)
      }
    }
  }

  private async attack(stream: Stream, cut: number, patienceMs: number): Promise<StreamClient> {
    const client = await StreamClient.open(this.proxy.port)
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
    const { status, echoes } = await askFor(this.proxy.port, path, ANSWER_MS)
    const isOwn = status === 200 ? echoes.length === 1 && echoes[0] === path : [502, 503, 504].includes(status ?? 0)
    if (!isOwn) this.violations.push(`${this.names.get(path.slice(0, 7))}: ${path} answered ${status} ${echoes}`)
  }
}

async function sendAll(name: ProxyName, program: string, Server: HttpServerClass): Promise<void> {
  const server = await startEcho(Server)
  let proxy: ProxyProcess | undefined
  try {
    proxy = await ProxyProcess.start(name, program, server.port)
    const front = new Front(server, proxy)
    for (const stream of Object.keys(streams)) {
      for (const cut of CUTS) await front.send(stream, cut)
    }
    front.judge(await proxy.stop())
    assert.deepEqual(front.violations, [])
  } finally {
    await proxy?.stop()
    server.close()
  }
}

describe('byte streams through a proxy execute no request but those that it saw, and mix up no answers', {
  concurrency: true,
  timeout: 120_000,
}, async () => {
  for (const name of proxyNames) {
    const program = programOf(name)
    for (const { name: engine, Server } of await engines()) {
      test(`${name} before ${engine}`, { skip: program === null ? `${name} is not installed` : false }, () =>
        sendAll(name, program ?? '', Server),
      )
    }
  }
})
