import { describe, test } from 'node:test'
import { proxyNames, shareConnections } from './deployed.js'
import { type EchoServer, engines, startEcho } from './echo-server.js'
import { ProxyProcess, programOf } from './proxy-process.js'

/** A proxy with the file of deploy/, whose clients share connections to a server that echoes paths. */
export interface ProxiedEcho {
  readonly proxy: ProxyProcess
  readonly server: EchoServer
}

/** A test of each proxy that is installed, before each engine. */
export function describeProxied(what: string, check: (proxied: ProxiedEcho) => Promise<void>): void {
  describe(what, { concurrency: true, timeout: 120_000 }, async () => {
    for (const name of proxyNames) {
      const program = programOf(name)
      for (const { name: engine, Server } of await engines()) {
        test(`${name} before ${engine}`, { skip: program === null ? `${name} is not installed` : false }, async () => {
          const server = await startEcho(Server)
          let proxy: ProxyProcess | undefined
          try {
            const adapt = shareConnections(name)
            proxy = await ProxyProcess.start({ name, program: program ?? '', upstreamPort: server.port, adapt })
            await check({ proxy, server })
          } finally {
            await proxy?.stop()
            server.close()
          }
        })
      }
    }
  })
}
