import { join } from 'node:path'
import type { Findings } from './bench.js'
import { startConstantServer } from './limits/constant-server.js'
import type { Merchants } from './merchants.js'
import type { CreationName } from './ordinary/creation.js'
import { startOrdinary } from './ordinary/start.js'
import { registerMerchants } from './registration.js'
import { startBenched } from './service-process.js'

export const BILLHOOK = 'Billhook'
export const HOT_WALLET = 'Billhook, one hot wallet'
/** A straightforward implementation, statement by statement. */
export const ORDINARY = 'ordinary stack'
/** A version tuned for PostgreSQL. */
const STORED_FUNCTION = 'ordinary stack, one stored function'
export const ECHO = 'uWebSockets.js echo'

/**
 * noble alone verifies some hundred signatures a second, and the service rejects what would wait more than a second.
 */
const NOBLE_CONNECTIONS = 256

/** A server that signed creations are sent to. */
export interface Contestant {
  readonly name: string
  readonly group: 'throughput' | 'limits'
  readonly wallets: 'many' | 'one'
  readonly note?: string
  /** Whether it is Fastify and PostgreSQL. */
  readonly isOrdinary?: boolean
  /** Maximum number of connections, for contestants that cannot take all of them. */
  readonly connectionsMax?: number
  /** Starts it in a directory of its own and registers all merchants. */
  start(directory: string): Promise<{ readonly url: string; stop(): Promise<void> }>
}

/** In the order in which they take turns. The ordinary stacks are last: their databases go on writing for a while. */
export function contestants(merchants: Merchants, findings: Findings): readonly Contestant[] {
  const billhook = (name: string, wallets: 'many' | 'one', settings: Readonly<Record<string, string>>): Contestant => ({
    name,
    group: 'throughput',
    wallets,
    start: async (directory) => {
      const service = await startBenched(join(directory, 'data'), settings)
      try {
        await registerMerchants(service.url, merchants.signers, merchants.wallets)
      } catch (error) {
        await service.stop()
        throw error
      }
      return service
    },
  })
  const ordinary = (name: string, creation: CreationName, note: string): Contestant => ({
    name,
    group: 'throughput',
    wallets: 'many',
    note,
    isOrdinary: true,
    start: async (directory) => {
      const stack = await startOrdinary(directory, creation, { signers: merchants.signers, wallets: merchants.wallets })
      findings.versions[ORDINARY] = stack.version
      return stack
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
      ...billhook('Billhook without key tables', 'many', { BILLHOOK_KEY_TABLES: '0' }),
      note: 'every signature is verified by libsecp256k1, one by one',
    },
    {
      ...billhook('Billhook, noble', 'many', { BILLHOOK_VERIFY_ENGINE: 'noble' }),
      connectionsMax: NOBLE_CONNECTIONS,
      note: `over at most ${NOBLE_CONNECTIONS} connections: until keys have tables, more would wait for more than a second and be refused`,
    },
    ordinary(
      ORDINARY,
      'statements',
      'Fastify, node:crypto, PostgreSQL: the statements of a creation in one transaction',
    ),
    ordinary(
      STORED_FUNCTION,
      'stored function',
      'the same, with the whole creation as one call of a PL/pgSQL function',
    ),
  ]
}

const id = '0'.repeat(32)

/** An answer as long as that to a creation. */
export const createdAnswer = {
  status: '201 Created',
  headers: [
    ['content-type', 'application/json; charset=utf-8'],
    ['location', `/api/invoices/${id}`],
  ],
  body: JSON.stringify({ id, url: `/pay/${id}` }),
} as const
