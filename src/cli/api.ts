import type { Reply } from '@billhook/client'
import { NATIVE, USDT } from '../domain/amount.js'
import type { Decimals } from '../domain/network.js'
import type { ServiceStatus } from '../http/routes/admin.js'
import type { NetworkInfo, ServiceInfo } from '../http/routes/info.js'
import { ADMIN_URL, type Admin, decimalsOf, withAdmin } from './admin.js'
import type { ApiCall } from './api-call.js'
import type { BillhookCommand, Check, Given, ProcessIo } from './billhook-command.js'
import { checkWholeNumber } from './flags.js'
import { withProcess } from './local-work.js'
import { unservedData } from './served-data.js'

/** The API of a service, however it is reached. */
export interface Api {
  /** The URL below which payers find the pages; empty where it is unknown, with no service and no public URL. */
  pages(): Promise<string>
  /** Decimal places by network and currency. */
  decimals(): Promise<Decimals>
  /** Whether a key signs the requests: it then decides who acts. */
  readonly isSigned: boolean
  /** Throws `BillhookError`. */
  call(call: ApiCall): Promise<Reply>
}

type Work = (api: Api, io: ProcessIo, stop: AbortSignal) => Promise<number>

/** Adds the flags that say which service a command reaches, and for whom. */
export function onService(command: BillhookCommand): BillhookCommand {
  return command
    .option('--url <url>', 'The service, over the network (BILLHOOK_URL).')
    .option('--key <file>', 'The private key that signs, in PEM (BILLHOOK_KEY_FILE). Needs a URL.')
    .option('--data <dir>', 'Without a URL: the data directory of the service (BILLHOOK_DATA).')
    .option('--owner <identity>', 'The identity that the command is about (BILLHOOK_OWNER).')
    .asJson()
    .opensData(async (given) => (isRemote(given) ? null : await unservedData(given)))
}

/** What no command that reaches a service can be given. */
export const checkService: Check = (given, problems) => {
  const { url, key, data } = given.options
  if (url !== undefined && data !== undefined) problems.push('--url cannot be combined with --data.')
  if (key !== undefined && !isRemote(given)) problems.push('--key needs --url: without a URL nothing is signed.')
}

/** Whether a key will sign the requests of a command. */
export function isSigning(given: Omit<Given, 'settings'>): boolean {
  const { options, context } = given
  return isRemote(given) && (options['key'] !== undefined || Boolean(context.environment['BILLHOOK_KEY_FILE']))
}

/** A flag says more than the environment. */
function isRemote({ options: { url, data }, context: { environment } }: Omit<Given, 'settings'>): boolean {
  return url !== undefined || (data === undefined && Boolean(environment['BILLHOOK_URL']))
}

/** Asks for the identity, too. */
export const checkOwner: Check = ({ options, context: { environment } }, problems) => {
  if (options['owner'] === undefined && !environment['BILLHOOK_OWNER']) {
    problems.push('The identity is missing: give it with --owner or BILLHOOK_OWNER.')
  }
}

const LIMIT = [1, 1_000_000_000] as const

/** Checks the flags of a command that lists what an identity has, `--limit` of them at most. */
export const checkList: Check = (given, problems) => {
  checkWholeNumber('limit', LIMIT, given.options, problems)
  checkService(given, problems)
  checkOwner(given, problems)
}

/**
 * Runs a command on the API of a service: over the network where there is a URL, else as `withAdmin` does, also as to
 * `onlyServed`. Resolves with the exit code.
 */
export async function withApi(given: Given, work: Work, onlyServed = false): Promise<number> {
  const { settings } = given
  const { url } = settings
  if (url === undefined || !isRemote(given))
    return await withAdmin(
      given,
      async (admin, io, stop) => work(await apiOf(given, admin, stop), io, stop),
      onlyServed ? 'served' : 'with data',
    )
  return await withProcess(given, async (io, stop) => {
    const [{ readSigner }, { RemoteService }] = await Promise.all([
      import('./signer.js'),
      import('./remote-service.js'),
    ])
    const signer = settings.keyFile === undefined ? undefined : readSigner(settings.keyFile, io)
    const service = new RemoteService({ url, signer, io, stop })
    const call = (one: ApiCall) => service.call(one)
    try {
      const decimals = async () => decimalsIn((await call({ tag: 'GET /api/info' })).body as ServiceInfo)
      return await work({ pages: async () => url, decimals, isSigned: signer !== undefined, call }, io, stop)
    } finally {
      await service.close()
    }
  })
}

async function apiOf({ settings }: Given, admin: Admin, stop: AbortSignal): Promise<Api> {
  const { callerOf } = await import('./caller.js')
  const call = callerOf({ url: ADMIN_URL, where: 'the service', fetch: admin.fetch, signer: undefined, stop })
  const pages = async () => {
    const { url } = (await admin.call('GET', '/admin/status')).body as ServiceStatus
    return url ?? settings.publicUrl ?? ''
  }
  return { pages, decimals: () => decimalsOf(admin), isSigned: false, call }
}

/** Amounts of coins are decimal: nothing depends on their places. */
const COIN_DECIMALS_MAX = 18

/** A service of before there were several tokens does not say what they are. */
type ReportedNetwork = Omit<NetworkInfo, 'tokens'> & Partial<Pick<NetworkInfo, 'tokens'>>

function decimalsIn({ networks }: ServiceInfo): Decimals {
  return Object.fromEntries(
    networks.map(({ id, decimals, tokens = [{ symbol: USDT, contract: null, decimals }] }: ReportedNetwork) => {
      return [
        id,
        Object.fromEntries([[NATIVE, COIN_DECIMALS_MAX], ...tokens.map((token) => [token.symbol, token.decimals])]),
      ]
    }),
  )
}
