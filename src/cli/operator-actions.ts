import type { ApiKey } from '../domain/api-key.js'
import type { Wallet } from '../domain/wallet.js'
import type { Delivery } from '../domain/webhook.js'
import type { ServiceStatus } from '../http/routes/admin.js'
import { type Admin, withAdmin } from './admin.js'
import type { BillhookCommand, Given } from './billhook-command.js'
import { EXIT_SUCCESS } from './command.js'
import { jsonLine, printable } from './output.js'

const TRACED = 'It leaves a record that "billhook audit list" shows.'

/** `billhook keys revoke`. */
export function revokeCommand(keys: BillhookCommand): void {
  keys
    .add('revoke', 'Revoke an API key, or all of an owner: requests that they sign are rejected at once, for good.')
    .argument('[id]', 'The id of the key, as list shows it.')
    .onData()
    .asJson()
    .option('--owner <id>', 'In place of the id: revoke every key of this owner that is not revoked yet.')
    .explain(
      `A key that is revoked stays so, and keeps the time of its revocation. ${TRACED} With --owner there is one for each key. Register no keys for the owner meanwhile, or run it again.`,
    )
    .runs(
      (given) =>
        withAdmin(given, async (admin, io) => {
          const ids = await keysToRevoke(admin, given)
          for (const one of ids) {
            const { id, owner, revoked_at: at, ...rest } = await post<ApiKey>(admin, 'keys', one, 'revoke')
            if (given.options['json'] === true) io.out(jsonLine({ id, owner, ...rest, revoked_at: at }))
            else io.out(printable(`The key ${id} of ${owner} is revoked since ${new Date(at ?? 0).toISOString()}.`))
          }
          if (ids.length === 0 && given.options['json'] !== true) {
            io.out(printable(`${given.options['owner']} has no key that is not revoked.`))
          }
          return EXIT_SUCCESS
        }),
      ({ args, options }, problems) => {
        if ((args[0] === undefined) === (options['owner'] === undefined)) {
          problems.push('Give the id of a key, or --owner for all keys of an owner.')
        }
      },
    )
}

/** The key that is named, or all of an owner that are not revoked. */
async function keysToRevoke(admin: Admin, { args, options }: Given): Promise<readonly string[]> {
  const { owner } = options
  if (typeof owner !== 'string') return args.slice(0, 1)
  const ids: string[] = []
  await admin.work('GET', `/admin/records/keys?${new URLSearchParams({ owner })}`, {
    onItem: (item) => {
      const { id, revoked_at: revokedAt } = item as ApiKey
      if (revokedAt === null) ids.push(id)
    },
  })
  return ids
}

/** `billhook deliveries redeliver`. */
export function redeliverCommand(deliveries: BillhookCommand): void {
  deliveries
    .add('redeliver', 'Send a webhook again, whose attempts are over or that waits for another one.')
    .argument('<id>', 'The id of the delivery, as list shows it.')
    .onData()
    .asJson()
    .explain(`Without a running service it is sent when the service runs. ${TRACED}`)
    .runs((given) =>
      withAdmin(given, async (admin, io) => {
        const delivery = await post<Delivery>(admin, 'deliveries', given.args[0], 'redeliver')
        const { id, owner } = delivery
        if (given.options['json'] === true) io.out(jsonLine(delivery))
        else {
          const { url } = (await admin.call('GET', '/admin/status')).body as ServiceStatus
          const when = url === null ? 'is sent when the service runs' : 'is being sent'
          io.out(printable(`The webhook ${id} of ${owner} is queued again, and ${when}.`))
        }
        return EXIT_SUCCESS
      }),
    )
}

/** `billhook wallets put-back`. */
export function putBackCommand(wallets: BillhookCommand): void {
  wallets
    .add('put-back', 'Put a withdrawn wallet back into the pool.')
    .argument('<id>', 'The id of the wallet, as list --withdrawn shows it.')
    .onData()
    .asJson()
    .explain(
      `Do it only when the ledger has not given the wallet away, or has taken it back: otherwise who claims it cannot have it. A later transaction withdraws it again. ${TRACED}`,
    )
    .runs((given) =>
      withAdmin(given, async (admin, io) => {
        const wallet = await post<Wallet>(admin, 'wallets', given.args[0], 'put-back')
        if (given.options['json'] === true) io.out(jsonLine(wallet))
        else io.out(printable(`The wallet ${wallet.id} is in the pool again.`))
        return EXIT_SUCCESS
      }),
    )
}

/** The record as it is afterwards. Throws `Refused` when nothing was done. */
async function post<T>(admin: Admin, kind: string, id = '', action: string): Promise<T> {
  return (await admin.call('POST', `/admin/${kind}/${encodeURIComponent(id)}/${action}`)).body as T
}
