import { describe, test } from 'node:test'
import { missingPrograms } from '../support/programs.js'
import { proxyNames, shareConnections } from './deployed.js'
import { type EchoServer, engines, startEcho } from './echo-server.js'
import { ProxyProcess } from './proxy-process.js'

/** A proxy with the file of deploy/, whose clients share connections to a server that echoes paths. */
export interface ProxiedEcho {
  readonly proxy: ProxyProcess
  readonly server: EchoServer
}

/** A test of each proxy that is installed, before each engine. */
export function describeProxied(what: string, check: (proxied: ProxiedEcho) => Promise<void>): void {
  describe(what, { concurrency: true, timeout: 120_000 }, async () => {
    for (const name of proxyNames) {
      for (const { name: engine, Server } of await engines()) {
        test(`${name} before ${engine}`, { skip: missingPrograms(name) }, async () => {
          const server = await startEcho(Server)
          let proxy: ProxyProcess | undefined
          try {
            const adapt = shareConnections(name)
            proxy = await ProxyProcess.start({ name, upstreamPort: server.port, adapt })
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
