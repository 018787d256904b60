import { readFileSync } from 'node:fs'
import { failure } from '../../src/domain/failure.js'
import type { CertificateFiles } from '../../src/http/certificate.js'
import { chooseServer } from '../../src/http/choose-server.js'
import { failureAnswer } from '../../src/http/json.js'
import { NodeServer } from '../../src/http/node/server.js'
import type { Answer, HttpServerClass, Target } from '../../src/http/server.js'
import type { Peer } from './stream-client.js'
import { STREAM_BODY_LIMIT_BYTES } from './streams.js'

/** The engines that run on this machine. */
export async function engines(): Promise<readonly { readonly name: string; readonly Server: HttpServerClass }[]> {
  const chosen = await chooseServer('auto')
  return [{ name: 'node:http', Server: NodeServer }, ...(chosen.name === 'uws' ? [chosen] : [])]
}

/** A server that answers each request with its path, and remembers which it executed. */
export interface EchoServer extends Peer {
  readonly executed: readonly string[]
  close(): void
}

/** With `files` it speaks TLS. */
export async function startEcho(Server: HttpServerClass, files?: CertificateFiles): Promise<EchoServer> {
  const executed: string[] = []
  const target: Target = {
    bodyLimitBytes: STREAM_BODY_LIMIT_BYTES,
    handle: ({ path, method }) => {
      executed.push(path)
      const answer: Answer = { status: 200, headers: {}, body: `echo ${path}` }
      // Creations are answered later, reads at once.
      return method === 'POST' ? new Promise((resolve) => setImmediate(() => resolve(answer))) : answer
    },
    refuse: (code) => failureAnswer(failure(code)),
  }
  const server = new Server(
    () => target,
    {
      host: '127.0.0.1',
      port: 0,
      connectionLimit: 10_000,
      unfinishedBodiesLimitBytes: 10_000_000,
      unreadAnswersLimitBytes: 64_000_000,
      requestTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      ...(files === undefined ? {} : { certificate: files }),
    },
    (error) => {
      throw error
    },
  )
  const { port } = await server.listen()
  const certificate = files === undefined ? {} : { certificate: readFileSync(files.certificate, 'utf8') }
  return { port, ...certificate, executed, close: () => server.close() }
}
