import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HttpServerClass } from '../../src/http/server.js'
import { type EchoServer, engines, startEcho } from './echo-server.js'
import { askFor, StreamClient } from './stream-client.js'
import { hostileStreams, type MakeStream, plainStreams, type Stream, toleratedStreams } from './streams.js'

const ANSWER_MS = 10_000

let made = 0

interface Run {
  readonly cut: number
  readonly stream: Stream
  readonly client: StreamClient
}

/** Sends a stream in two packets, once for each place to cut it; and whole, where nothing is cut off. */
async function sendCut(server: EchoServer, make: MakeStream, cuts: readonly number[]): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (const cut of cuts) {
    made += 1
    const client = await StreamClient.open(server.port)
    runs.push({ cut, stream: make(`/${String(made).padStart(6, '0')}`), client })
  }
  for (const { cut, stream, client } of runs) client.send(stream.bytes.subarray(0, cut))
  await served(server)
  for (const { cut, stream, client } of runs) client.send(stream.bytes.subarray(cut))
  await served(server)
  return runs
}

/** Client and server share an event loop: once later requests are answered, everything sent before has been read. */
async function served(server: EchoServer): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const probe = await askFor(server.port, '/probe', ANSWER_MS)
    assert.deepEqual(probe.echoes, ['/probe'])
  }
}

/** Whether those are the first of all. A later one may be executed while the body of an earlier one is taken in. */
function areFirst(some: readonly string[], all: readonly string[]): boolean {
  return new Set(some).size === some.length && some.every((value) => all.slice(0, some.length).includes(value))
}

function isPrefix(some: readonly string[], all: readonly string[]): boolean {
  return some.every((value, at) => value === all[at])
}

function executedBy(server: EchoServer, { stream }: Run): readonly string[] {
  const base = /\/\d{6}/.exec(stream.bytes.toString('latin1'))?.[0] ?? 'none'
  return server.executed.filter((path) => path.startsWith(base))
}

function testEngine(name: string, Server: HttpServerClass): void {
  describe(`byte streams to ${name}`, { timeout: 120_000 }, () => {
    for (const [what, make] of Object.entries({ ...plainStreams, ...hostileStreams })) {
      test(what, async (t) => {
        const server = await startEcho(Server)
        t.after(() => server.close())
        const length = make('/000000').bytes.length
        const runs = await sendCut(server, make, [length, ...Array.from({ length: length - 1 }, (_, n) => n + 1)])
        for (const run of runs) {
          const { cut, stream, client } = run
          const executed = executedBy(server, run)
          const place = cut === length ? 'in one packet' : `cut at ${cut}`
          assert.ok(areFirst(executed, stream.requests), `${place} executed ${executed}`)
          assert.ok(isPrefix(client.echoes, stream.requests), `${place}: ${client.echoes} for ${executed}`)
          if (what in plainStreams && cut === length) {
            assert.deepEqual(executed, stream.requests)
            assert.deepEqual(client.echoes, executed)
          }
          client.leave()
        }
      })
    }
  })
}

for (const { name, Server } of await engines()) testEngine(name, Server)

describe('what uWebSockets.js tolerates', async () => {
  const uws = (await engines()).find(({ name }) => name === 'uws')
  for (const [what, make] of Object.entries(toleratedStreams)) {
    // The docs tell operators of it. When this fails the engine has changed: then it is refused, and the docs can say less.
    test(what, { skip: uws === undefined ? 'it has no binary here' : false }, async (t) => {
      assert.ok(uws)
      const server = await startEcho(uws.Server)
      t.after(() => server.close())
      const [run] = await sendCut(server, make, [make('/000000').bytes.length])
      assert.ok(run)
      assert.notDeepEqual(executedBy(server, run), [])
      run.client.leave()
    })
  }
})
