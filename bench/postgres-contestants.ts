import { join } from 'node:path'
import { PostgresServer } from '../test/support/postgres-server.js'
import type { ServiceProcess } from '../test/support/service-process.js'
import type { Findings } from './bench.js'
import { type Contestant, ordinaryStacks, type Started, startRegistered } from './contestants.js'
import type { Merchants } from './merchants.js'
import { DATABASE_TIME, ON_FILES, ON_POSTGRES, ON_POSTGRES_HOT, ON_POSTGRES_REPLICA, SERVICES_TIME } from './names.js'
import { MEASURED_SETTINGS } from './ordinary/postgres.js'
import { registerMerchants } from './registration.js'
import { startBenched } from './service-process.js'

/** Services on one database, with the load shared among them. */
const SERVICES = [2, 3] as const

/** A database for one turn. */
export interface BenchDatabase {
  readonly settings: { readonly BILLHOOK_STORE: string }
  pids(): readonly number[]
  stop(): Promise<void>
}

/** A server of PostgreSQL alone, which waits for the disk. */
export async function startDatabase(): Promise<BenchDatabase> {
  const server = await PostgresServer.start({ isDurable: true, settings: MEASURED_SETTINGS })
  return { settings: { BILLHOOK_STORE: server.url() }, pids: () => server.pids, stop: () => server.stop() }
}

/** A server whose commits wait until its standby on this machine has them on disk. */
async function startReplicated(): Promise<BenchDatabase> {
  const { primary, standby } = await PostgresServer.startPair(MEASURED_SETTINGS)
  const stop = async () => {
    await primary.stop()
    await standby.stop()
  }
  return { settings: { BILLHOOK_STORE: primary.url() }, pids: () => [...primary.pids, ...standby.pids], stop }
}

/** Those that are compared with Billhook on PostgreSQL, in the order in which they take turns. */
export function postgresContestants(merchants: Merchants, findings: Findings): readonly Contestant[] {
  const onPostgres = (
    name: string,
    { wallets = 'many', services = 1, start = startDatabase, note }: Setting = {},
  ): Contestant => ({
    name,
    group: 'postgres',
    wallets,
    ...(note === undefined ? {} : { note }),
    start: async (directory) => startServices(merchants, directory, await start(), services),
  })
  return [
    {
      name: ON_FILES,
      group: 'postgres',
      wallets: 'many',
      note: 'LMDB, which one service has for itself',
      start: async (directory) => {
        const service = await startRegistered(merchants, join(directory, 'data'), {})
        return { urls: [service.url], pids: () => ({ [SERVICES_TIME]: [service.pid] }), stop: () => service.stop() }
      },
    },
    onPostgres(ON_POSTGRES, { note: 'one service, and PostgreSQL on the same machine' }),
    onPostgres(ON_POSTGRES_HOT, { wallets: 'one', note: 'all invoices on one wallet' }),
    onPostgres(ON_POSTGRES_REPLICA, {
      start: startReplicated,
      note: 'a commit waits until the replica, on the same machine, has it on disk',
    }),
    ...SERVICES.map((services) =>
      onPostgres(`${ON_POSTGRES}, ${services} services`, { services, note: 'the load shared among them' }),
    ),
    ...ordinaryStacks(merchants, findings, 'postgres'),
  ]
}

interface Setting {
  readonly wallets?: Contestant['wallets']
  readonly services?: number
  readonly start?: () => Promise<BenchDatabase>
  readonly note?: string
}

async function startServices(
  merchants: Merchants,
  directory: string,
  database: BenchDatabase,
  count: number,
): Promise<Started> {
  const services: ServiceProcess[] = []
  const stop = async () => {
    for (const service of services) await service.stop()
    await database.stop()
  }
  try {
    for (let n = 0; n < count; n += 1)
      services.push(await startBenched(join(directory, `data-${n}`), database.settings))
    const [first] = services
    if (first !== undefined) await registerMerchants(first.url, merchants.signers, merchants.wallets)
  } catch (error) {
    await stop()
    throw error
  }
  const pids = () => ({ [SERVICES_TIME]: services.map(({ pid }) => pid), [DATABASE_TIME]: database.pids() })
  return { urls: services.map(({ url }) => url), pids, stop }
}
