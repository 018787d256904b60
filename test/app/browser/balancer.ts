import { LoopbackServer } from '../../support/loopback-server.js'
import { forward } from './forward.js'

/** What any process answers. The ledger of a sandbox is inside one process, so everything about it goes to the first. */
const OF_ALL = /^\/api\/(?:users|invoices|orders)(?:\/|$)/

/** Opens a proxy before several processes on one database, which asks them in turn. There may be none yet, and nobody asks so early. */
export async function openBalancer(targets: readonly string[]): Promise<LoopbackServer> {
  const server = await LoopbackServer.open()
  let turn = 0
  server.answer = (request, response) => {
    const isOfAll = OF_ALL.test(request.path)
    if (isOfAll) turn += 1
    forward(request, response, targets[isOfAll ? turn % targets.length : 0] ?? '')
  }
  return server
}
