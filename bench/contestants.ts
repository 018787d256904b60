import { join } from 'node:path'
import { makeCertificate } from '../test/support/certificates.js'
import type { ServiceProcess } from '../test/support/service-process.js'
import type { Findings } from './bench.js'
import { startConstantServer } from './limits/constant-server.js'
import type { Merchants } from './merchants.js'
import { BILLHOOK, ECHO, HOT_WALLET, ORDINARY, STORED_FUNCTION, TLS } from './names.js'
import type { CreationName } from './ordinary/creation.js'
import { startOrdinary } from './ordinary/start.js'
import { registerMerchants } from './registration.js'
import { startBenched } from './service-process.js'

/**
 * noble alone verifies some hundred signatures a second, and the service rejects what would wait more than a second.
 */
const NOBLE_CONNECTIONS = 256

/** A server that signed creations are sent to. */
export interface Contestant {
  readonly name: string
  readonly group: 'throughput' | 'limits' | 'postgres'
  readonly wallets: 'many' | 'one'
  readonly note?: string
  /** Whether it is Fastify and PostgreSQL. */
  readonly isOrdinary?: boolean
  /** Maximum number of connections, for contestants that cannot take all of them. */
  readonly connectionsMax?: number
  /** Starts it in a directory of its own and registers all merchants. */
  start(directory: string): Promise<Started>
}

/** A contestant that is ready for the load. */
export interface Started {
  /** Where it takes requests; each takes an equal share of them, over an equal share of the connections. */
  readonly urls: readonly string[]
  /** Its processes, by what the report calls them, where their processor time is to be measured. */
  pids?(): Readonly<Record<string, readonly number[]>>
  stop(): Promise<void>
}

/** In the order in which they take turns. The ordinary stacks are last: their databases go on writing for a while. */
export function contestants(merchants: Merchants, findings: Findings): readonly Contestant[] {
  const billhook = (name: string, wallets: 'many' | 'one', settings: Readonly<Record<string, string>>): Contestant => ({
    name,
    group: 'throughput',
    wallets,
    start: async (directory) => started(await startRegistered(merchants, join(directory, 'data'), settings)),
  })
  return [
    {
      name: ECHO,
      group: 'limits',
      wallets: 'many',
      note: 'the same requests, answered with a constant',
      start: async () => started(await startConstantServer(createdAnswer)),
    },
    billhook(BILLHOOK, 'many', {}),
    {
      name: TLS,
      group: 'throughput',
      wallets: 'many',
      note: 'HTTPS by the service itself, over connections that stay open',
      // The merchants register without TLS: of our clients only the load generators accept any certificate.
      start: async (directory) => {
        const data = join(directory, 'data')
        await (await startRegistered(merchants, data, {})).stop()
        const { certificate, key } = makeCertificate(directory, 'bench')
        return started(await startBenched(data, { BILLHOOK_TLS_CERT: certificate, BILLHOOK_TLS_KEY: key }))
      },
    },
    { ...billhook(HOT_WALLET, 'one', {}), note: 'all invoices on one wallet' },
    {
      ...billhook('Billhook, node:http', 'many', { BILLHOOK_HTTP: 'node' }),
      note: "Node's own HTTP server, for machines without a binary of uWebSockets.js",
    },
    {
      ...billhook('Billhook without key tables', 'many', { BILLHOOK_KEY_TABLES: '0' }),
      note: 'every signature is verified by libsecp256k1, one by one',
    },
    {
      ...billhook('Billhook, noble', 'many', { BILLHOOK_VERIFY_ENGINE: 'noble' }),
      connectionsMax: NOBLE_CONNECTIONS,
      note: `signatures verified in JavaScript; over at most ${NOBLE_CONNECTIONS} connections: until keys have tables, more would wait for more than a second and be refused`,
    },
    ...ordinaryStacks(merchants, findings, 'throughput'),
  ]
}

/** The ordinary stacks, for a group of measurements. */
export function ordinaryStacks(
  merchants: Merchants,
  findings: Findings,
  group: Contestant['group'],
): readonly Contestant[] {
  const ordinary = (name: string, creation: CreationName, note: string): Contestant => ({
    name,
    group,
    wallets: 'many',
    note,
    isOrdinary: true,
    start: async (directory) => {
      const { signers, wallets } = merchants
      const stack = await startOrdinary(directory, creation, { signers, wallets })
      findings.versions[ORDINARY] = stack.version
      return started(stack)
    },
  })
  return [
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

/** Starts Billhook, and registers all merchants with it. */
export async function startRegistered(
  merchants: Merchants,
  data: string,
  settings: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const service = await startBenched(data, settings)
  try {
    await registerMerchants(service.url, merchants.signers, merchants.wallets)
  } catch (error) {
    await service.stop()
    throw error
  }
  return service
}

function started(server: { readonly url: string; stop(): Promise<void> }): Started {
  return { urls: [server.url], stop: () => server.stop() }
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
