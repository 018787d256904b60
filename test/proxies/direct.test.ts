import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { CertificateFiles } from '../../src/http/certificate.js'
import type { HttpServerClass } from '../../src/http/server.js'
import { memoryDirectory } from '../support/temporary-directory.js'
import { certificateOfHost } from './certificate.js'
import { type EchoServer, engines, startEcho } from './echo-server.js'
import { askFor, StreamClient } from './stream-client.js'
import { hostileStreams, type MakeStream, plainStreams, type Stream, toleratedStreams } from './streams.js'

const ANSWER_MS = 10_000
/** Prime, so that the places differ from stream to stream. */
const TLS_CUT_STEP = 23

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
    const client = await StreamClient.open(server)
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
    const probe = await askFor(server, '/probe', ANSWER_MS)
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

/** Every place to cut a stream of so many bytes. */
function everywhere(length: number): readonly number[] {
  return [length, ...Array.from({ length: length - 1 }, (_, n) => n + 1)]
}

/** Some places, another few in each stream: a handshake for every place would take minutes. */
function hereAndThere(length: number): readonly number[] {
  const first = 1 + (length % TLS_CUT_STEP)
  return [length, ...everywhere(length).filter((cut) => cut < length && cut % TLS_CUT_STEP === first % TLS_CUT_STEP)]
}

function testEngine(name: string, Server: HttpServerClass, cuts: typeof everywhere, files?: CertificateFiles): void {
  describe(`byte streams to ${name}`, { timeout: 120_000 }, () => {
    for (const [what, make] of Object.entries({ ...plainStreams, ...hostileStreams })) {
      test(what, async (t) => {
        const server = await startEcho(Server, files)
        t.after(() => server.close())
        const { length } = make('/000000').bytes
        const runs = await sendCut(server, make, cuts(length))
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

const place = memoryDirectory()
after(() => place.remove())
const { certificateFile, keyFile } = certificateOfHost(place.path)
const files: CertificateFiles = { certificate: certificateFile, key: keyFile }
for (const { name, Server } of await engines()) {
  testEngine(name, Server, everywhere)
  testEngine(`${name} by TLS`, Server, hereAndThere, files)
}

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
