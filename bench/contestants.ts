import { join } from 'node:path'
import type { Findings } from './bench.js'
import { startConstantServer } from './limits/constant-server.js'
import type { Merchants } from './merchants.js'
import { startOrdinary } from './ordinary/start.js'
import { startBenched } from './service-process.js'

export const BILLHOOK = 'Billhook'
export const HOT_WALLET = 'Billhook, one hot wallet'
export const ORDINARY = 'ordinary stack'
export const ECHO = 'uWebSockets.js echo'

/** The noble engine verifies some hundred signatures a second; the service refuses what would wait for more than a second. */
const NOBLE_CONNECTIONS = 256

/** A server that signed creations are sent to. */
export interface Contestant {
  readonly name: string
  readonly group: 'throughput' | 'limits'
  readonly wallets: 'many' | 'one'
  readonly note?: string
  /** At most so many connections at once, where all of them would be too many for it. */
  readonly connectionsMax?: number
  /** Starts it in a directory of its own, with all merchants known. */
  start(directory: string): Promise<{ readonly url: string; stop(): Promise<void> }>
}

/** In the order in which they take turns. The ordinary stack is last: its database goes on writing for a while. */
export function contestants(merchants: Merchants, findings: Findings): readonly Contestant[] {
  const billhook = (name: string, wallets: 'many' | 'one', settings: Readonly<Record<string, string>>): Contestant => ({
    name,
    group: 'throughput',
    wallets,
    start: async (directory) => {
      const service = await startBenched(join(directory, 'data'), settings)
      try {
        await merchants.register(service.url)
      } catch (error) {
        await service.stop()
        throw error
      }
      return service
    },
  })
  return [
    {
      name: ECHO,
      group: 'limits',
      wallets: 'many',
      note: 'the same requests, answered with a constant',
      start: () => startConstantServer(createdAnswer),
    },
    billhook(BILLHOOK, 'many', {}),
    billhook(HOT_WALLET, 'one', {}),
    billhook('Billhook, node:http', 'many', { BILLHOOK_HTTP: 'node' }),
    {
      ...billhook('Billhook, noble', 'many', { BILLHOOK_VERIFY_ENGINE: 'noble' }),
      connectionsMax: NOBLE_CONNECTIONS,
      note: `over at most ${NOBLE_CONNECTIONS} connections: more would wait for more than a second and are refused`,
    },
    {
      name: ORDINARY,
      group: 'throughput',
      wallets: 'many',
      note: 'Fastify, node:crypto, PostgreSQL',
      start: async (directory) => {
        const stack = await startOrdinary(directory, { signers: merchants.signers, wallets: merchants.wallets })
        findings.versions['ordinary stack'] = stack.version
        return stack
      },
    },
  ]
}

const id = '0'.repeat(32)

/** As long as the answer to a creation. */
export const createdAnswer = {
  status: '201 Created',
  headers: [
    ['content-type', 'application/json; charset=utf-8'],
    ['location', `/api/invoices/${id}`],
  ],
  body: JSON.stringify({ id, url: `/pay/${id}` }),
} as const
